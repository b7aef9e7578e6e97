// SPDX-License-Identifier: GPL-2.0-only

#include "canonical-format.h"

#include <cstring>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param bytes Text to extend by a number, 8 bytes in little-endian order.
 * @param number The number.
 */
void
AppendNumber(std::string& bytes, uint64_t number)
{
    for (int shift = 0; shift < 64; shift += 8)
    {
        bytes += static_cast<char>(number >> shift & 0xff);
    }
}

/**
 * @param size Number of bytes.
 * @return memory of the library
 */
void*
Allocate(std::size_t size)
{
    auto* memory = raft_malloc(size);
    if (!memory)
    {
        throw std::bad_alloc();
    }
    return memory;
}

/**
 * @brief Writes numbers in order.
 */
class MessageWriter
{
  public:
    /**
     * @param values Numbers of at most 64 bits, two elements each.
     */
    template <typename... T>
    void operator()(const T&... values)
    {
        (Write(static_cast<uint64_t>(values)), ...);
    }

    /**
     * @param append Message with the entries.
     */
    void Entries(const raft_append_entries& append)
    {
        (*this)(append.n_entries);
        for (unsigned i = 0; i < append.n_entries; i++)
        {
            const auto& entry = append.entries[i];
            (*this)(entry.term, entry.type, entry.buf.len);
            const auto* bytes = static_cast<const uint8_t*>(entry.buf.base);
            numbers.insert(numbers.end(), bytes, bytes + entry.buf.len);
        }
    }

    std::vector<uint32_t> numbers; //!< The written text

  private:
    /**
     * @param value A number.
     */
    void Write(uint64_t value)
    {
        numbers.push_back(value >> 32);
        numbers.push_back(value & 0xffffffff);
    }
};

/**
 * @brief Reads the output of a MessageWriter; throws if it is truncated.
 */
class MessageReader
{
  public:
    /**
     * @param numbers The numbers to read.
     */
    explicit MessageReader(const std::vector<uint32_t>& numbers)
        : m_numbers(numbers)
    {
    }

    /**
     * @param values Set to the next numbers.
     */
    template <typename... T>
    void operator()(T&... values)
    {
        ((values = static_cast<T>(Read())), ...);
    }

    /**
     * Read entries into memory that the library frees.
     *
     * @param append Message to extend.
     */
    void Entries(raft_append_entries& append)
    {
        std::vector<CanonicalStorage::Entry> entries(Read() & 0xffff);
        std::string all;
        for (auto& entry : entries)
        {
            (*this)(entry.term, entry.type);
            entry.bytes.resize(Read() & 0xffff);
            for (auto& byte : entry.bytes)
            {
                byte = static_cast<char>(m_numbers.at(m_position++));
            }
            all += entry.bytes;
        }
        append.n_entries = entries.size();
        append.entries = MakeEntries(entries);
    }

  private:
    /**
     * @return the next number
     */
    uint64_t Read()
    {
        const uint64_t high = m_numbers.at(m_position++);
        return high << 32 | m_numbers.at(m_position++);
    }

    const std::vector<uint32_t>& m_numbers; //!< The text to read
    std::size_t m_position{0};              //!< Position in the message
};

/**
 * Pass all fields of a message except entries to a writer or reader.
 *
 * @param fields The writer or reader.
 * @param message The message, with its type.
 */
template <typename Visitor, typename Message>
void
VisitFields(Visitor& fields, Message& message)
{
    switch (message.type)
    {
    case RAFT_IO_REQUEST_VOTE: {
        auto& request = message.request_vote;
        fields(request.term,
               request.candidate_id,
               request.last_log_index,
               request.last_log_term,
               request.disrupt_leader,
               request.pre_vote);
        return;
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
        auto& result = message.request_vote_result;
        fields(result.term, result.vote_granted, result.pre_vote);
        return;
    }
    case RAFT_IO_APPEND_ENTRIES: {
        auto& append = message.append_entries;
        fields(append.term, append.prev_log_index, append.prev_log_term, append.leader_commit);
        fields.Entries(append);
        return;
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
        auto& result = message.append_entries_result;
        fields(result.term, result.rejected, result.last_log_index);
        return;
    }
    case RAFT_IO_TIMEOUT_NOW: {
        auto& timeout = message.timeout_now;
        fields(timeout.term, timeout.last_log_index, timeout.last_log_term);
        return;
    }
    default:
        throw std::out_of_range("no message of this type is sent");
    }
}

} // namespace

