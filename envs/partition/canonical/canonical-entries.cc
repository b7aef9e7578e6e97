// SPDX-License-Identifier: GPL-2.0-only

#include "canonical-entries.h"

#include <cstring>
#include <new>
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

} // namespace ns3
