// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_REPLICA_H
#define TENDERMINT_REPLICA_H

#include "replica-application.h"
#include "tendermint-core.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/**
 * @brief A replica that keeps its log by Tendermint; see TendermintCore.
 *
 * Entries of its log are decisions: the term is the round.
 */
class TendermintReplica : public ReplicaApplication
{
  public:
    /// Positions of ReplicaState::values.
    enum Field : uint8_t
    {
        HEIGHT,
        ROUND,
        STEP,
        HAVE_PROPOSAL,
        LOCKED,
        LOCKED_ROUND,
        VALID,
        VALID_ROUND,
        PROPOSER,
        PREVOTES,
        PRECOMMITS,
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param parameters How it is set up; numbers of replicas are overwritten.
     */
    void SetParameters(const TendermintParameters& parameters);

    std::string Describe(Ptr<const Packet> packet) const override;

  private:
    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    void OnTick() override;
    bool OnSubmit(uint32_t request) override;
    void OnMessage(uint32_t from, Ptr<const Packet> packet) override;
    void OnByzantine() override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;
    Ptr<StableStorage> MakeStorage() const override;

    void AnswerDecided(); //!< Answer clients whose requests are decided

    std::set<uint32_t> m_waiting;         //!< Requests whose clients wait for an answer
    std::size_t m_answered{0};            //!< Heights that were looked at for that
    Ptr<TendermintStorage> m_disk;        //!< While the process runs
    std::optional<TendermintCore> m_core; //!< While the process runs
    TendermintParameters m_parameters;    //!< How it is set up
};

} // namespace ns3

#endif // TENDERMINT_REPLICA_H