std::vector<ReplicaEntry>
CanonicalStorage::GetLog() const
{
    std::vector<ReplicaEntry> log;
    for (const auto& entry : entries)
    {
        uint64_t request = 0;
        if (entry.type == RAFT_COMMAND && entry.bytes.size() == sizeof(request))
        {
            std::memcpy(&request, entry.bytes.data(), sizeof(request));
        }
        log.push_back({static_cast<uint32_t>(entry.term), static_cast<uint32_t>(request)});
    }
    return log;
}

void
CanonicalStorage::Erase()
{
    term = 0;
    vote = 0;
    entries.clear();
}

raft_entry*
MakeEntries(const std::vector<CanonicalStorage::Entry>& entries)
{
    if (entries.empty())
    {
        return nullptr;
    }
    std::size_t size = 1;
    for (const auto& entry : entries)
    {
        size += entry.bytes.size();
    }
    auto* made = static_cast<raft_entry*>(Allocate(entries.size() * sizeof(raft_entry)));
    auto* batch = static_cast<char*>(Allocate(size));
    auto* position = batch;
    for (std::size_t i = 0; i < entries.size(); i++)
    {
        const auto& [term, type, bytes] = entries[i];
        std::memcpy(position, bytes.data(), bytes.size());
        made[i] = {.term = term,
                   .type = type,
                   .buf = {.base = position, .len = bytes.size()},
                   .batch = batch};
        position += bytes.size();
    }
    return made;
}

void
FreeEntries(raft_entry* entries)
{
    if (entries)
    {
        raft_free(entries->batch);
        raft_free(entries);
    }
}

CanonicalStorage::Entry
CopyEntry(const raft_entry& entry)
{
    return {.term = entry.term,
            .type = entry.type,
            .bytes = std::string(static_cast<const char*>(entry.buf.base), entry.buf.len)};
}

CanonicalStorage::Entry
MakeConfiguration(uint32_t replicas)
{
    // The library's own format: its version, and the number of servers; for each server its number,
    // its address with a zero, and its role. Zeros pad the length to a multiple of 8.
    std::string bytes(1, '\1');
    AppendNumber(bytes, replicas);
    for (uint32_t id = 1; id <= replicas; id++)
    {
        AppendNumber(bytes, id);
        bytes += std::to_string(id) + '\0' + static_cast<char>(RAFT_VOTER);
    }
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return {.term = 1, .type = RAFT_CHANGE, .bytes = bytes};
}

std::vector<uint32_t>
EncodeMessage(const raft_message& message)
{
    MessageWriter writer;
    writer(message.type);
    VisitFields(writer, message);
    return std::move(writer.numbers);
}

std::optional<raft_message>
DecodeMessage(const std::vector<uint32_t>& numbers)
{
    raft_message message{};
    MessageReader reader(numbers);
    try
    {
        reader(message.type);
        VisitFields(reader, message);
    }
    catch (const std::out_of_range&)
    {
        return std::nullopt;
    }
    return message;
}

std::string
DescribeMessage(const std::vector<uint32_t>& numbers)
{
    const auto message = DecodeMessage(numbers);
    std::ostringstream text;
    switch (message ? message->type : 0)
    {
    case RAFT_IO_REQUEST_VOTE: {
        const auto& request = message->request_vote;
        text << (request.pre_vote ? "PreVote" : "RequestVote") << " term=" << request.term
             << " last=" << request.last_log_index << " last_term=" << request.last_log_term;
        break;
    }
    case RAFT_IO_REQUEST_VOTE_RESULT:
        text << "Vote term=" << message->request_vote_result.term
             << " granted=" << message->request_vote_result.vote_granted;
        break;
    case RAFT_IO_APPEND_ENTRIES: {
        const auto& append = message->append_entries;
        text << "AppendEntries term=" << append.term << " previous=" << append.prev_log_index
             << " entries=" << append.n_entries << " commit=" << append.leader_commit;
        FreeEntries(append.entries);
        break;
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT:
        text << "AppendResult term=" << message->append_entries_result.term
             << " rejected=" << message->append_entries_result.rejected
             << " last=" << message->append_entries_result.last_log_index;
        break;
    case RAFT_IO_TIMEOUT_NOW:
        text << "TimeoutNow term=" << message->timeout_now.term;
        break;
    default:
        text << "malformed";
    }
    return text.str();
}

} // namespace ns3
