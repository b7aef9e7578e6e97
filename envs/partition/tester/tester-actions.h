// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_ACTIONS_H
#define TESTER_ACTIONS_H

#include "colored-partition.h"
#include "set-partitions.h"
#include "tester-parameters.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The acts of a tester in a step.
 */
struct TesterAction
{
    /// The kind of act.
    enum Kind : uint8_t
    {
        KEEP,      //!< Change nothing
        CREATE,    //!< Partition the network
        STOP,      //!< Stop a replica
        START,     //!< Start a replica
        REQUEST,   //!< Send a client's request
        BYZANTINE, //!< Make a replica Byzantine
        DELAY,     //!< Delay the held messages of a replica in this step
        RELEASE,   //!< Deliver the delayed messages of a replica
        HEAL,      //!< Start all replicas, heal all links, and wait for the replicas
        AHEAD,     //!< Let the clock of a replica jump ahead of the right time
        BACK,      //!< Let the clock of a replica jump back behind the right time
        RIGHT,     //!< Set the clock of a replica right
    };

    Kind kind{KEEP};      //!< Kind of the action
    uint32_t argument{0}; //!< Number of the partition, or slot of the replica
};

/**
 * @brief The role that has an act.
 */
enum class TesterRole : uint8_t
{
    TESTER,      //!< Has all actions
    CLIENT,      //!< Sends requests
    CRASHER,     //!< Stops and starts replicas, makes them Byzantine, and sets their clocks
    PARTITIONER, //!< Partitions the network, delays messages, heals replicas
};

/**
 * @brief The numbers of changes that limit the actions.
 */
struct TesterCounts
{
    uint32_t crashes{0};    //!< Number of stops
    uint32_t byzantine{0};  //!< Number of Byzantine replicas
    bool canRequest{false}; //!< A request can be handed over
    bool mustHeal{false};   //!< Whether only a healing phase is left
};

/**
 * @brief All actions of a role, by number.
 *
 * There are N slots and B partitions of them. A tester has 0 to keep the partition, 1 to B to
 * create one, N to stop the replica in a slot, N to start it, and one to send a request. If
 * replicas may become Byzantine, N actions make one Byzantine. If messages may be delayed, N
 * actions delay the messages for the replica in a slot, and N release them. With healing phases,
 * one action begins a phase. If clocks jump, N actions put the clock of a replica ahead, N put it
 * back, and N set it right. Other roles have 0 to do nothing, and then their own actions.
 */
class TesterActions
{
  public:
    /**
     * @param parameters The possible actions of a tester.
     * @param role The role.
     */
    TesterActions(const TesterParameters& parameters, TesterRole role)
        : m_parameters(parameters),
          m_role(role),
          m_partitions(parameters.replicas, parameters.mostBlocks)
    {
        const auto add = [this](TesterAction::Kind kind, uint32_t count) {
            for (uint32_t argument = 0; argument < count; argument++)
            {
                m_actions.push_back({kind, argument});
            }
        };
        add(TesterAction::KEEP, 1);
        if (Has(TesterRole::PARTITIONER))
        {
            add(TesterAction::CREATE, m_partitions.Count());
        }
        if (Has(TesterRole::CRASHER))
        {
            add(TesterAction::STOP, parameters.replicas);
            add(TesterAction::START, parameters.replicas);
        }
        if (Has(TesterRole::CLIENT))
        {
            add(TesterAction::REQUEST, 1);
        }
        if (Has(TesterRole::CRASHER) && parameters.withByzantine)
        {
            add(TesterAction::BYZANTINE, parameters.replicas);
        }
        if (Has(TesterRole::PARTITIONER) && parameters.withDelays)
        {
            add(TesterAction::DELAY, parameters.replicas);
            add(TesterAction::RELEASE, parameters.replicas);
        }
        if (Has(TesterRole::PARTITIONER) && parameters.Heals())
        {
            add(TesterAction::HEAL, 1);
        }
        if (Has(TesterRole::CRASHER) && parameters.ClocksJump())
        {
            add(TesterAction::AHEAD, parameters.replicas);
            add(TesterAction::BACK, parameters.replicas);
            add(TesterAction::RIGHT, parameters.replicas);
        }
    }

    /// @return number of actions
    uint32_t Count() const
    {
        return m_actions.size();
    }

    /**
     * @param index Number of an action.
     * @return the action
     */
    TesterAction Get(uint32_t index) const
    {
        return m_actions.at(index);
    }

    /**
     * @param partition Number of a partition.
     * @return the block of each slot
     */
    const SetPartitions::Blocks& GetBlocks(uint32_t partition) const
    {
        return m_partitions.Get(partition);
    }

