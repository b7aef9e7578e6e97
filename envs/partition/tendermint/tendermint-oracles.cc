// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-oracles.h"

#include "replica-protocol.h"
#include "tendermint-core.h"
#include "tendermint-replica.h"

namespace ns3
{

std::vector<std::string>
TendermintOracles::Check(const ReplicaGroup& group)
{
    m_lengths.resize(group.states.size());
    for (const auto& event : group.events)
    {
        if (group.states.at(event.replica - 1).byzantine)
        {
            continue;
        }
        if (event.kind == TendermintAct::PREVOTES || event.kind == TendermintAct::PRECOMMITS)
        {
            CheckVote(event);
        }
        else if (event.kind == TendermintAct::PROPOSES)
        {
            CheckProposer(event.replica, {event.height, event.round}, event.replica);
        }
    }
    for (uint32_t id = 1; id <= group.states.size(); id++)
    {
        const auto& state = group.states[id - 1];
        if (!state.byzantine)
        {
            const auto& values = state.values;
            const Round round{values[TendermintReplica::HEIGHT], values[TendermintReplica::ROUND]};
            if (state.active)
            {
                CheckProposer(id, round, values[TendermintReplica::PROPOSER]);
            }
            CheckDecisions(id, group);
        }
    }
    return m_violations.Take();
}

void
TendermintOracles::CheckDecisions(uint32_t id, const ReplicaGroup& group)
{
    const auto& state = group.states[id - 1];
    auto& length = m_lengths[id - 1];
    if (state.log.size() < length)
    {
        m_violations.Note("reduced_log",
                          "replica ",
                          id,
                          " has ",
                          state.log.size(),
                          " decisions, and had ",
                          length);
    }
    length = state.log.size();
    for (std::size_t height = group.CountKept(id - 1) + 1; height <= length; height++)
    {
        const auto request = state.log[height - 1].request;
        if (height > m_decided.size())
        {
            m_decided.push_back(state.log[height - 1]);
        }
        else if (request != m_decided[height - 1].request)
        {
            m_violations.Note("agreement",
                              "replica ",
                              id,
                              " has decided request ",
                              request,
                              " at height ",
                              height,
                              ", where request ",
                              m_decided[height - 1].request,
                              " was decided");
        }
        if (request > group.requests)
        {
            m_violations.Note("validity",
                              "replica ",
                              id,
                              " has decided request ",
                              request,
                              " at height ",
                              height,
                              ", which no client has handed over");
        }
        const auto [first, isNew] = m_heights.emplace(request, height);
        if (request != 0 && first->second != height)
        {
            m_violations.Note("validity",
                              "request ",
                              request,
                              " was decided at heights ",
                              first->second,
                              " and ",
                              height);
        }
    }
}

void
TendermintOracles::CheckVote(const ReplicaEvent& event)
{
    const auto& [replica, kind, height, round, value] = event;
    const auto [vote, isNew] = m_votes.emplace(Vote{kind, height, round, replica}, value);
    if (vote->second != value)
    {
        m_violations.Note("double_vote",
                          "replica ",
                          replica,
                          kind == TendermintAct::PREVOTES ? " has prevoted " : " has precommitted ",
                          vote->second,
                          " and ",
                          value,
                          " in round ",
                          round,
                          " of height ",
                          height,
                          " (0: nil, 1: the empty block, 1 + r: request r)");
    }
}

void
TendermintOracles::CheckProposer(uint32_t id, const Round& round, uint32_t proposer)
{
    const auto [known, isNew] = m_proposers.emplace(round, std::pair(proposer, id));
    const auto& [other, teller] = known->second;
    if (other != proposer)
    {
        m_violations.Note("proposer_agreement",
                          "replica ",
                          id,
                          " holds replica ",
                          proposer,
                          " for the proposer of round ",
                          round.second,
                          " of height ",
                          round.first,
                          ", and replica ",
                          teller,
                          " holds replica ",
                          other,
                          " for it");
    }
}

} // namespace ns3
