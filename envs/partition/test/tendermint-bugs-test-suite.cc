// SPDX-License-Identifier: GPL-2.0-only

#include "bug-test-case.h"
#include "tendermint-group.h"
#include "tendermint-oracles.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// Histories that expose each of the bugs.
namespace tendermint_bugs
{

using Case = BugTestCase<TendermintBug, TendermintGroup, TendermintOracles>;
using Look = Case::Look;
using Message = TendermintMessage;
using Link = std::pair<uint32_t, uint32_t>; // sender and receiver

constexpr auto TIME_OUT = TendermintGroup::PROPOSE_TICKS;
constexpr auto VOTE_TICKS = TendermintGroup::VOTE_TICKS;
const std::vector<uint32_t> ALL{1, 2, 3, 4};

/**
 * @param message A message.
 * @param type A kind of votes.
 * @return whether the message is a vote of this kind
 */
bool
IsVote(const Message& message, TendermintVotes::Type type)
{
    return message.type == Message::VOTE && message.votes[0].type == type;
}

/**
 * @param message A message.
 * @param links Senders and receivers.
 * @return whether the message is on one of these links
 */
bool
IsOn(const Message& message, const std::set<Link>& links)
{
    return links.contains({message.from, message.to});
}

/**
 * End a round: replicas without a proposal stop waiting, and all vote nil.
 *
 * @param group The replicas.
 * @param without Number of the replica without a proposal.
 * @param others Numbers of the replicas that enter the next round with it.
 * @param passes Returns whether a message arrives.
 */
void
GiveUp(TendermintGroup& group,
       uint32_t without,
       std::vector<uint32_t> others,
       const std::function<bool(const Message&)>& passes)
{
    group.Route(passes);
    group.Pass({without}, TIME_OUT);
    group.Route(passes);
    others.push_back(without);
    group.Pass(others, VOTE_TICKS);
    group.Route(passes);
    group.Pass(others, VOTE_TICKS);
}

/// T1, T2: 1 decides the value on which 3 and 4 are locked; 2 proposes another one.
void
ProposeAgainstLocks(TendermintGroup& group, const Look& look)
{
    group[1].Submit(1);
    group[2].Submit(2);
    group.Pass(ALL, 1);
    GiveUp(group, 2, {3, 4}, [](const Message& message) {
        return !IsOn(message, {{1, 2}}) &&
               !(message.from == 1 && IsVote(message, TendermintVotes::PRECOMMIT));
    });
    look({});
    group.Route([](const Message&) { return true; });
    look({});
}

/// T3: a liar sends different messages to each half of the others.
void
LieToFive(TendermintGroup& group, const Look& look)
{
    for (uint32_t id = 1; id <= 5; id++)
    {
        group[id].Submit(1);
    }
    group[1].BecomeByzantine();
    group.Pass({1, 2, 3, 4, 5}, 1);
    group.DeliverAll();
    look({1});
}

/// T4: a replica votes, crashes, and votes again.
void
VoteTwice(TendermintGroup& group, const Look& look)
{
    group.Pass(ALL, 1);
    group.Deliver(1, 2);
    group.Start(2);
    group.Pass({2}, TIME_OUT);
    look({});
}

/// T5: 1, 2 and 4 prevote in round 0, and the prevotes arrive late; in round 1, 3 decides
/// another value; in round 2, 4 proposes the old value again.
void
MixRounds(TendermintGroup& group, const Look& look)
{
    group.Pass(ALL, 1);
    group.DeliverAll(); // the first height is decided
    group[2].Submit(1);
    group[4].Submit(1);
    group[3].Submit(2);
    std::optional<Message> late;
    group.Pass(ALL, 1);
    GiveUp(group, 3, {1, 2, 4}, [&](const Message& message) {
        const bool isPrevote = IsVote(message, TendermintVotes::PREVOTE);
        if (isPrevote && IsOn(message, {{1, 4}}))
        {
            late = message;
        }
        return !(isPrevote && IsOn(message, {{1, 4}, {4, 1}, {4, 2}})) &&
               !(message.type == Message::PROPOSAL && message.to == 3);
    });
    GiveUp(group, 4, {1, 2}, [](const Message& message) {
        return !IsOn(message, {{3, 4}}) &&
               !(IsVote(message, TendermintVotes::PRECOMMIT) && IsOn(message, {{1, 2}, {2, 1}}));
    });
    look({});
    group[4].Receive(*late);
    group.Route([](const Message&) { return true; });
    look({});
}

/// T6: only 3 knows a quorum of round 0; in round 1, 1 decides another value; in round 2, 3
/// proposes with the old quorum.
void
ProposeWithOldQuorum(TendermintGroup& group, const Look& look)
{
    group[1].Submit(1);
    group[2].Submit(2);
    std::optional<Message> late;
    group.Pass(ALL, 1);
    GiveUp(group, 2, {1, 3, 4}, [&](const Message& message) {
        const bool isPrevote = IsVote(message, TendermintVotes::PREVOTE);
        if (isPrevote && IsOn(message, {{1, 4}}))
        {
            late = message;
        }
        return !(isPrevote && IsOn(message, {{1, 4}, {4, 1}})) &&
               !(message.type == Message::PROPOSAL && message.to == 2);
    });
    GiveUp(group, 3, {2, 4}, [](const Message& message) {
        return !IsOn(message, {{1, 3}}) &&
               !(message.type == Message::PROPOSAL && message.to == 3) &&
               !(IsVote(message, TendermintVotes::PRECOMMIT) && IsOn(message, {{2, 4}, {4, 2}}));
    });
    look({});
    group[4].Receive(*late);
    group.Route([](const Message&) { return true; });
    look({});
}

/// T7: a replica that receives decisions has not entered their rounds.
void
CatchUp(TendermintGroup& group, const Look& look)
{
    for (int round = 0; round < 3; round++)
    {
        group.Pass({1, 2, 3}, 1);
        group.DeliverAll(4);
    }
    look({});
    group.messages.clear();
    group.Pass({4}, 4);
    group.DeliverAll();
    look({});
}

} // namespace tendermint_bugs

