// SPDX-License-Identifier: GPL-2.0-only

// The two kinds of agents on routers.

#include "router-agent-app.h"

#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"

#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t SPLIT_STREAM = 700'000; //!< Stream of the first router
constexpr float MOST_HOPS = 255;
constexpr float MOST_ARRIVALS = 1e9F;

/**
 * @brief Chooses the port for each packet at its router, within IP's call for a route.
 *
 * Observation: Box of float32, with D the greatest number of links of a router. It has the packet's
 * destination, the number of links that it has crossed, the waiting time of a packet at each port
 * (s), and for each port whether its link works. With observation=link-state it also has, for each
 * port, the delay to the destination without queues (s). With messages it also has, for each port,
 * the known delay of packets for the destination at the neighbour (s). Action: Discrete(D), the
 * number of a port; a missing port, or one whose link has failed, loses the packet.
 */
class PacketAgentApp : public RouterAgentApp
{
  public:
    using RouterAgentApp::RouterAgentApp;

    std::optional<uint32_t> Choose(const RoutedPacket& packet) override
    {
        std::vector<float> numbers{float(packet.destination), float(packet.hops)};
        AppendPorts(numbers);
        AppendLinkStates(packet.destination, packet.destination + 1, numbers);
        m_observation = MakeBoxContainer(std::move(numbers));
        const auto action = RequestAction();
        if (!action)
        {
            return std::nullopt;
        }
        return static_cast<uint32_t>(action->GetObject<OpenGymDiscreteContainer>()->GetValue());
    }

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        const auto routers = GetRouter().GetGraph().CountRouters();
        std::vector<float> high{float(routers - 1), MOST_HOPS};
        std::vector<std::string> names{"destination", "hops"};
        const auto add = [&](const std::string& name, float most) {
            for (uint32_t port = 0; port < CountPorts(); port++)
            {
                high.push_back(most);
                names.push_back(name + "_" + std::to_string(port));
            }
        };
        add("waiting_s", LONGEST);
        add("works", 1);
        for (const auto& name : GetLinkStateNames())
        {
            add(name, LONGEST);
        }
        const auto space = MakeBoxSpace(std::vector<float>(high.size()), high);
        space->SetElementNames(names);
        return space;
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(CountPorts());
    }
};

/**
 * @brief Decides once in an epoch how its router splits packets among ports, by destination.
 *
 * Observation: Box of float32, with N routers and D the greatest number of links of a router. It
 * has for each port the waiting time of a packet (s), and whether its link works; for each
 * destination the number of its packets in the last epoch. With observation=link-state it also has,
 * for each destination and port, the delay (s). With messages it also has, for each destination and
 * port, the waiting time of packets at the neighbour (s). Action: Box of N x D float32 from 0 to 1,
 * in one axis: the weight of port p for packets to destination d, at d * D + p. If no working port
 * has a weight, all working ports have the same weight. Until the first action, ns-3's global
 * routing decides.
 */
class SplitAgentApp : public RouterAgentApp
{
  public:
    using RouterAgentApp::RouterAgentApp;

    std::optional<uint32_t> Choose(const RoutedPacket& packet) override
    {
        m_arrived[packet.destination]++;
        if (m_weights.empty())
        {
            return std::nullopt;
        }
        const auto weights = GetWeights(packet.destination);
        const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        auto rest = m_uniform->GetValue() * sum;
        std::optional<uint32_t> drawn;
        for (uint32_t port = 0; port < weights.size(); port++)
        {
            if (weights[port] > 0)
            {
                drawn = port;
                rest -= weights[port];
                if (rest < 0)
                {
                    break;
                }
            }
        }
        return drawn;
    }

    void Setup() override
    {
        SetAttribute("StepInterval", TimeValue(GetParameters().interval));
        m_arrived.resize(GetRouter().GetGraph().CountRouters());
        m_uniform->SetStream(SPLIT_STREAM + GetRouter().GetNumber());
        RouterAgentApp::Setup();
    }

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        const auto routers = GetRouter().GetGraph().CountRouters();
        std::vector<float> high(CountPorts(), LONGEST);
        high.insert(high.end(), CountPorts(), 1);
        high.insert(high.end(), routers, MOST_ARRIVALS);
        const auto linkStates = GetLinkStateNames().size() * routers * CountPorts();
        high.insert(high.end(), linkStates, LONGEST);
        return MakeBoxSpace(std::vector<float>(high.size()), high);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeBoxSpace<float>(GetRouter().GetGraph().CountRouters() * CountPorts(), 0, 1);
    }

    Ptr<OpenGymDataContainer> Observe() override
    {
        const auto routers = GetRouter().GetGraph().CountRouters();
        std::vector<float> numbers;
        AppendPorts(numbers);
        numbers.insert(numbers.end(), m_arrived.begin(), m_arrived.end());
        m_arrived.assign(routers, 0);
        AppendLinkStates(0, routers, numbers);
        return MakeBoxContainer(std::move(numbers));
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        m_weights = action->GetObject<OpenGymBoxContainer<float>>()->GetData();
    }

    /**
     * @param destination Number of a router.
     * @return the weight of each existing port
     */
    std::vector<double> GetWeights(uint32_t destination) const
    {
        const auto& ports = GetRouter().GetPorts();
        std::vector<double> weights(ports.size());
        for (std::size_t port = 0; port < ports.size(); port++)
        {
            const auto weight = m_weights[destination * CountPorts() + port];
            weights[port] = ports[port]->IsUp() && weight > 0 ? weight : 0;
        }
        if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0)
        {
            for (std::size_t port = 0; port < ports.size(); port++)
            {
                weights[port] = ports[port]->IsUp() ? 1 : 0;
            }
        }
        return weights;
    }

    std::vector<float> m_weights; //!< Weights by destination and port; empty: none
    std::vector<float> m_arrived; //!< Packets of this epoch, by destination
    /// Draws ports.
    Ptr<UniformRandomVariable> m_uniform{CreateObject<UniformRandomVariable>()};
};

} // namespace

Ptr<RouterAgentApp>
RouterAgentApp::Make(Ptr<Router> router, const RoutingAgentParameters& parameters)
{
    if (parameters.IsPerPacket())
    {
        return CreateObject<PacketAgentApp>(router, parameters);
    }
    return CreateObject<SplitAgentApp>(router, parameters);
}

} // namespace ns3
