// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_AGENT_APP_H
#define TESTER_AGENT_APP_H

#include "test-session.h"
#include "tester-actions.h"

#include "ns3/agent-application.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A log as JSON, of which only changes are written again.
 */
class LogText
{
  public:
    /**
     * @param log The log.
     * @return its entries, each as its term and request in brackets, separated by commas
     */
    const std::string& Write(const std::vector<ReplicaEntry>& log);

  private:
    std::vector<ReplicaEntry> m_log; //!< The text
    std::vector<std::size_t> m_ends; //!< End of each entry's text
    std::string m_text;              //!< The text
};

/**
 * @brief Tests replicas: it partitions their network, stops and starts them, and sends requests; or
 * it has one of these roles, beside agents of the other roles on its node.
 *
 * A decision is a number of TesterActions; see TestSession for the steps.
 *
 * Its observation is {"action_mask": Box of n x int8, "observation": Box of float}. For each slot:
 * the features of the colour, the block divided by the number of replicas, whether the replica
 * runs, whether it is Byzantine. Then: repeat count, pending requests, remaining stops and steps so
 * far, each as a share of its largest value.
 */
class TesterAgentApp : public AgentApplication, public TestPlayer
{
  public:
    /**
     * Test the replicas connected with this agent; the test begins, and other players may join.
     *
     * @param parameters The allowed actions.
     * @param protocol Protocol of the replicas; it lives as long as this object.
     */
    void Host(const TesterParameters& parameters, ReplicaProtocol& protocol);

    /**
     * Join the test of another agent, after all earlier players.
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

    void Look(); //!< Observe the session

    /**
     * @param index Number of the chosen action.
     * @return the action to execute instead, which the mask allows
     */
    uint32_t FindLegal(uint32_t index) const;

    std::vector<float> GetFeatures() const;  //!< @return observation without the mask
    void AddStates(OpenGymInfo& info) const; //!< @param info info to extend
    std::string GetReplicasText() const;     //!< @return states of all replicas, as JSON
    std::string GetActionHashes() const;     //!< @return hashes of allowed actions, a line each
    std::string GetMessagesText() const;     //!< @return fates of messages, as JSON

    std::shared_ptr<TestSession> m_session;   //!< The test
    std::unique_ptr<TesterActions> m_actions; //!< The possible actions
    TesterRole m_role{TesterRole::TESTER};    //!< The role
    bool m_hosts{false};                      //!< Whether it hosts the session
    mutable std::vector<LogText> m_logs;      //!< Last reported logs of all replicas
    std::vector<int8_t> m_mask;               //!< Currently allowed actions
};

} // namespace ns3

#endif // TESTER_AGENT_APP_H
