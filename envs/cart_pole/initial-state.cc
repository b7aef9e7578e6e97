// SPDX-License-Identifier: GPL-2.0-only

#include "initial-state.h"

#include <sstream>

namespace ns3
{

namespace
{

std::optional<CartPoleState>
ParseState(const std::string& text)
{
    std::istringstream stream(text);
    CartPoleState state;
    char c1 = 0;
    char c2 = 0;
    char c3 = 0;
    stream >> state.x >> c1 >> state.xDot >> c2 >> state.theta >> c3 >> state.thetaDot;
    const bool complete = !stream.fail() && stream.peek() == EOF;
    if (!complete || c1 != ',' || c2 != ',' || c3 != ',')
    {
        return std::nullopt;
    }
    return state;
}

} // namespace

std::optional<InitialStates>
InitialStates::Parse(const std::string& text)
{
    InitialStates states;
    if (text.empty())
    {
        return states;
    }
    if (text.find(':') == std::string::npos)
    {
        states.m_all = ParseState(text);
        return states.m_all ? std::optional(states) : std::nullopt;
    }
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ';');)
    {
        std::istringstream stream(part);
        uint32_t cart = 0;
        char colon = 0;
        std::string rest;
        stream >> cart >> colon >> rest;
        const auto state = ParseState(rest);
        if (stream.fail() || colon != ':' || !state)
        {
            return std::nullopt;
        }
        states.m_single[cart] = *state;
    }
    return states;
}

std::optional<CartPoleState>
InitialStates::Get(uint32_t cart) const
{
    const auto it = m_single.find(cart);
    return it == m_single.end() ? m_all : std::optional(it->second);
}

} // namespace ns3
