// SPDX-License-Identifier: GPL-2.0-only

#include "bug-test-case.h"
#include "raft-group.h"
#include "raft-oracles.h"

#include <memory>
#include <string>

using namespace ns3;

/// Histories that expose each of the bugs.
namespace raft_bugs
{

using Case = BugTestCase<RaftBug, RaftGroup, RaftOracles>;
using Look = Case::Look;

/// R1: a replica votes, crashes, and votes for another candidate in the same term.
void
VoteTwice(RaftGroup& group, const Look& look)
{
    group.Elect(1, {2});
    group.messages.clear();
    group.Start(2);
    group.Elect(3, {2});
    look({});
}

/// R2: figure 8 of Ongaro and Ousterhout (2014), with three replicas.
void
CountEarlierTerms(RaftGroup& group, const Look& look)
{
    group.Win(1, {2});
    group[1].Submit(1);
    group.Win(2, {3});
    group[2].Submit(2);
    group.Win(1, {3});
    group[1].Tick();
    group.Exchange(1, 3); // two of three have the entry of term 1
    look({});
    group.Win(2, {3});
    group[2].Tick();
    group.Exchange(2, 3);
    look({});
}

/// R3: a replica that lacks a committed entry is elected.
void
ElectWhoIsBehind(RaftGroup& group, const Look& look)
{
    group.Win(1, {2});
    group[1].Submit(1);
    group.Exchange(1, 2);
    look({});
    group.Win(3, {2});
    group[3].Submit(2);
    group.Exchange(3, 2);
    look({});
}

/// R4: a leader appends to a log with different entries.
void
AppendToAnotherLog(RaftGroup& group, const Look& look)
{
    group.Win(1, {2});
    group[1].Submit(1);
    group[1].Submit(2); // no other replica has them
    group.Win(2, {3});
    group[2].Submit(3);
    group[2].Submit(4);
    group.Exchange(2, 3);
    look({});
    group.Win(3, {2});
    group[3].Submit(5);
    group.Exchange(3, 1);
    look({});
}

/// R5: a replica's entries of an earlier term count after they were replaced.
void
AnswerLate(RaftGroup& group, const Look& look)
{
    group.Win(1, {2, 3});
    group[1].Submit(1);
    group[1].Submit(2);
    group.Deliver(1, 2);
    group.Deliver(1, 2);
    const auto late = group.messages.back(); // 2 has two entries of term 1
    group.Win(3, {4, 5});
    group[3].Submit(3);
    group.Exchange(3, 1);
    look({});
    group.Win(1, {4, 5});
    group[1].Submit(4);
    group.Exchange(1, 4);
    look({});
    group[1].Receive(late);
    look({});
}

/// R6: a duplicate message removes the entries after its own.
void
AppendLate(RaftGroup& group, const Look& look)
{
    group.Win(1, {2});
    group[1].Submit(1);
    const auto late = group.messages.front();
    group[1].Submit(2);
    group.Exchange(1, 2);
    look({});
    group[2].Receive(late);
    look({});
}

/// R7: two replicas are candidates, and their messages are lost.
void
StandForElection(RaftGroup& group, const Look& look)
{
    group.TimeOut(1);
    group.TimeOut(2);
    look({});
}

} // namespace raft_bugs

/**
 * @ingroup defiance-tests
 * @brief Bugs that Raft replicas can be seeded with.
 */
class RaftBugsTestSuite : public TestSuite
{
  public:
    RaftBugsTestSuite()
        : TestSuite("defiance-raft-bugs", Type::UNIT)
    {
        Add("R1", 3, raft_bugs::VoteTwice, "election_safety");
        Add("R2", 3, raft_bugs::CountEarlierTerms, "commit_durability state_machine_safety");
        Add("R3", 3, raft_bugs::ElectWhoIsBehind, "commit_durability state_machine_safety");
        Add("R4", 3, raft_bugs::AppendToAnotherLog, "log_matching");
        Add("R5", 5, raft_bugs::AnswerLate, "commit_durability");
        Add("R6", 3, raft_bugs::AppendLate, "commit_durability");
        Add("R7", 3, raft_bugs::StandForElection, "election_safety");
    }

  private:
    /// See BugTestCase.
    void Add(const std::string& name,
             uint32_t replicas,
             void (*play)(RaftGroup&, const raft_bugs::Look&),
             const std::string& violated)
    {
        const auto make = [replicas](RaftBug bug) {
            return std::make_unique<RaftGroup>(replicas, false, 0, bug);
        };
        AddTestCase(new raft_bugs::Case(name, RAFT_BUGS.Find(name), make, play, violated),
                    Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static RaftBugsTestSuite g_raftBugsTestSuite;
