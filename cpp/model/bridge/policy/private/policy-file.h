// SPDX-License-Identifier: GPL-2.0-only

#ifndef POLICY_FILE_H
#define POLICY_FILE_H

#include "defiance/v1/environment.pb.h"
#include "defiance/v1/policy_file.pb.h"
#include "onnx-session.h"

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-space.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A policy that was exported to ONNX, as proto/defiance/v1/policy_file.proto says.
 */
class PolicyFile
{
  public:
    /**
     * Read the file and load its network; throw PolicyFault when that cannot be.
     *
     * @param path Path of the file.
     */
    explicit PolicyFile(std::string path);

    /**
     * Load the policy of a fragment, which samples: it has the input "noise", and no state. Throw
     * PolicyFault when it cannot be loaded.
     *
     * @param name The name in messages.
     * @param model The contents of its file.
     */
    PolicyFile(std::string name, const std::string& model);

    /**
     * @return how many numbers of noise it takes for a decision
     */
    std::size_t GetNoiseSize() const;

    /**
     * Throw PolicyFault unless the policy can decide for an agent.
     *
     * @param agent Name of the agent.
     * @param observations Space of its observations.
     * @param actions Space of its actions.
     */
    void CheckAgent(const std::string& agent,
                    const OpenGymSpace& observations,
                    const OpenGymSpace& actions) const;

    /**
     * Decide; throw PolicyFault when the network fails or its action is not in the space.
     *
     * @param observations Space of the observations of an agent that passed CheckAgent().
     * @param actions Space of its actions.
     * @param observation Its observation.
     * @param state Empty at the agent's first decision of an episode, and then what the last
     *        decision left there; set for the next decision.
     * @param noise The noise for samples; GetNoiseSize() numbers.
     * @return what it does
     */
    Ptr<OpenGymDataContainer> Act(const OpenGymSpace& observations,
                                  const OpenGymSpace& actions,
                                  const OpenGymDataContainer& observation,
                                  std::vector<float>& state,
                                  std::span<const float> noise = {});

  private:
    /**
     * Load the network; throw PolicyFault when it cannot be.
     *
     * @param bytes The contents of the file.
     * @param path Where the file is, beside which weights may stand; nothing: it is the policy of a
     *        fragment, which has the input "noise".
     */
    void Load(const std::string& bytes, const std::optional<std::filesystem::path>& path);

    /**
     * Find where states go in and come out; throw PolicyFault when these do not fit.
     *
     * @param graph The network.
     */
    void FindState(const defiance::v1::OnnxGraph& graph);

    /**
     * Throw PolicyFault unless a space is the one that the file is for.
     *
     * @param agent Name of the agent whose space it is.
     * @param what "observations" or "actions".
     * @param space The space.
     * @param size How many numbers a value of it has; nothing: no policy file can hold it.
     * @param tensor Where values of it go in or come out.
     * @param expected The space that the file is for, if it says so.
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
    PolicyFault Fault(const std::string& message) const;

    std::string m_name;                                    //!< The name in messages
    std::optional<defiance::v1::Space> m_observationSpace; //!< The purpose, if the file has one
    std::optional<defiance::v1::Space> m_actionSpace;      //!< Likewise
    OnnxTensor m_input;                                    //!< Where observations go in
    std::optional<OnnxTensor> m_noise;                     //!< Where noise goes in, if it does
    std::optional<OnnxTensor> m_state;                     //!< Where states go in, if they do
    std::optional<OnnxTensor> m_nextState;                 //!< Where states come out, likewise
    OnnxTensor m_output;                                   //!< Where actions come out
    std::unique_ptr<OnnxSession> m_session;                //!< The network
    std::vector<float> m_flat;                             //!< The observation as numbers
};

} // namespace ns3

#endif /* POLICY_FILE_H */
