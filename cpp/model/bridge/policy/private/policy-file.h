// SPDX-License-Identifier: GPL-2.0-only

#ifndef POLICY_FILE_H
#define POLICY_FILE_H

#include "defiance/v1/environment.pb.h"
#include "onnx-session.h"

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-space.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A policy exported to ONNX, as docs/training/export.md describes it.
 */
class PolicyFile
{
  public:
    /**
     * Read the file and load its network; throw PolicyFault on a failure.
     *
     * @param path Path of the file.
     */
    explicit PolicyFile(std::string path);

    /**
     * Load the policy of a fragment, which samples: it has the input "noise", and no state. Throw
     * PolicyFault on a failure.
     *
     * @param name Name in messages.
     * @param model Content of the policy's file.
     */
    PolicyFile(std::string name, const std::string& model)
        : m_name(std::move(name))
    {
        Load(model, true);
    }

    /**
     * @return the number of noise values for a decision
     */
    std::size_t GetNoiseSize() const
    {
        return m_noise ? m_noise->size : 0;
    }

    /**
     * Throw PolicyFault unless the policy can decide for an agent.
     *
     * @param agent Name of the agent.
     * @param observations Space of the agent's observations.
     * @param actions Space of the agent's actions.
     */
    void CheckAgent(const std::string& agent,
                    const OpenGymSpace& observations,
                    const OpenGymSpace& actions) const;

    /**
     * Decide; throw PolicyFault when the network fails or its action is not in the space.
     *
     * @param observations Space of the observations of an agent that passed CheckAgent().
     * @param actions Space of the agent's actions.
     * @param observation Observation of the agent.
     * @param state Empty at the agent's first decision of an episode, and then the result of the
     * last decision; set for the next decision.
     * @param noise The noise for samples; GetNoiseSize() numbers.
     * @return the action
     */
    Ptr<OpenGymDataContainer> Act(const OpenGymSpace& observations,
                                  const OpenGymSpace& actions,
                                  const OpenGymDataContainer& observation,
                                  std::vector<float>& state,
                                  std::span<const float> noise = {});

  private:
    /**
     * Load the network; throw PolicyFault on a failure.
     *
     * @param bytes Content of the file.
     * @param hasNoise Whether it is the policy of a fragment, which has the input "noise".
     */
    void Load(const std::string& bytes, bool hasNoise);

    /**
     * Find input and output of states; throw PolicyFault when they do not fit.
     *
     * @param network The network.
     */
    void FindState(const OnnxNetwork& network);

    /**
     * Throw PolicyFault unless a space is the file's space.
     *
     * @param agent Name of the space's agent.
     * @param what "observations" or "actions".
     * @param space The space.
     * @param size Size of its values; nothing: no policy file supports it.
     * @param tensor Input or output of its values.
     * @param expected The file's space, if known.
     */
    void CheckSpace(const std::string& agent,
                    const std::string& what,
                    const OpenGymSpace& space,
                    std::optional<std::size_t> size,
                    const OnnxTensor& tensor,
                    const std::optional<defiance::v1::Space>& expected) const;

    /**
     * @param message The fault of the file.
     * @return the error
     */
    PolicyFault Fault(const std::string& message) const
    {
        return PolicyFault(m_name + ": " + message);
    }

    std::string m_name;                                    //!< The name in messages
    std::optional<defiance::v1::Space> m_observationSpace; //!< Space of observations, if known
    std::optional<defiance::v1::Space> m_actionSpace;      //!< Space of actions, if known
    OnnxTensor m_input;                                    //!< Input of observations
    std::optional<OnnxTensor> m_noise;                     //!< Input of noise, if there is one
    std::optional<OnnxTensor> m_state;                     //!< Input of states, if there is one
    std::optional<OnnxTensor> m_nextState;                 //!< Output of states, if there is one
    OnnxTensor m_output;                                   //!< Output of actions
    std::unique_ptr<OnnxSession> m_session;                //!< The network
    std::vector<float> m_flat;                             //!< The observation as numbers
};

} // namespace ns3

#endif /* POLICY_FILE_H */
