// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_PROTOCOL_H
#define TENDERMINT_PROTOCOL_H

#include "replica-protocol.h"
#include "tendermint-oracles.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What a tester has to know of Tendermint.
 */
class TendermintProtocol : public ReplicaProtocol
{
  public:
    std::string GetName() const override;
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction(bool chosen, Time tick) const override;
    std::string GetDefaultPainter() const override;
    std::vector<std::string> GetBugs() const override;
    bool AnswersClients() const override;
    ReplicaTraffic GetTraffic() const override;
    bool ToleratesByzantine() const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    const std::vector<ReplicaField>& GetFields() const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    int64_t GetProgress(const ReplicaGroup& group) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::vector<std::string> Check(const ReplicaGroup& group) override;

  private:
    /// Its parameters.
    struct Parameters
    {
        Time propose{MilliSeconds(200)};   //!< Timeout for a proposal, in round 0
        Time prevote{MilliSeconds(100)};   //!< Timeout for prevotes to agree, in round 0
        Time precommit{MilliSeconds(100)}; //!< Timeout for precommits to agree, in round 0
        Time commit{MilliSeconds(100)};    //!< Pause between a decision and the next height
        Time delta{MilliSeconds(20)};      //!< What the first three grow by with each round
        uint32_t gossipTicks{5};           //!< Without a step until a replica tells what it knows

        bool operator==(const Parameters&) const = default;
    };

    Parameters m_parameters;     //!< Its parameters
    TendermintOracles m_oracles; //!< What may never be
};

} // namespace ns3

#endif // TENDERMINT_PROTOCOL_H