/**
 * @ingroup defiance-tests
 * @brief Bugs that Tendermint replicas can be seeded with.
 */
class TendermintBugsTestSuite : public TestSuite
{
  public:
    TendermintBugsTestSuite()
        : TestSuite("defiance-tendermint-bugs", Type::UNIT)
    {
        Add("T1", 4, tendermint_bugs::ProposeAgainstLocks, "agreement broken_lock");
        Add("T2", 4, tendermint_bugs::ProposeAgainstLocks, "agreement broken_lock");
        Add("T3", 5, tendermint_bugs::LieToFive, "agreement unproved_precommit");
        Add("T4", 4, tendermint_bugs::VoteTwice, "double_vote");
        Add("T5", 4, tendermint_bugs::MixRounds, "agreement unproved_precommit");
        Add("T6", 4, tendermint_bugs::ProposeWithOldQuorum, "agreement broken_lock");
        Add("T7", 4, tendermint_bugs::CatchUp, "proposer_agreement");
    }

  private:
    /// See BugTestCase.
    void Add(const std::string& name,
             uint32_t replicas,
             void (*play)(TendermintGroup&, const tendermint_bugs::Look&),
             const std::string& violated)
    {
        const uint32_t gossipTicks = play == tendermint_bugs::CatchUp ? 3 : 1000;
        const auto make = [replicas, gossipTicks](TendermintBug bug) {
            return std::make_unique<TendermintGroup>(replicas, gossipTicks, bug);
        };
        AddTestCase(
            new tendermint_bugs::Case(name, TENDERMINT_BUGS.Find(name), make, play, violated),
            Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static TendermintBugsTestSuite g_tendermintBugsTestSuite;
