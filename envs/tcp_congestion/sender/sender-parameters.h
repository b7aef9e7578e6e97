// SPDX-License-Identifier: GPL-2.0-only

#ifndef SENDER_PARAMETERS_H
#define SENDER_PARAMETERS_H

#include "ns3/nstime.h"
#include "ns3/rl-per-agent.h"
#include "ns3/rl-simulation.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint32_t HEADERS = 20 + 20 + 12; //!< IP, TCP and time stamps, in bytes

const std::map<std::string, std::string> ALGORITHMS{{"newreno", "ns3::TcpNewReno"},
                                                    {"linux_reno", "ns3::TcpLinuxReno"},
                                                    {"cubic", "ns3::TcpCubic"},
                                                    {"bbr", "ns3::TcpBbr"},
                                                    {"vegas", "ns3::TcpVegas"},
                                                    {"veno", "ns3::TcpVeno"},
                                                    {"westwood", "ns3::TcpWestwoodPlus"},
                                                    {"illinois", "ns3::TcpIllinois"},
                                                    {"ledbat", "ns3::TcpLedbat"}};

/**
 * @return the names of ns-3's algorithms
 */
inline std::vector<std::string>
GetAlgorithms()
{
    std::vector<std::string> names;
    for (const auto& [name, type] : ALGORITHMS)
    {
        names.push_back(name);
    }
    return names;
}

/**
 * @param flow Number of a flow.
 * @return the name of the flow's agent
 */
inline std::string
GetAgent(uint32_t flow)
{
    return "agent_" + std::to_string(flow);
}

/**
 * @brief The senders of tcp_congestion, their times, and the source of their rates.
 */
