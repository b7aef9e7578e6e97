// SPDX-License-Identifier: GPL-2.0-only

#include "test-scenario.h"

#include "ns3/data-rate.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;

namespace
{

/** @return the space of a Ticker's observations and actions */
Ptr<OpenGymSpace>
GetTickerSpace()
{
    return MakeDiscreteSpace(10);
}

/** The parameters of the test scenario. */
struct Parameters
{
    bool verbose{false};          //!< A boolean
    uint8_t carts{1};             //!< An integer with a range
    int64_t offset{-3};           //!< An integer without a range
    double loss{0.5};             //!< A number with a range
    std::string label{"none"};    //!< A text
    Time delay{MilliSeconds(10)}; //!< A time with a range
    DataRate rate{"5Mbps"};       //!< A data rate
    std::string transport{"udp"}; //!< A choice

    /** @param simulation Simulation that declares the parameters. */
    void Declare(RlSimulation& simulation)
    {
        simulation.AddValue("verbose", "Say more", verbose);
        simulation.AddValue("carts", "Number of carts", carts, 1, 16);
        simulation.AddValue("offset", "Some offset", offset);
        simulation.AddValue("loss", "Share of packets lost", loss, 0, 1);
        simulation.AddValue("label", "Any text", label);
        simulation.AddValue("delay", "One-way delay", delay, Seconds(0), Seconds(1));
        simulation.AddValue("rate", "Rate of the link", rate);
        simulation.AddChoice("transport", "How messages travel", transport, {"simple", "udp"});
    }
};

} // namespace

Ticker::Ticker()
{
    auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb("ticker", MakeCallback(&GetTickerSpace));
    interface->SetGetActionSpaceCb("ticker", MakeCallback(&GetTickerSpace));
    Simulator::Schedule(Time(0), &Ticker::Tick, this);
}

void
Ticker::Tick()
{
    OpenGymMultiAgentInterface::Get()->NotifyCurrentState("ticker",
                                                          MakeDiscreteContainer(m_last),
                                                          1,
                                                          false,
                                                          {},
                                                          Time(0),
                                                          MakeCallback(&Ticker::Act, this));
    Simulator::Schedule(MilliSeconds(1), &Ticker::Tick, this);
}

void
Ticker::Act(Ptr<OpenGymDataContainer> action)
{
    m_last = DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
    std::cout << m_last << ' ';
}

int
RunTestScenario(int argc, char** argv)
{
    RlSimulation simulation("test-scenario");
    Parameters p;
    p.Declare(simulation);
    simulation.Parse(argc, argv);
    if (p.label == "contradiction")
    {
        simulation.Refuse("label contradicts everything");
    }
    std::cout << p.verbose << ' ' << +p.carts << ' ' << p.offset << ' ' << p.loss << ' ' << p.label
              << ' ' << p.delay.GetMicroSeconds() << ' ' << p.rate.GetBitRate() << ' '
              << p.transport << std::endl;
    Ticker ticker;
    return simulation.Run(MilliSeconds(3));
}

bool
HasLine(const std::string& text, const std::string& line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}
