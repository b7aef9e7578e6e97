// SPDX-License-Identifier: GPL-2.0-only

#ifndef BUG_TEST_CASE_H
#define BUG_TEST_CASE_H

#include "ns3/test.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup defiance-tests
 * @brief A history in which a bug violates a property; without the bug, the history is correct.
 *
 * @tparam Bug The bugs of a protocol.
 * @tparam Group The replicas.
 * @tparam Oracles The oracles that find violations.
 */
template <typename Bug, typename Group, typename Oracles>
class BugTestCase : public TestCase
{
  public:
    /// A function that lets oracles check the current state, except for liars.
    using Look = std::function<void(const std::set<uint32_t>&)>;
    using History = std::function<void(Group&, const Look&)>; //!< Events of a test
    using Maker = std::function<std::unique_ptr<Group>(Bug)>; //!< Makes replicas with a bug

    /**
     * @param name Name of the bug.
     * @param bug The bug.
     * @param make Makes the replicas.
     * @param play The events.
     * @param violated Violated properties, in alphabetical order.
     */
    BugTestCase(const std::string& name, Bug bug, Maker make, History play, std::string violated)
        : TestCase(name + " is found by its history, and no violation without it"),
          m_bug(bug),
          m_make(std::move(make)),
          m_play(std::move(play)),
          m_violated(std::move(violated))
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ((m_bug != Bug::NONE), true, "The case has a bug");
        NS_TEST_EXPECT_MSG_EQ(Play(Bug::NONE), "", "There is no violation without the bug");
        NS_TEST_EXPECT_MSG_EQ(Play(m_bug), m_violated, "The violated properties");
    }

    /**
     * @param bug A bug, or none.
     * @return the violated properties, in alphabetical order
     */
    std::string Play(Bug bug)
    {
        const auto group = m_make(bug);
        Oracles oracles;
        std::set<std::string> found;
        m_play(*group, [&](const std::set<uint32_t>& liars) {
            for (const auto& violation : oracles.Check(group->Look(liars)))
            {
                found.insert(violation.substr(0, violation.find(':')));
            }
        });
        std::string text;
        for (const auto& property : found)
        {
            text += (text.empty() ? "" : " ") + property;
        }
        return text;
    }

    Bug m_bug;              //!< The bug
    Maker m_make;           //!< Makes the replicas
    History m_play;         //!< Events of the test
    std::string m_violated; //!< Violated properties, in alphabetical order
};

} // namespace ns3

#endif // BUG_TEST_CASE_H
