// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_AGENT_APP_H
#define TESTER_AGENT_APP_H

#include "colored-partition.h"
#include "painter.h"
#include "partition-controller.h"
#include "tester-actions.h"
#include "tester-parameters.h"

#include "ns3/agent-application.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Tests replicas: it partitions their network, stops and starts them, and hands over
 * requests.
 *
 * A decision is a number of TesterActions. A step that partitions the network, or leaves it as it
 * is, takes some ticks, each other one a tick. Before each tick messages within blocks are
 * delivered, and others dropped. After the last one the tester decides again.
 *
 * Its observation is {"action_mask": Box of n x int8, "observation": Box of float}: for each slot
 * the features of the colour, the block divided by the number of replicas, whether the replica
 * runs, whether it is Byzantine (never); then repeat count, pending requests, stops that are left
 * and steps so far, each as a share of its largest value.
 */
class TesterAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~TesterAgentApp() override;

    /**
     * Say what is tested.
     *
     * @param parameters What it may do, and sees.
     * @param protocol Of the replicas; it lives as long as this.
     */
    void SetTest(const TesterParameters& parameters, ReplicaProtocol& protocol);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @param index Number of the action that was chosen.
     * @return the action that is taken instead, which the mask allows
     */
    uint32_t FindLegal(uint32_t index) const;

    /**
     * Stop or start a replica of a colour.
     *
     * @param action Which it is, and a slot with the colour.
     */
    void Switch(TesterAction action);

    void BeginTick();  //!< Deliver and drop messages, and let a tick pass
    void OnTicked();   //!< All replicas have reported
    void FinishStep(); //!< Look at what has become of the replicas, and decide or end

    std::vector<float> GetFeatures() const; //!< @return what is observed beside the mask
    bool IsOutOfBounds() const;             //!< @return whether a replica is beyond the boundary
    std::string GetStateText() const;       //!< @return what a tester sees, as JSON
    std::string GetConcreteText() const;    //!< @return all that decides what happens next
    std::string GetReplicasText() const;    //!< @return states of all replicas, as JSON

    TesterParameters m_parameters;                     //!< What it may do
    ReplicaProtocol* m_protocol{nullptr};              //!< Of the replicas
    std::map<std::size_t, int64_t> m_boundary;         //!< Largest values, by field
    std::unique_ptr<PartitionController> m_controller; //!< Handles the replicas
    std::unique_ptr<Painter> m_painter;                //!< What is seen of them
    std::unique_ptr<TesterActions> m_actions;          //!< What can be done
    std::unique_ptr<ColoredPartition> m_partition;     //!< Who can talk with whom
    std::vector<int8_t> m_mask;                        //!< What is allowed now
    std::string m_text;                                //!< Of the partition
    std::string m_concreteHash;                        //!< Of all
    uint32_t m_repeats{0};                             //!< Of the coloured partition
    uint32_t m_crashes{0};                             //!< Stops so far
    uint32_t m_steps{0};                               //!< So far
    uint32_t m_ticksLeft{0};                           //!< Of this step
    bool m_isFirstTick{true};                          //!< Of this step
    uint32_t m_delivered{0};                           //!< Messages, in this step
    uint32_t m_dropped{0};                             //!< Messages, in this step
    std::vector<std::string> m_violations;             //!< In this step
};

} // namespace ns3

#endif // TESTER_AGENT_APP_H
