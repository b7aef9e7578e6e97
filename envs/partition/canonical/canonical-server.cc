// SPDX-License-Identifier: GPL-2.0-only

#include "canonical-server.h"

#include "canonical-format.h"

#include "ns3/simulator.h"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

using Request = struct raft_apply; // also the name of a function

constexpr int UNSUPPORTED{RAFT_INVALID}; // status of unsupported calls of this disk

/**
 * @param value Any number.
 * @return a number whose bits depend on all of its bits (SplitMix64, Steele, Lea and Flood 2014)
 */
uint64_t
Mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

} // namespace

struct CanonicalServer::Calls
{
    /**
     * @param io Input and output of the library.
     * @return the server of the input and output
     */
    static CanonicalServer& Of(raft_io* io)
    {
        return *static_cast<CanonicalServer*>(io->impl);
    }

    /**
     * Let an effect happen, unless the process is killed before it. The library's frames have no
     * exceptions: a killed process ends its call without effects.
     *
     * @param io Input and output of the library.
     * @param effect Changes the disk, or sends a message.
     * @return success
     */
    template <typename F>
    static int Do(raft_io* io, F effect)
    {
        auto& server = Of(io);
        try
        {
            if (!server.m_isKilled)
            {
                effect(server);
            }
        }
        catch (const ProcessKilled&)
        {
            server.m_isKilled = true;
        }
        return 0;
    }

    /**
     * Change the disk, unless the process is killed before.
     *
     * @param io Input and output of the library.
     * @param change Changes the disk.
     * @return success
     */
    template <typename F>
    static int Write(raft_io* io, F change)
    {
        return Do(io, [&change](CanonicalServer& server) {
            server.m_storage->BeforeWrite();
            change(*server.m_storage);
        });
    }

    static int Init(raft_io*, raft_id, const char*)
    {
        return 0;
    }

    static void Close(raft_io* io, raft_io_close_cb done)
    {
        Of(io).m_finished.emplace_back([io, done] { done(io); });
    }

    static int Load(raft_io* io,
                    raft_term* term,
                    raft_id* vote,
                    raft_snapshot** snapshot,
                    raft_index* first,
                    raft_entry** entries,
                    size_t* count)
    {
        const auto& storage = *Of(io).m_storage;
        *term = storage.term;
        *vote = storage.vote;
        *snapshot = nullptr;
        *first = 1;
        *entries = MakeEntries(storage.entries);
        *count = storage.entries.size();
        return 0;
    }

    static int Start(raft_io* io, unsigned, raft_io_tick_cb tick, raft_io_recv_cb receive)
    {
        Of(io).m_tick = tick;
        Of(io).m_receive = receive;
        return 0;
    }

    static int RefuseConfiguration(raft_io*, const raft_configuration*)
    {
        return UNSUPPORTED;
    }

    static int SetTerm(raft_io* io, raft_term term)
    {
        return Write(io, [term](CanonicalStorage& storage) {
            storage.term = term;
            storage.vote = 0;
        });
    }

    static int SetVote(raft_io* io, raft_id vote)
    {
        return Write(io, [vote](CanonicalStorage& storage) { storage.vote = vote; });
    }

    static int Send(raft_io* io,
                    raft_io_send* request,
                    const raft_message* message,
                    raft_io_send_cb done)
    {
        Do(io, [message](CanonicalServer& server) {
            server.m_send(message->server_id, EncodeMessage(*message));
        });
        Of(io).m_finished.emplace_back([request, done] { done(request, 0); });
        return 0;
    }

    static int Append(raft_io* io,
                      raft_io_append* request,
                      const raft_entry* entries,
                      unsigned count,
                      raft_io_append_cb done)
    {
        // The library continues before the write has ended: messages can overtake it.
        for (unsigned i = 0; i < count; i++)
        {
            Of(io).m_finished.emplace_back([io, entry = CopyEntry(entries[i])] {
                Write(io,
                      [&entry](CanonicalStorage& storage) { storage.entries.push_back(entry); });
            });
        }
        Of(io).m_finished.emplace_back([request, done] { done(request, 0); });
        return 0;
    }

    static int Truncate(raft_io* io, raft_index index)
    {
        Of(io).m_finished.emplace_back([io, index] {
            Write(io, [index](CanonicalStorage& storage) { storage.entries.resize(index - 1); });
        });
        return 0;
    }

    static int RefusePut(raft_io*,
                         unsigned,
                         raft_io_snapshot_put*,
                         const raft_snapshot*,
                         raft_io_snapshot_put_cb)
    {
        return UNSUPPORTED;
    }

    static int RefuseGet(raft_io*, raft_io_snapshot_get*, raft_io_snapshot_get_cb)
    {
        return UNSUPPORTED;
    }

    static raft_time GetTime(raft_io*)
    {
        return Simulator::Now().GetMilliSeconds();
    }

    static int Draw(raft_io* io, int low, int high)
    {
        auto& server = Of(io);
        const auto number = Mix(Mix(server.m_parameters.seed ^ server.m_parameters.id) +
                                Mix(server.m_storage->term) + server.m_draws++);
        return low + static_cast<int>(number % (static_cast<uint64_t>(high - low) + 1));
    }

    static int Apply(raft_fsm*, const raft_buffer*, void** result)
    {
        *result = nullptr;
        return 0;
    }

    static void EndRequest(Request* request, int, void*)
    {
        delete request;
    }
};

