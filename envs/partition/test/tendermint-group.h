// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_GROUP_H
#define TENDERMINT_GROUP_H

#include "core-group.h"
#include "replica-protocol.h"
#include "tendermint-core.h"
#include "tendermint-replica.h"

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance-tests
 * @brief Tendermint replicas without a network: a test determines each message's arrival.
 */
class TendermintGroup : public CoreGroup<TendermintCore, TendermintStorage, TendermintMessage>
{
  public:
    /// Ticks of waiting for a proposal.
    static constexpr uint32_t PROPOSE_TICKS = 4;
    /// Ticks of waiting for votes to agree.
    static constexpr uint32_t VOTE_TICKS = 2;

    /**
     * @param replicas Number of replicas.
     * @param gossipTicks Ticks without a step until a replica sends its knowledge.
     * @param bug Bug of all replicas.
     */
    explicit TendermintGroup(uint32_t replicas,
                             uint32_t gossipTicks = 1000,
                             TendermintBug bug = TendermintBug::NONE)
        : CoreGroup(replicas),
          m_bug(bug),
          m_gossipTicks(gossipTicks)
    {
        for (uint32_t id = 1; id <= replicas; id++)
        {
            Start(id);
        }
    }

    /// @param id number of a replica that crashes and restarts from its disk
    void Start(uint32_t id)
    {
        const TendermintParameters parameters{.proposeTicks = PROPOSE_TICKS,
                                              .prevoteTicks = VOTE_TICKS,
                                              .precommitTicks = VOTE_TICKS,
                                              .commitTicks = 1,
                                              .deltaTicks = 0,
                                              .gossipTicks = m_gossipTicks,
                                              .bug = m_bug};
        Begin(id, parameters, [this, id](const TendermintAct& act) {
            acts.push_back(act);
            events.push_back({id, act.kind, act.height, act.round, act.value});
        });
    }

    /**
     * Advance the clocks of replicas.
     *
     * @param ids Numbers of replicas.
     * @param ticks Number of ticks.
     */
    void Pass(const std::vector<uint32_t>& ids, uint32_t ticks)
    {
        for (const auto id : ids)
        {
            for (uint32_t i = 0; i < ticks; i++)
            {
                (*this)[id].Tick();
            }
        }
    }

    /**
     * Lose the oldest message from one to another.
     *
     * @param from Number of the sender.
     * @param to Number of the receiver.
     * @return whether there was one
     */
    bool Drop(uint32_t from, uint32_t to)
    {
        return Take(from, to).has_value();
    }

    /**
     * Deliver all messages in flight, and those that are sent meanwhile.
     *
     * @param deaf Number of a replica that receives nothing; 0: none.
     */
    void DeliverAll(uint32_t deaf = 0)
    {
        while (!messages.empty())
        {
            const auto message = messages.front();
            messages.erase(messages.begin());
            if (message.to != deaf)
            {
                (*this)[message.to].Receive(message);
            }
        }
    }

    /**
     * Deliver some of the messages in flight and of those sent meanwhile; the others are lost.
     *
     * @param passes Returns whether a message arrives.
     */
    void Route(const std::function<bool(const TendermintMessage&)>& passes)
    {
        while (!messages.empty())
        {
            const auto message = messages.front();
            messages.erase(messages.begin());
            if (passes(message))
            {
                (*this)[message.to].Receive(message);
            }
        }
    }

    /**
     * @param liars Numbers of Byzantine replicas.
     * @return all replicas, with their events since the last call
     */
    ReplicaGroup Look(const std::set<uint32_t>& liars = {})
    {
        ReplicaGroup group{.states = {}, .events = std::exchange(events, {}), .requests = 9};
        for (uint32_t id = 1; id <= m_cores.size(); id++)
        {
            const auto& core = (*this)[id];
            const auto round = core.GetRecord().round;
            ReplicaState state;
            state.byzantine = liars.contains(id);
            state.values.resize(TendermintReplica::PRECOMMITS + 1);
            state.values[TendermintReplica::HEIGHT] = core.GetHeight();
            state.values[TendermintReplica::ROUND] = round;
            state.values[TendermintReplica::PROPOSER] = core.GetProposer(round);
            state.log = GetStorage(id).GetLog();
            group.states.push_back(state);
        }
        return group;
    }

    /**
     * @param id Number of a replica.
     * @param type Type of the vote.
     * @param round Round in its height.
     * @return its vote on its disk; -1: there is none
     */
    int64_t GetVote(uint32_t id, TendermintVotes::Type type, int32_t round) const
    {
        for (const auto& vote : GetStorage(id).GetRecord().votes)
        {
            if (vote.type == type && vote.round == round)
            {
                return vote.value;
            }
        }
        return -1;
    }

    std::vector<TendermintAct> acts; //!< Acts of the replicas, oldest first

  private:
    TendermintBug m_bug;    //!< Bug of all replicas
    uint32_t m_gossipTicks; //!< Ticks until replicas send their knowledge
};

} // namespace ns3

#endif // TENDERMINT_GROUP_H
