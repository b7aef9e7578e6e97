// SPDX-License-Identifier: GPL-2.0-only

// A single-agent scenario in the style of ns3-gym.

#include "ns3/core-module.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-env.h"
#include "ns3/opengym-interface.h"

using namespace ns3;

namespace
{

class CountingEnv : public OpenGymEnv
{
  public:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return CreateObject<OpenGymBoxSpace>(0.0,
                                             100.0,
                                             std::vector<uint32_t>{3},
                                             TypeNameGet<uint32_t>());
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return CreateObject<OpenGymDiscreteSpace>(4);
    }

    bool GetGameOver() override
    {
        return m_total >= 6;
    }

    Ptr<OpenGymDataContainer> GetObservation() override
    {
        auto box = CreateObject<OpenGymBoxContainer<uint32_t>>(std::vector<uint32_t>{3});
        box->AddValue(m_steps);
        box->AddValue(m_total);
        box->AddValue(7);
        return box;
    }

    float GetReward() override
    {
        return m_total;
    }

    std::string GetExtraInfo() override
    {
        return "total " + std::to_string(m_total);
    }

    bool ExecuteActions(Ptr<OpenGymDataContainer> action) override
    {
        m_total += DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
        m_steps++;
        return true;
    }

  private:
    uint32_t m_steps{0};
    uint32_t m_total{0};
};

void
Step(Ptr<CountingEnv> env)
{
    Simulator::Schedule(MilliSeconds(100), &Step, env);
    env->Notify();
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t openGymPort = 5555;
    CommandLine cmd(__FILE__);
    cmd.AddValue("openGymPort", "Port number for OpenGym env.", openGymPort);
    cmd.Parse(argc, argv);
    auto openGym = CreateObject<OpenGymInterface>(openGymPort);
    auto env = CreateObject<CountingEnv>();
    env->SetOpenGymInterface(openGym);
    Simulator::Schedule(Seconds(0), &Step, env);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    openGym->NotifySimulationEnd();
    Simulator::Destroy();
    return 0;
}
