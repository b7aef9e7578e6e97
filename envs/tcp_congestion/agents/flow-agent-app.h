// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_AGENT_APP_H
#define FLOW_AGENT_APP_H

#include "device-agent-application.h"
#include "flow-features.h"
#include "interval-control.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Changes the window of a sender, or its pacing rate if it is paced.
 *
 * | Discrete | window | pacing rate |
 * |---|---|---|
 * | 0 | half | half |
 * | 1 | a segment less | 5 % less |
 * | 2 | as it is | as it is |
 * | 3 | a segment more | 5 % more |
 * | 4 | double | double |
 *
 * Proportional: Discrete(9) multiplies window or pacing rate by 2^a, where a is -1, -1/2, -1/4,
 * -1/8, 0, 1/8, 1/4, 1/2 or 1. Continuous: a is the number of a Box of 1 x float32, from -1 to 1.
 */
struct FlowActions
{
    static constexpr int64_t STEPS = 5;        //!< Number of discrete actions
    static constexpr int64_t PROPORTIONAL = 9; //!< Number of proportional actions
    static constexpr std::array<double, STEPS> FACTORS{0.5, 0.95, 1, 1.05, 2};
    static constexpr std::array<double, PROPORTIONAL>
        EXPONENTS{-1, -0.5, -0.25, -0.125, 0, 0.125, 0.25, 0.5, 1};
    static constexpr std::array<int, STEPS> SEGMENTS{0, -1, 0, 1, 0};

    /**
     * Execute an action.
     *
     * @param action The action.
     * @param proportional Whether a Discrete is a proportional action.
     * @param control The control to change.
     * @param segmentSize Size in bytes.
     */
    static void Execute(Ptr<OpenGymDataContainer> action,
                        bool proportional,
                        IntervalControl& control,
                        uint32_t segmentSize)
    {
        const bool paced = control.GetRate() > 0;
        double factor = 1;
        if (const auto step = DynamicCast<OpenGymDiscreteContainer>(action))
        {
            const auto number = step->GetValue();
            factor = proportional ? std::exp2(EXPONENTS[number]) : FACTORS[number];
            if (const auto segments = proportional ? 0 : SEGMENTS[number]; segments != 0 && !paced)
            {
                control.SetWindow(control.GetWindow() + segments * double(segmentSize));
                return;
            }
        }
        else
        {
            const auto exponent = action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
            factor = std::exp2(std::clamp(exponent, -1.0F, 1.0F));
        }
        if (paced)
        {
            control.SetRate(control.GetRate() * factor);
        }
        else
        {
            control.SetWindow(control.GetWindow() * factor);
        }
    }
};

/**
 * @brief Sets the windows, or pacing rates, of its senders.
 *
 * It decides once at each instant with new samples, by the last known sample of each flow, and ends
 * when all its flows are known to have left. Its reward is the sum over its flows.
 *
 * Observation: Box of features of each flow, float32, in the order of the flows. Action: for one
 * flow Discrete(5), or Discrete(9) if it is proportional, for a central agent MultiDiscrete; or Box
 * of 1 x float32 for each flow, from -1 to 1.
 */
class FlowAgentApp : public DeviceAgentApplication
{
  public:
    /**
     * @param flows Flows of the agent.
     * @param features Features of a flow.
     * @param actionSpace discrete, proportional or continuous; see FlowActions.
     */
    FlowAgentApp(const AgentDevices& flows, const FlowFeatures& features, std::string actionSpace)
        : DeviceAgentApplication(flows),
          m_features(features),
          m_actionSpace(std::move(actionSpace)),
          m_left(flows.count)
    {
    }

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        std::vector<float> low;
        std::vector<float> high;
        std::vector<std::string> names;
        for (const auto& element : m_features.GetElements())
        {
            low.push_back(element.low);
            high.push_back(element.high);
            names.push_back(element.name);
        }
        return RepeatBox(low, high, names);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        if (m_actionSpace == "continuous")
        {
            return MakeBoxSpace<float>(m_devices.count, -1, 1);
        }
        return MakeChoices(m_actionSpace == "proportional" ? FlowActions::PROPORTIONAL
                                                           : FlowActions::STEPS);
    }

    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto flow = ReadState(remoteAppId, "state", m_states);
        const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        m_left[flow] = sample->Get("left")->GetObject<OpenGymDiscreteContainer>()->GetValue() == 1;
        m_observation = MakeBoxContainer(m_states);
        if (m_devices.central)
        {
            DecideSoon(); // after the samples of other flows at this instant
        }
        else
        {
            Decide();
        }
    }

    bool TakesActions(uint32_t flow) const override
    {
        return !m_left[flow];
    }

    /// or end, if all flows have left
    void Decide() override
    {
        if (std::find(m_left.begin(), m_left.end(), false) == m_left.end())
        {
            Terminate();
        }
        else
        {
            InferAction();
        }
    }

    FlowFeatures m_features;     //!< Features of a flow
    std::string m_actionSpace;   //!< Kind: discrete, proportional or continuous
    std::vector<float> m_states; //!< Last known features of each flow
    std::vector<bool> m_left;    //!< Flows that are known to have left
};

} // namespace ns3

#endif // FLOW_AGENT_APP_H