CanonicalServer::CanonicalServer(const CanonicalParameters& parameters,
                                 Ptr<CanonicalStorage> storage,
                                 Sender send)
    : m_parameters(parameters),
      m_storage(std::move(storage)),
      m_send(std::move(send))
{
    m_io.version = 1;
    m_io.impl = this;
    m_io.init = Calls::Init;
    m_io.close = Calls::Close;
    m_io.load = Calls::Load;
    m_io.start = Calls::Start;
    m_io.bootstrap = Calls::RefuseConfiguration;
    m_io.recover = Calls::RefuseConfiguration;
    m_io.set_term = Calls::SetTerm;
    m_io.set_vote = Calls::SetVote;
    m_io.send = Calls::Send;
    m_io.append = Calls::Append;
    m_io.truncate = Calls::Truncate;
    m_io.snapshot_put = Calls::RefusePut;
    m_io.snapshot_get = Calls::RefuseGet;
    m_io.time = Calls::GetTime;
    m_io.random = Calls::Draw;
    m_machine.version = 1;
    m_machine.apply = Calls::Apply;
    if (m_storage->entries.empty())
    {
        Bootstrap();
    }
    const auto address = std::to_string(parameters.id);
    Require(raft_init(&m_raft, &m_io, &m_machine, parameters.id, address.c_str()), "begin");
    raft_set_election_timeout(&m_raft, parameters.electionTimeout.GetMilliSeconds());
    raft_set_heartbeat_timeout(&m_raft, parameters.heartbeatTimeout.GetMilliSeconds());
    raft_set_snapshot_threshold(&m_raft, std::numeric_limits<unsigned>::max());
    raft_set_pre_vote(&m_raft, parameters.preVote);
    Require(raft_start(&m_raft), "start");
    Settle();
}

CanonicalServer::~CanonicalServer()
{
    raft_close(&m_raft, nullptr);
    while (!m_finished.empty())
    {
        std::exchange(m_finished.front(), {})();
        m_finished.pop_front();
    }
}

void
CanonicalServer::Receive(uint32_t from, const std::vector<uint32_t>& numbers)
{
    if (auto message = DecodeMessage(numbers))
    {
        const auto address = std::to_string(from);
        message->server_id = from;
        message->server_address = address.c_str();
        m_receive(&m_io, &*message);
        Settle();
    }
}

bool
CanonicalServer::Submit(uint32_t request)
{
    const uint64_t command = request;
    raft_buffer buffer{.base = raft_malloc(sizeof(command)), .len = sizeof(command)};
    std::memcpy(buffer.base, &command, sizeof(command));
    auto waiting = std::make_unique<Request>();
    const auto status = raft_apply(&m_raft, waiting.get(), &buffer, 1, Calls::EndRequest);
    if (status == 0)
    {
        std::ignore = waiting.release(); // EndRequest() deletes it
        Settle();
        return true;
    }
    raft_free(buffer.base);
    if (status != RAFT_NOTLEADER)
    {
        Require(status, "take a request");
    }
    return false;
}

void
CanonicalServer::Settle()
{
    while (!m_finished.empty())
    {
        const auto finish = std::move(m_finished.front());
        m_finished.pop_front();
        finish();
    }
    if (m_isKilled)
    {
        throw ProcessKilled();
    }
    if (m_raft.state == RAFT_UNAVAILABLE)
    {
        throw std::runtime_error("canonical/raft has made itself unavailable");
    }
}

void
CanonicalServer::Require(int status, const char* what) const
{
    if (status != 0)
    {
        throw std::runtime_error(
            "canonical/raft could not " + std::string(what) + ": " +
            std::string(m_raft.errmsg[0] ? m_raft.errmsg : raft_strerror(status)));
    }
}

uint32_t
CanonicalServer::GetLeader() const
{
    if (m_raft.state == RAFT_FOLLOWER)
    {
        return m_raft.follower_state.current_leader.id;
    }
    return Leads() ? m_parameters.id : 0;
}

std::vector<int64_t>
CanonicalServer::GetInternals() const
{
    const auto now = Simulator::Now().GetMilliSeconds();
    const auto ago = [now](raft_time time) { return now - static_cast<int64_t>(time); };
    std::vector<int64_t> internals{ago(m_raft.election_timer_start),
                                   int64_t(m_raft.last_applied),
                                   int64_t(m_raft.last_stored),
                                   int64_t(m_draws)};
    if (Leads())
    {
        for (uint32_t i = 0; i < m_parameters.replicas; i++)
        {
            const auto& progress = m_raft.leader_state.progress[i];
            internals.insert(internals.end(),
                             {progress.state,
                              int64_t(progress.next_index),
                              int64_t(progress.match_index),
                              ago(progress.last_send),
                              progress.recent_recv});
        }
    }
    else if (m_raft.state == RAFT_CANDIDATE)
    {
        const auto& candidate = m_raft.candidate_state;
        internals.insert(internals.end(),
                         {candidate.randomized_election_timeout, candidate.in_pre_vote});
        internals.insert(internals.end(), candidate.votes, candidate.votes + m_parameters.replicas);
    }
    else
    {
        internals.push_back(m_raft.follower_state.randomized_election_timeout);
    }
    return internals;
}

void
CanonicalServer::Bootstrap()
{
    m_storage->term = 1;
    m_storage->entries.push_back(MakeConfiguration(m_parameters.replicas));
}

} // namespace ns3
