// SPDX-License-Identifier: GPL-2.0-only

// The observations that a test session sends to its players.

#include "test-session.h"

#include <algorithm>

namespace ns3
{

bool
TestSession::IsOutOfBounds() const
{
    return std::any_of(m_states.begin(), m_states.end(), [this](const ReplicaState& state) {
        return std::any_of(m_boundary.begin(), m_boundary.end(), [&](const auto& bound) {
            return state.values[bound.first] > bound.second;
        });
    });
}

const TesterParameters&
TestSession::GetParameters() const
{
    return m_parameters;
}

const ReplicaProtocol&
TestSession::GetProtocol() const
{
    return m_protocol;
}

const Painter&
TestSession::GetPainter() const
{
    return m_painter;
}

const PartitionController&
TestSession::GetController() const
{
    return m_controller;
}

const ColoredPartition&
TestSession::GetPartition() const
{
    return m_partition;
}

const MessageDelays&
TestSession::GetDelays() const
{
    return m_delays;
}

const std::vector<ReplicaState>&
TestSession::GetStates() const
{
    return m_states;
}

const TestStep&
TestSession::GetStep() const
{
    return m_step;
}

TesterCounts
TestSession::GetCounts() const
{
    return {.crashes = m_crashes,
            .byzantine = m_byzantine,
            .canRequest = !m_requests && m_controller.CanDeliverRequest(),
            .mustHeal = m_mustHeal};
}

uint32_t
TestSession::GetRepeats() const
{
    return m_repeats;
}

uint32_t
TestSession::CountCrashesLeft() const
{
    return m_parameters.withCrashes ? m_parameters.crashLimit - m_crashes : 0;
}

std::string
TestSession::GetConcreteHash() const
{
    return m_concreteHash;
}

} // namespace ns3
