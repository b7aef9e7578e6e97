// SPDX-License-Identifier: GPL-2.0-only

#ifndef STANDARD_PROTOCOL_H
#define STANDARD_PROTOCOL_H

#include "replica-protocol.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The facts of a protocol for testers, known before an episode.
 */
struct ProtocolFacts
{
    std::string name;                 //!< The value of parameter `protocol`
    std::string parameters;           //!< Names of the protocol's parameters, as a text
    std::string painter;              //!< The default painter
    std::vector<std::string> bugs;    //!< Names of seeded bugs
    ReplicaTraffic traffic;           //!< Largest number of messages between replicas in a tick
    std::vector<ReplicaField> fields; //!< The types of the values of states
    std::size_t progress;             //!< Field whose sum over all replicas grows with work
};

/**
 * @brief A protocol with its own parameters, and with oracles that find violations.
 *
 * @tparam Parameters Parameters of the protocol.
 * @tparam Oracles Find violations, by Check(group).
 */
template <typename Parameters, typename Oracles>
class StandardProtocol : public ReplicaProtocol
{
  public:
    /**
     * @param facts Facts of the protocol for testers.
     */
    explicit StandardProtocol(ProtocolFacts facts)
        : m_facts(std::move(facts))
    {
    }

    std::string GetName() const override
    {
        return m_facts.name;
    }

    std::string FindContradiction(bool chosen, Time tick) const override
    {
        if (chosen)
        {
            return FindFault(tick);
        }
        return m_parameters == Parameters{}
                   ? ""
                   : m_facts.parameters + " are parameters of protocol=" + m_facts.name +
                         "; leave them out";
    }

    std::string GetDefaultPainter() const override
    {
        return m_facts.painter;
    }

    std::vector<std::string> GetBugs() const override
    {
        return m_facts.bugs;
    }

    ReplicaTraffic GetTraffic() const override
    {
        return m_facts.traffic;
    }

    const std::vector<ReplicaField>& GetFields() const override
    {
        return m_facts.fields;
    }

    int64_t GetProgress(const ReplicaGroup& group) const override
    {
        return std::accumulate(group.states.begin(),
                               group.states.end(),
                               int64_t{0},
                               [this](int64_t sum, const ReplicaState& state) {
                                   return sum + state.values[m_facts.progress];
                               });
    }

    std::vector<std::string> Check(const ReplicaGroup& group) override
    {
        return m_oracles.Check(group);
    }

  protected:
    Parameters m_parameters; //!< Parameters of the protocol

  private:
    /**
     * @param tick Simulated time of a tick.
     * @return a fault of the parameters, with its remedy; or an empty string
     */
    virtual std::string FindFault(Time tick) const = 0;

    ProtocolFacts m_facts; //!< Facts for testers
    Oracles m_oracles;     //!< The guarantees
};

} // namespace ns3

#endif // STANDARD_PROTOCOL_H
