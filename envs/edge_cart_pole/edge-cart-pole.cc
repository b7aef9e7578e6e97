// SPDX-License-Identifier: GPL-2.0-only

// Carts drive past edge nodes, and agents on edge nodes balance their poles; see card.md.

#include "cart-agent-app.h"
#include "cart-pole-environment.h"
#include "edge-mobility.h"
#include "environment-program.h"

#include "ns3/opengym-builders.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @brief Balances a cart from an edge node, and may choose its edge node.
 *
 * If it chooses, its observation has two more elements, the numbers of its own edge node and of its
 * cart's edge node, and an action is MultiDiscrete([2, edges]): the push, and the edge node to move
 * to. Otherwise both are those of CartAgentApp.
 *
 * Its infos have the same numbers as `edge/agent` and `edge/cart`.
 */
class EdgeAgentApp : public CartAgentApp
{
  public:
    /**
     * @param mobility Mobility of the agent; lives as long as the simulation.
     * @param carts Its cart, with the same number as the agent.
     * @param rules The rules about a cart that leaves its limits.
     */
    EdgeAgentApp(EdgeMobility& mobility, const AgentDevices& carts, const CartRules& rules)
        : CartAgentApp(carts, rules),
          m_mobility(mobility)
    {
    }

  private:
    Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const override
    {
        if (!ChoosesEdge())
        {
            return CartAgentApp::MakeObservation(states);
        }
        auto observed = states;
        observed.push_back(m_mobility.GetEdgeOfAgent(m_devices.first));
        observed.push_back(m_mobility.GetEdgeOfDevice(m_devices.first));
        return MakeBoxContainer(observed);
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        const auto space = CartAgentApp::GetObservationSpace();
        if (!ChoosesEdge())
        {
            return space;
        }
        const auto box = space->GetObject<OpenGymBoxSpace>();
        auto low = DynamicCast<const OpenGymBoxContainer<float>>(box->GetLow())->GetData();
        auto high = DynamicCast<const OpenGymBoxContainer<float>>(box->GetHigh())->GetData();
        const auto last = m_mobility.GetParameters().edges - 1;
        low.insert(low.end(), 2, 0);
        high.insert(high.end(), 2, last);
        auto names = box->GetElementNames();
        names.insert(names.end(), {"agent_edge", "cart_edge"});
        const auto extended = MakeBoxSpace(low, high);
        extended->SetElementNames(names);
        return extended;
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        if (!ChoosesEdge())
        {
            return CartAgentApp::GetActionSpace();
        }
        return CreateObject<OpenGymMultiDiscreteSpace>(
            std::vector<int64_t>{2, m_mobility.GetParameters().edges});
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        if (!ChoosesEdge())
        {
            CartAgentApp::InitiateAction(action);
            return;
        }
        const auto choice = action->GetObject<OpenGymMultiDiscreteContainer>();
        // Send first: a datagram under way is lost when its sender moves.
        m_mobility.MoveAgent(m_devices.first, choice->GetValue(1));
        CartAgentApp::InitiateAction(MakeDiscreteContainer(choice->GetValue(0)));
    }

    OpenGymInfo GetExtraInfo() override
    {
        return {{"edge/agent", int64_t{m_mobility.GetEdgeOfAgent(m_devices.first)}},
                {"edge/cart", int64_t{m_mobility.GetEdgeOfDevice(m_devices.first)}}};
    }

    /**
     * @return whether its action chooses an edge node
     */
    bool ChoosesEdge() const
    {
        return m_mobility.GetParameters().migration == "action";
    }

    EdgeMobility& m_mobility; //!< Mobility of the device
};

/**
 * @return the options of the deployment: agents on edge nodes, and sockets
 */
DeploymentOptions
MakeEdgeOptions()
{
    return {.scenario = "edge_cart_pole",
            .device = "cart",
            .interval = MilliSeconds(CartPole::INTERVAL_MS),
            .placements = {"remote"},
            .transports = {"udp", "tcp"},
            .accesses = {"edge"},
            .inference = false,
            .trainingServer = false};
}

/**
 * @brief Carts of cart_pole that drive past edge nodes, and agents that may move along.
 */
class EdgeCartPoleEnvironment : public CartPoleEnvironment
{
  public:
    EdgeCartPoleEnvironment()
        : CartPoleEnvironment(MakeEdgeOptions())
    {
        m_deployment.transport = "udp";
    }

    NodeContainer BuildDevices() override
    {
        m_mobility.BuildEdges();
        return CartPoleEnvironment::BuildDevices();
    }

    AccessFactory FindAccess(const std::string& access) override
    {
        return m_mobility.GetFactory();
    }

    NodeContainer MakeAgentNodes(uint32_t agents) override
    {
        return m_mobility.MakeAgentNodes(agents);
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        return CreateObject<EdgeAgentApp>(m_mobility, GetDevicesOf(agent), m_rules);
    }

    void NotifyDeployed(const RlApplicationContainer& agents) override
    {
        m_mobility.Start(agents);
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("carts", "Number of cart-poles, in a convoy.", m_carts, 1U, 100U);
        DeclareStart(simulation);
        m_mobility.Declare(simulation, GetDeployment().GetOptions().device);
    }

    std::string FindContradiction() const override
    {
        const auto fault = m_mobility.GetParameters().FindContradiction();
        return fault.empty() ? CartPoleEnvironment::FindContradiction() : fault;
    }

    EdgeMobility m_mobility; //!< Road and mobility of the devices
};

} // namespace

int
main(int argc, char* argv[])
{
    EdgeCartPoleEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
