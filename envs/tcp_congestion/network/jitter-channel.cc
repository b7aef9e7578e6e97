// SPDX-License-Identifier: GPL-2.0-only

#include "jitter-channel.h"

#include "ns3/double.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(JitterChannel);

TypeId
JitterChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::JitterChannel")
                            .SetParent<PointToPointChannel>()
                            .SetGroupName("defiance")
                            .AddConstructor<JitterChannel>();
    return tid;
}

void
JitterChannel::SetJitter(Time longest, int64_t stream)
{
    m_jitter = CreateObject<UniformRandomVariable>();
    m_jitter->SetStream(stream);
    m_jitter->SetAttribute("Max", DoubleValue(longest.GetSeconds()));
}

bool
JitterChannel::TransmitStart(Ptr<const Packet> p, Ptr<PointToPointNetDevice> src, Time txTime)
{
    if (m_jitter && src == GetSource(0))
    {
        const auto now = Simulator::Now();
        m_lastEnd = std::max(m_lastEnd, now + txTime + Seconds(m_jitter->GetValue()));
        txTime = m_lastEnd - now;
    }
    return PointToPointChannel::TransmitStart(p, src, txTime);
}

} // namespace ns3
