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
 * @brief A history in which a mistake violates a property, and which is nothing without it.
 *
 * @tparam Bug The mistakes of a protocol.
 * @tparam Group Its replicas.
 * @tparam Oracles What finds violations.
 */
template <typename Bug, typename Group, typename Oracles>
class BugTestCase : public TestCase
{
  public:
    /// Has oracles look at what is now, and spare liars.
    using Look = std::function<void(const std::set<uint32_t>&)>;
    using History = std::function<void(Group&, const Look&)>; //!< What happens
    using Maker = std::function<std::unique_ptr<Group>(Bug)>; //!< Makes replicas with a mistake

    /**
     * @param name Of the mistake.
     * @param bug The mistake.
     * @param make Makes the replicas.
     * @param play What happens.
     * @param violated Properties that are violated, in alphabetical order.
     */
    BugTestCase(const std::string& name, Bug bug, Maker make, History play, std::string violated)
        : TestCase(name + " is found by its history, and nothing without it"),
          m_bug(bug),
          m_make(std::move(make)),
          m_play(std::move(play)),
          m_violated(std::move(violated))
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ((m_bug != Bug::NONE), true, "It is one of them");
        NS_TEST_EXPECT_MSG_EQ(Play(Bug::NONE), "", "There is nothing to be found");
        NS_TEST_EXPECT_MSG_EQ(Play(m_bug), m_violated, "What is violated");
    }

    /**
     * @param bug A mistake, or none.
     * @return properties that are violated, in alphabetical order
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

    Bug m_bug;              //!< The mistake
    Maker m_make;           //!< Makes the replicas
    History m_play;         //!< What happens
    std::string m_violated; //!< Properties that are violated, in alphabetical order
};

} // namespace ns3

#endif // BUG_TEST_CASE_H
