// SPDX-License-Identifier: GPL-2.0-only

// A complete protocol of a user for tests by partition_v0: a primary and its backups.
//
// The primary of view v is replica (v - 1) mod n + 1. With each tick it sends its log to the
// others. It commits the entries that all recently active replicas have. A backup that receives
// nothing from the primary begins the next view in which it is the primary itself. The protocol is
// safe if processes crash, and unsafe if the network is partitioned; testers find the violation.

#include "environment-program.h"
#include "numbers-header.h"
#include "partition-environment.h"
#include "violation-log.h"

#include <algorithm>

using namespace ns3;

constexpr uint32_t TIMEOUT = 4; // ticks without a message until a replica counts as stopped

/// The data that survive a crash.
class PrimaryBackupStorage : public StableStorage
{
  public:
    void Erase() override
    {
        view = 1;
        log.clear();
    }

    uint32_t view{1};              // the latest known view
    std::vector<ReplicaEntry> log; // entries, with their views as terms
};

class PrimaryBackupReplica : public ReplicaApplication
{
  public:
    enum Field // positions of ReplicaState::values
    {
        VIEW,
        LEADS,
        COMMIT,
        INDEX
    };

    std::string Describe(Ptr<const Packet> packet) const override // messages in charts
    {
        NumbersHeader header;
        packet->PeekHeader(header);
        const auto view = " view=" + std::to_string(header.GetNumbers().at(0));
        const auto number = std::to_string(header.GetNumbers().at(1));
        return Leads() ? "Log" + view + " commit=" + number : "Has" + view + " entries=" + number;
    }

  private:
    uint32_t GetPrimary() const
    {
        return (m_disk->view - 1) % GetGroupSize() + 1;
    }

    bool Leads() const
    {
        return GetPrimary() == GetId();
    }

    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<PrimaryBackupStorage>();
    }

    void Recover(Ptr<StableStorage> storage) override
    {
        m_disk = StaticCast<PrimaryBackupStorage>(storage);
        Begin();
    }

    void Forget() override
    {
        m_commit = 0;
    }

    void Begin() // a view
    {
        m_silence.assign(GetGroupSize(), 0);
        m_has.assign(GetGroupSize(), 0);
    }

    void OnTick() override
    {
        for (auto& ticks : m_silence)
        {
            ticks++;
        }
        if (!Leads() && m_silence[GetPrimary() - 1] > TIMEOUT)
        {
            do
            {
                m_disk->view++;
            } while (!Leads());
            Begin();
        }
        if (Leads())
        {
            Lead();
        }
    }

    void Lead()
    {
        uint32_t all = m_disk->log.size();
        for (uint32_t id = 1; id <= GetGroupSize(); id++)
        {
            const bool counts = id != GetId() && m_silence[id - 1] <= TIMEOUT;
            all = counts ? std::min(all, m_has[id - 1]) : all;
        }
        m_commit = std::max(m_commit, all);
        std::vector<uint32_t> numbers{m_disk->view, m_commit};
        for (const auto& [view, request] : m_disk->log)
        {
            numbers.insert(numbers.end(), {view, request});
        }
        for (uint32_t id = 1; id <= GetGroupSize(); id++)
        {
            Tell(id, numbers);
        }
    }

    void Tell(uint32_t id, const std::vector<uint32_t>& numbers)
    {
        auto packet = Create<Packet>();
        packet->AddHeader(NumbersHeader(numbers));
        if (id != GetId())
        {
            Send(id, packet);
        }
    }

    bool OnSubmit(uint32_t request) override
    {
        if (Leads())
        {
            m_disk->log.push_back({.term = m_disk->view, .request = request});
        }
        return Leads();
    }

    void OnMessage(uint32_t from, Ptr<const Packet> packet) override
    {
        NumbersHeader header;
        packet->PeekHeader(header);
        const auto& numbers = header.GetNumbers();
        if (numbers.at(0) < m_disk->view)
        {
            return; // from an earlier view
        }
        m_silence[from - 1] = 0;
        m_disk->view = numbers.at(0);
        if (Leads())
        {
            m_has[from - 1] = numbers.at(1);
            return;
        }
        m_commit = numbers.at(1);
        m_disk->log.clear();
        for (std::size_t i = 2; i < numbers.size(); i += 2)
        {
            m_disk->log.push_back({.term = numbers[i], .request = numbers.at(i + 1)});
        }
        Tell(from, {m_disk->view, static_cast<uint32_t>(m_disk->log.size())});
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        const auto disk = StaticCast<const PrimaryBackupStorage>(storage);
        ReplicaState state;
        state.values = {disk->view, IsActive() && Leads(), m_commit, int64_t(disk->log.size())};
        state.log = disk->log;
        state.internals.assign(m_silence.begin(), m_silence.end());
        state.internals.insert(state.internals.end(), m_has.begin(), m_has.end());
        return state;
    }

    Ptr<PrimaryBackupStorage> m_disk; // the disk
    uint32_t m_commit{0};             // entries that are committed
    std::vector<uint32_t> m_silence;  // ticks since each replica's last message
    std::vector<uint32_t> m_has;      // as primary: entries that each backup has
};

/// The description of the protocol for testers.
class PrimaryBackupProtocol : public ReplicaProtocol
{
    using Field = PrimaryBackupReplica::Field;

    std::string GetName() const override
    {
        return "primary_backup";
    }

    std::string GetDefaultPainter() const override
    {
        return "view:6,leads,commit,index";
    }

    const std::vector<ReplicaField>& GetFields() const override
    {
        static const std::vector<ReplicaField> fields{{"view"},
                                                      {"leads", ReplicaField::CHOICE, 1},
                                                      {"commit"},
                                                      {"index"}};
        return fields;
    }

    Ptr<ReplicaApplication> MakeReplica(Time /* tick */) const override
    {
        return CreateObject<PrimaryBackupReplica>();
    }

    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override
    {
        uint32_t taker = 0;
        for (uint32_t id = 1; id <= states.size(); id++)
        {
            const auto& values = states[id - 1].values;
            const bool isLater = taker == 0 || values[Field::VIEW] > states[taker - 1].values[0];
            taker = values[Field::LEADS] == 1 && isLater ? id : taker;
        }
        return taker == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{taker};
    }

    std::vector<std::string> Check(const ReplicaGroup& group) override
    {
        for (uint32_t id = 1; id <= group.states.size(); id++)
        {
            const auto& [values, log] =
                std::tie(group.states[id - 1].values, group.states[id - 1].log);
            for (int64_t index = 0; index < values[Field::COMMIT]; index++)
            {
                const auto& entry = log.at(index);
                const auto& first = m_committed.emplace(index, entry).first->second;
                if (entry != first)
                {
                    m_violations.Note("agreement", "replica ", id, " has another entry ", index);
                }
            }
        }
        return m_violations.Take();
    }

    std::map<int64_t, ReplicaEntry> m_committed; // the first committed entry of each index
    ViolationLog m_violations;                   // violations found
};

int
main(int argc, char* argv[])
{
    PartitionEnvironment environment("primary_backup", {std::make_shared<PrimaryBackupProtocol>()});
    return RunEnvironment(argc, argv, environment);
}
