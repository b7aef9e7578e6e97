// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-header.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TendermintHeader);

namespace
{

/**
 * @param value The value of a proposal, a vote or a decision.
 * @return the value as text
 */
std::string
NameValue(uint32_t value)
{
    if (value == TendermintValue::NIL)
    {
        return "nil";
    }
    return value == TendermintValue::EMPTY
               ? "empty"
               : "request " + std::to_string(value - TendermintValue::EMPTY);
}

/**
 * @param signers The voters: bit i is replica i.
 * @return the numbers of the voters
 */
std::string
NameSigners(uint64_t signers)
{
    std::string text;
    for (uint32_t id = 1; id < 64; id++)
    {
        if (signers >> id & 1)
        {
            text += (text.empty() ? "" : ",") + std::to_string(id);
        }
    }
    return text;
}

} // namespace

bool
TendermintFormat::IsValid(const TendermintMessage& message)
{
    const auto isProposal = [](const TendermintProposal& proposal) {
        return proposal.round >= 0 && proposal.validRound >= -1 &&
               proposal.validRound < proposal.round;
    };
    const auto isVote = [](const TendermintVotes& votes) {
        return votes.round >= 0 && votes.type >= TendermintVotes::PREVOTE &&
               votes.type <= TendermintVotes::PRECOMMIT;
    };
    return message.type >= TendermintMessage::PROPOSAL &&
           message.type <= TendermintMessage::DECISIONS &&
           std::all_of(message.proposals.begin(), message.proposals.end(), isProposal) &&
           std::all_of(message.votes.begin(), message.votes.end(), isVote) &&
           std::all_of(message.decisions.begin(),
                       message.decisions.end(),
                       [](const TendermintDecision& decision) { return decision.round >= 0; });
}

void
TendermintFormat::Print(std::ostream& os, const TendermintMessage& message)
{
    static const char* const names[] = {"?", "Proposal", "Vote", "Gossip", "Decisions"};
    static const char* const types[] = {"?", "Prevote", "Precommit"};
    os << names[message.type] << " from=" << message.from << " to=" << message.to
       << " height=" << message.height;
    for (const auto& [round, value, validRound] : message.proposals)
    {
        os << " proposal(round=" << round << " " << NameValue(value) << " valid=" << validRound
           << ")";
    }
    for (const auto& [type, round, value, signers] : message.votes)
    {
        os << " " << types[type] << "(round=" << round << " " << NameValue(value) << " by "
           << NameSigners(signers) << ")";
    }
    for (const auto& [round, value, signers] : message.decisions)
    {
        os << " decision(round=" << round << " " << NameValue(value) << " by "
           << NameSigners(signers) << ")";
    }
}

} // namespace ns3