    /**
     * Find the allowed actions. Of indistinguishable actions, only the first one is allowed.
     *
     * @param partition The running replicas, and their colours.
     * @param counts The changes so far.
     * @return 1 for each allowed action, 0 for others; at least one is allowed
     */
    std::vector<int8_t> GetMask(const ColoredPartition& partition, const TesterCounts& counts)
    {
        std::vector<int8_t> mask;
        if (counts.mustHeal)
        {
            const auto last =
                Has(TesterRole::PARTITIONER) ? TesterAction::HEAL : TesterAction::KEEP;
            for (const auto& action : m_actions)
            {
                mask.push_back(action.kind == last);
            }
            return mask;
        }
        const bool runs = partition.CountActive() > 0;
        const auto& first = m_partitions.GetRepresentatives(partition.GetActiveColors());
        for (const auto& action : m_actions)
        {
            switch (action.kind)
            {
            case TesterAction::KEEP:
                // Only a tester has other actions than to wait.
                mask.push_back(runs || m_role != TesterRole::TESTER);
                break;
            case TesterAction::CREATE:
                mask.push_back(runs && first[action.argument]);
                break;
            case TesterAction::REQUEST:
                mask.push_back(counts.canRequest);
                break;
            case TesterAction::HEAL:
                mask.push_back(m_parameters.HealsOnDemand());
                break;
            default:
                mask.push_back(IsAllowed(action, partition, counts));
            }
        }
        return mask;
    }

    /**
     * Describe the observed effect of an action: equal for indistinguishable actions.
     *
     * @param index Number of the action.
     * @param partition The running replicas, and their colours.
     * @return the description, as JSON with hashes of colours
     */
    std::string GetLook(uint32_t index, const ColoredPartition& partition) const
    {
        static const char* const names[] =
            {"keep", "create", "stop", "start", "request", "byzantine", "delay", "release", "heal"};
        static const char* const clocks[] = {"clock_ahead", "clock_back", "clock_right"};
        const auto action = Get(index);
        const bool sets = action.kind > TesterAction::HEAL;
        const std::string name =
            sets ? clocks[action.kind - TesterAction::AHEAD] : names[action.kind];
        if (action.kind == TesterAction::KEEP || action.kind == TesterAction::REQUEST ||
            action.kind == TesterAction::HEAL)
        {
            return "{\"" + name + "\":true}";
        }
        if (action.kind != TesterAction::CREATE)
        {
            return "{\"" + name + "\":\"" + partition.GetColorAt(action.argument).hash + "\"}";
        }
        const auto& blocks = GetBlocks(action.argument);
        std::map<uint8_t, std::vector<std::string>> colors;
        for (uint32_t slot = 0; slot < partition.CountActive(); slot++)
        {
            colors[blocks[slot]].push_back(partition.GetColorAt(slot).hash);
        }
        std::vector<std::vector<std::string>> sorted;
        for (auto& [block, hashes] : colors)
        {
            std::sort(hashes.begin(), hashes.end());
            sorted.push_back(std::move(hashes));
        }
        std::sort(sorted.begin(), sorted.end());
        return "{\"" + name + "\":" + ToJson(sorted) + "}";
    }

  private:
    /**
     * @param part A role.
     * @return whether its actions are among these
     */
    bool Has(TesterRole part) const
    {
        return m_role == part || m_role == TesterRole::TESTER;
    }

    /**
     * @param action An action on a slot.
     * @param partition The running replicas, and their colours.
     * @param counts The changes so far.
     * @return whether the action is allowed
     */
    bool IsAllowed(TesterAction action,
                   const ColoredPartition& partition,
                   const TesterCounts& counts) const
    {
        const auto slot = action.argument;
        const bool runs = partition.IsActiveAt(slot);
        if (!partition.IsFirstOfColor(slot) || runs != (action.kind != TesterAction::START))
        {
            return false;
        }
        const auto stopped = m_parameters.replicas - partition.CountActive();
        const auto most = m_parameters.mostInactive;
        switch (action.kind)
        {
        case TesterAction::STOP:
            return m_parameters.withCrashes && counts.crashes < m_parameters.crashLimit &&
                   (most == 0 || stopped < most);
        case TesterAction::BYZANTINE:
            return !partition.IsByzantineAt(slot) && counts.byzantine < m_parameters.mostByzantine;
        case TesterAction::RELEASE:
            return partition.IsDelayedAt(slot);
        case TesterAction::AHEAD:
            return partition.GetClockAt(slot) <= 0;
        case TesterAction::BACK:
            return partition.GetClockAt(slot) >= 0;
        case TesterAction::RIGHT:
            return partition.GetClockAt(slot) != 0;
        default:
            return true;
        }
    }

    TesterParameters m_parameters;       //!< The possible actions of a tester
    TesterRole m_role;                   //!< The role
    SetPartitions m_partitions;          //!< Partitions of the slots
    std::vector<TesterAction> m_actions; //!< Actions by number
};

} // namespace ns3

#endif // TESTER_ACTIONS_H