struct SenderParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation)
    {
        auto algorithms = GetAlgorithms();
        simulation.AddValue("flows", "Number of flows, each with an agent.", flows, 1U, 100U);
        simulation.AddChoice("cross_traffic",
                             "ns-3 congestion control of the cross traffic.",
                             crossTraffic,
                             algorithms);
        simulation.AddValue("cross_flows",
                            "Number of flows of cross traffic.",
                            crossFlows,
                            0U,
                            100U);
        algorithms.insert(algorithms.begin(), "agent");
        simulation.AddChoicePerAgent(
            "algorithm",
            "Control of senders: the agent, or an ns-3 algorithm. With an algorithm, agents "
            "observe and are rewarded, but their actions have no effect.",
            algorithm,
            algorithms);
        simulation.AddChoice(
            "control",
            "Quantity that agents set: the congestion window or the pacing rate once in each "
            "monitor interval, or windows and thresholds at each TCP call.",
            control,
            {"window", "rate", "per_ack"});
        simulation.AddChoice("action_space",
                             "Changes of windows and rates: in steps, by one of nine factors, or "
                             "by any factor from 0.5 to 2.",
                             actionSpace,
                             {"discrete", "proportional", "continuous"});
        simulation.AddChoice(
            "observation",
            "Observations: in segments, ms and Mb/s; relative to the greatest throughput and the "
            "smallest delay so far; or logarithms of such ratios in the last four intervals.",
            observation,
            {"absolute", "relative", "history"});
        simulation.AddValue("interval",
                            "Monitor interval; 0: the smoothed round trip time of each flow.",
                            interval,
                            Time(0),
                            Seconds(10));
        simulation.AddValue("join_interval",
                            "Interval between the starts of two flows.",
                            joinInterval,
                            Time(0),
                            Hours(1));
        simulation.AddValue("stay",
                            "Duration of a flow; 0: until the end.",
                            stay,
                            Time(0),
                            Hours(24));
        simulation.AddValue("start_jitter",
                            "Maximum random delay of the start of each flow.",
                            startJitter,
                            Time(0),
                            Seconds(10));
        simulation.AddValue("segment_size",
                            "Payload of a segment in bytes.",
                            segmentSize,
                            64U,
                            1448U);
        simulation.AddValue("initial_window",
                            "First congestion window in segments.",
                            initialWindow,
                            1U,
                            1000U);
        simulation.AddValue(
            "max_window",
            "Maximum congestion window, in segments, that agents set once in an interval.",
            maxWindow,
            2U,
            100'000U);
        simulation.AddValue("socket_buffer",
                            "Buffers of senders and receivers, bytes.",
                            socketBuffer,
                            16'384U,
                            1U << 30);
        simulation.AddValue(
            "min_rto",
            "Shortest retransmission timeout; receivers delay acknowledgements for up to 200 ms.",
            minRto,
            MilliSeconds(250),
            Seconds(10));
        simulation.AddChoice("recovery",
                             "Loss recovery, unless agents set windows once in an interval: "
                             "proportional rate reduction, or RFC 6582's.",
                             recovery,
                             {"prr", "classic"});
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        std::vector<std::string> agents;
        for (uint32_t flow = 0; flow < flows; flow++)
        {
            agents.push_back(GetAgent(flow));
        }
        if (const auto fault = algorithm.FindStranger("algorithm", agents); !fault.empty())
        {
            return fault;
        }
        for (uint32_t flow = 0; flow < flows; flow++)
        {
            const auto& name = GetAlgorithm(flow);
            if (name != "agent" && (control == "per_ack" || (!HasAgents() && control != "window")))
            {
                return "algorithm=" + name + " decides by itself, so control=" + control +
                       " does not apply; leave it out";
            }
        }
        if (IsPerAck() && (actionSpace != "discrete" || observation != "absolute"))
        {
            return "control=per_ack sets and observes numbers of bytes, so it needs "
                   "action_space=discrete and observation=absolute, but action_space=" +
                   actionSpace + " and observation=" + observation;
        }
        if (interval.IsStrictlyPositive() && interval < MilliSeconds(1))
        {
            return "interval must be 1ms to 10s, or 0 for a round trip time";
        }
        if (initialWindow > maxWindow)
        {
            return "initial_window=" + std::to_string(initialWindow) +
                   " is more than max_window=" + std::to_string(maxWindow);
        }
        return "";
    }

    /**
     * @return whether an agent controls any flow
     */
    bool HasAgents() const
    {
        for (uint32_t flow = 0; flow < flows; flow++)
        {
            if (GetAlgorithm(flow) == "agent")
            {
                return true;
            }
        }
        return false;
    }

    /**
     * @param flow Number of a flow.
     * @return its algorithm: agent, or the name of an ns-3 algorithm
     */
    const std::string& GetAlgorithm(uint32_t flow) const
    {
        return algorithm.Get(GetAgent(flow));
    }

    /**
     * @return whether agents decide within TCP calls
     */
    bool IsPerAck() const
    {
        return HasAgents() && control == "per_ack";
    }

    /**
     * @return length of IP packets in bytes
     */
    uint32_t GetPacketSize() const
    {
        return segmentSize + HEADERS;
    }

    /**
     * @param name Name of an ns-3 algorithm, as in the parameter.
     * @return the class
     */
    static TypeId FindAlgorithm(const std::string& name)
    {
        return TypeId::LookupByName(ALGORITHMS.at(name));
    }

    uint32_t flows{1};                   //!< Number of observed flows
    std::string control{"window"};       //!< Quantity of actions: window, rate, per_ack
    std::string actionSpace{"discrete"}; //!< Kind: discrete, proportional, continuous
    PerAgent<std::string> algorithm{std::string("agent")}; //!< agent, or an ns-3 algorithm
    Time interval{MilliSeconds(50)};     //!< Monitor interval; 0: a round trip time
    std::string observation{"absolute"}; //!< Kind: absolute, relative, history
    Time joinInterval{};                 //!< Interval between starts of flows
    Time stay{};                         //!< Duration of a flow; 0: until the end
    Time startJitter{MilliSeconds(100)}; //!< Maximum random delay of a start
    std::string crossTraffic{"cubic"};   //!< Algorithm of cross traffic
    uint32_t crossFlows{0};              //!< Number of flows of cross traffic
    uint32_t segmentSize{1448};          //!< Payload of a segment in bytes
    uint32_t initialWindow{10};          //!< Initial window in segments
    uint32_t maxWindow{1000};            //!< Largest window of agents, in segments
    uint32_t socketBuffer{1 << 20};      //!< Socket buffer in bytes
    Time minRto{Seconds(1)};             //!< Shortest retransmission timeout
    std::string recovery{"prr"};         //!< Loss recovery: prr, classic
};

} // namespace ns3

#endif // SENDER_PARAMETERS_H
