// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_AGENT_APP_H
#define TESTER_AGENT_APP_H

#include "log-text.h"
#include "test-session.h"
#include "tester-actions.h"

#include "ns3/agent-application.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Tests replicas: it partitions their network, stops and starts them, and hands over
 * requests; or has one of these roles, beside others on its node.
 *
 * A decision is a number of TesterActions; see TestSession for what a step is.
 *
 * Its observation is {"action_mask": Box of n x int8, "observation": Box of float}: for each slot
 * the features of the colour, the block divided by the number of replicas, whether the replica
 * runs, whether it is Byzantine. Then repeat count, pending requests, stops that are left and steps
 * so far, each as a share of its largest value.
 */
class TesterAgentApp : public AgentApplication, public TestPlayer
{
  public:
    /**
     * Test replicas that it is connected with; it begins, and other players may join.
     *
     * @param parameters The allowed actions.
     * @param protocol Protocol of the replicas; it lives as long as this.
     */
    void Host(const TesterParameters& parameters, ReplicaProtocol& protocol);

    /**
     * Take part in the test of another one, after all who have joined so far.
     *
     * @param host The agent that is connected with the replicas.
     * @param role The role.
     */
    void Join(Ptr<TesterAgentApp> host, TesterRole role);

    void Ask() override;
    void Earn(double reward) override;
    void End(bool terminated) override;

  private:
    void DoDispose() override;
    void StartApplication() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * Take part in a test.
     *
     * @param session The test.
     * @param role The role.
     */
    void Play(const std::shared_ptr<TestSession>& session, TesterRole role);

    void Look(); //!< See how things stand

    /**
     * @param index Number of the action that was chosen.
     * @return the action that is taken instead, which the mask allows
     */
    uint32_t FindLegal(uint32_t index) const;

    std::vector<float> GetFeatures() const;  //!< @return what is observed beside the mask
    void AddStates(OpenGymInfo& info) const; //!< @param info gets what is known of replicas
    std::string GetReplicasText() const;     //!< @return states of all replicas, as JSON
    std::string GetActionHashes() const;     //!< @return hashes of allowed actions, a line each
    std::string GetMessagesText() const;     //!< @return what became of messages, as JSON

    std::shared_ptr<TestSession> m_session;   //!< The test
    std::unique_ptr<TesterActions> m_actions; //!< The possible actions
    TesterRole m_role{TesterRole::TESTER};    //!< The role
    bool m_hosts{false};                      //!< It is connected with the replicas
    mutable std::vector<LogText> m_logs;      //!< Of all replicas, as they were reported last
    std::vector<int8_t> m_mask;               //!< The actions that are allowed now
};

} // namespace ns3

#endif // TESTER_AGENT_APP_H
