// SPDX-License-Identifier: GPL-2.0-only

#include "saturated-station.h"

#include "ns3/llc-snap-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/qos-txop.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"

#include <map>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SaturatedStation);

TypeId
SaturatedStation::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SaturatedStation").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

SaturatedStation::SaturatedStation(uint32_t payload, uint32_t depth)
    : m_payload(payload),
      m_depth(depth)
{
}

void
SaturatedStation::Attach(Ptr<WifiNetDevice> device, const Address& receiver)
{
    m_device = device;
    m_receiver = receiver;
    const auto mac = device->GetMac();
    m_window = mac->GetQosTxop(AC_BE)->GetMinCw(0);
    mac->TraceConnectWithoutContext("AckedMpdu",
                                    MakeCallback(&SaturatedStation::NotifyAcknowledged, this));
    mac->TraceConnectWithoutContext("MpduResponseTimeout",
                                    MakeCallback(&SaturatedStation::NotifyFailed, this));
    mac->TraceConnectWithoutContext("DroppedMpdu",
                                    MakeCallback(&SaturatedStation::NotifyDropped, this));
}

void
SaturatedStation::CountAt(Ptr<NetDevice> receiver,
                          const std::vector<Ptr<SaturatedStation>>& stations)
{
    std::map<Address, Ptr<SaturatedStation>> senders;
    for (const auto& station : stations)
    {
        senders[station->m_device->GetAddress()] = station;
    }
    const Node::ProtocolHandler count(
        [senders = std::move(senders)](auto, auto, auto, const Address& from, const auto&, auto) {
            senders.at(from)->NotifyDelivered();
        });
    receiver->GetNode()->RegisterProtocolHandler(count, PROTOCOL, receiver);
}

void
SaturatedStation::DoDispose()
{
    m_device = nullptr;
    Object::DoDispose();
}

void
SaturatedStation::Join()
{
    m_joined = true;
    for (uint32_t i = 0; i < m_depth; i++)
    {
        Send();
    }
}

bool
SaturatedStation::HasJoined() const
{
    return m_joined;
}

void
SaturatedStation::SetWindows(uint32_t least, uint32_t largest)
{
    const auto mac = m_device->GetMac();
    const auto links = mac->GetNLinks();
    mac->GetQosTxop(AC_BE)->SetMinCws(std::vector<uint32_t>(links, least));
    mac->GetQosTxop(AC_BE)->SetMaxCws(std::vector<uint32_t>(links, largest));
    m_window = least;
}

void
SaturatedStation::NotifyDelivered()
{
    m_delivered++;
}

uint32_t
SaturatedStation::GetWindow() const
{
    return m_window;
}

uint64_t
SaturatedStation::GetTransmissions() const
{
    return m_transmissions;
}

uint64_t
SaturatedStation::GetFailures() const
{
    return m_failures;
}

uint64_t
SaturatedStation::GetDelivered() const
{
    return m_delivered;
}

void
SaturatedStation::NotifyAcknowledged(Ptr<const WifiMpdu> mpdu)
{
    if (mpdu->GetHeader().IsQosData())
    {
        m_transmissions++;
        Replace(mpdu);
    }
}

void
SaturatedStation::NotifyFailed(uint8_t reason,
                               Ptr<const WifiMpdu> mpdu,
                               const WifiTxVector& txVector)
{
    if (mpdu->GetHeader().IsQosData())
    {
        m_transmissions++;
        m_failures++;
    }
}

void
SaturatedStation::NotifyDropped(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu)
{
    if (mpdu->GetHeader().IsQosData())
    {
        Replace(mpdu);
    }
}

void
SaturatedStation::Replace(Ptr<const WifiMpdu> mpdu)
{
    LlcSnapHeader header;
    mpdu->GetPacket()->PeekHeader(header);
    if (header.GetType() == PROTOCOL)
    {
        // The MAC is in the middle of an operation.
        Simulator::ScheduleNow(&SaturatedStation::Send, this);
    }
}

void
SaturatedStation::Send()
{
    if (m_device)
    {
        m_device->Send(Create<Packet>(m_payload), m_receiver, PROTOCOL);
    }
}

} // namespace ns3
