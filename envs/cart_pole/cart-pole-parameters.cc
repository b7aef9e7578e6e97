// SPDX-License-Identifier: GPL-2.0-only

#include "cart-pole-parameters.h"

#include "initial-state.h"

#include "ns3/rl-application-id.h"

#include <sstream>

namespace ns3
{

namespace
{

const Time LONGEST_BUS = MilliSeconds(1); // each frame keeps the whole bus busy for so long
constexpr double WIFI_RANGE = 50;         // in m; signals arrive there with -82 dBm
constexpr uint32_t MOST_WIFI_CARTS = 100; // associate within a few seconds
constexpr uint32_t MOST_LTE_CARTS = 300;  // a cell has 320 subframes for sounding

/**
 * @tparam T Types of the parts.
 * @param parts Parts of a text.
 * @return the text
 */
template <typename... T>
std::string
Say(const T&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

/**
 * @param parameters Of carts that connect without a cable.
 * @return what is wrong with them, or an empty string
 */
std::string
FindRadioFault(const CartPoleParameters& parameters)
{
    const bool wifi = parameters.access == "wifi";
    if (wifi && parameters.distance > WIFI_RANGE)
    {
        return Say("access=wifi reaches ", WIFI_RANGE, " m, not distance=", parameters.distance);
    }
    const auto most = wifi ? MOST_WIFI_CARTS : MOST_LTE_CARTS;
    if (parameters.carts > most)
    {
        return Say("access=", parameters.access, " takes ", most, " carts, not ", parameters.carts);
    }
    return "";
}

/**
 * @param parameters Of carts that connect with a cable.
 * @return what is wrong with them, or an empty string
 */
std::string
FindCableFault(const CartPoleParameters& parameters)
{
    if (parameters.distance != CartPoleParameters::DEFAULT_DISTANCE)
    {
        return Say("access=", parameters.access, " is a cable: distance is for wifi and lte");
    }
    if (parameters.access == "csma" && parameters.delay > LONGEST_BUS)
    {
        return Say("access=csma senses the carrier along a bus of delay=1ms at most, not ",
                   parameters.delay.As(Time::MS),
                   "; access=point-to-point takes longer ones");
    }
    return "";
}

} // namespace

uint32_t
CartPoleParameters::GetAgents() const
{
    return placement == "central" ? 1 : carts;
}

uint32_t
CartPoleParameters::GetAgentOf(uint32_t cart) const
{
    return placement == "central" ? 0 : cart;
}

std::vector<std::string>
CartPoleParameters::GetAgentNames() const
{
    std::vector<std::string> names;
    for (uint32_t agent = 0; agent < GetAgents(); agent++)
    {
        names.push_back(RlApplicationId{ApplicationType::AGENT, agent}.ToString());
    }
    return names;
}

std::string
CartPoleParameters::FindContradiction() const
{
    const bool direct = access == "point-to-point";
    const bool local = placement == "local";
    const auto serverFault = trainingServer.FindContradiction(placement);
    if (!serverFault.empty())
    {
        return serverFault;
    }
    if (restartWhenFallen && !terminateWhenFallen)
    {
        return "restart_when_fallen=true puts carts upright that terminate_when_fallen=false lets "
               "go on";
    }
    if (local && !trainingServer.Exists() && (!direct || !delay.IsZero() || loss > 0))
    {
        return "placement=local has no access link, so access, delay and loss do not apply";
    }
    if (!local && transport == "simple" && !direct)
    {
        return Say("transport=simple sends no packets, so access=",
                   access,
                   " needs transport=udp or transport=tcp");
    }
    if (!InitialStates::Parse(initialState))
    {
        return Say("initial_state=",
                   initialState,
                   " is not x,x_dot,theta,theta_dot or cart:x,...;cart:x,...");
    }
    const bool cable = direct || access == "csma";
    const auto accessFault = cable ? FindCableFault(*this) : FindRadioFault(*this);
    return accessFault.empty() ? inference.FindContradiction(GetAgentNames()) : accessFault;
}

} // namespace ns3
