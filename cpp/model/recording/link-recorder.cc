// SPDX-License-Identifier: GPL-2.0-only

#include "private/link-recorder.h"

#include "ns3/config.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Paths of the queues of wired devices.
const std::vector<const char*> WIRED_QUEUES{"TxQueue"};

/// Paths of the queues of Wi-Fi devices: one, or one for each access category.
const std::vector<const char*> WIFI_QUEUES{"$ns3::WifiNetDevice/Mac/Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/BE_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/BK_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/VI_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/VO_Txop/Queue"};

} // namespace

LinkRecorder::LinkRecorder(RecordingFile& file, SampleClock& clock, const RecordedNetwork& network)
    : m_file(file),
      m_clock(clock)
{
    m_file.WriteText("time_ns,link,node,queue_packets,queue_bytes,sent_bytes\n");
    for (const auto& device : network.GetDevices())
    {
        if (device.kind != "other")
        {
            const auto port = FindPort(device);
            WatchFrames(device, port);
            WatchQueues(device, port);
        }
    }
}

std::size_t
LinkRecorder::FindPort(const RecordedDevice& device)
{
    const auto node = device.device->GetNode()->GetId();
    const auto known = std::find_if(m_ports.begin(), m_ports.end(), [&](const auto& port) {
        return port.link == device.link && port.node == node;
    });
    const auto index = static_cast<std::size_t>(known - m_ports.begin());
    if (known == m_ports.end())
    {
        m_ports.push_back({device.link, node});
    }
    return index;
}

void
LinkRecorder::WatchFrames(const RecordedDevice& device, std::size_t port)
{
    const auto path = GetConfigPath(device);
    if (device.kind == "wifi")
    {
        Config::ConnectWithoutContextFailSafe(
            path + "$ns3::WifiNetDevice/Phys/*/PhyTxBegin",
            MakeCallback(&LinkRecorder::NoteWifiFrame, this).Bind(port));
        return;
    }
    if (device.kind == "lte")
    {
        for (const auto* sender :
             {"$ns3::LteEnbNetDevice/ComponentCarrierMap/*/LteEnbPhy/DlSpectrumPhy/TxStart",
              "$ns3::LteUeNetDevice/ComponentCarrierMapUe/*/LteUePhy/UlSpectrumPhy/TxStart"})
        {
            Config::ConnectWithoutContextFailSafe(
                path + sender,
                MakeCallback(&LinkRecorder::NoteBurst, this).Bind(port));
        }
        return;
    }
    device.device->TraceConnectWithoutContext(
        "PhyTxEnd",
        MakeCallback(&LinkRecorder::NoteFrame, this).Bind(port));
}

void
LinkRecorder::WatchQueues(const RecordedDevice& device, std::size_t port)
{
    for (const auto* queue : device.kind == "wifi" ? WIFI_QUEUES : WIRED_QUEUES)
    {
        for (const auto& match : Config::LookupMatches(GetConfigPath(device) + queue))
        {
            WatchQueue(match, port);
        }
    }
    const auto layer = device.device->GetNode()->GetObject<TrafficControlLayer>();
    if (const auto disc = layer ? layer->GetRootQueueDiscOnDevice(device.device) : nullptr)
    {
        WatchQueue(disc, port);
    }
}

void
LinkRecorder::WatchQueue(Ptr<Object> queue, std::size_t port)
{
    const auto addContent = [&queued = m_ports[port]](const auto& own) {
        queued.queuePackets += own ? own->GetNPackets() : 0;
        queued.queueBytes += own ? own->GetNBytes() : 0;
    };
    addContent(DynamicCast<QueueBase>(queue));
    addContent(DynamicCast<QueueDisc>(queue));
    queue->TraceConnectWithoutContext("PacketsInQueue",
                                      MakeCallback(&LinkRecorder::NotePackets, this).Bind(port));
    queue->TraceConnectWithoutContext("BytesInQueue",
                                      MakeCallback(&LinkRecorder::NoteBytes, this).Bind(port));
}

LinkRecorder::Port&
LinkRecorder::Change(std::size_t port)
{
    m_clock.Advance();
    auto& changed = m_ports[port];
    changed.isChanged = true;
    return changed;
}

void
LinkRecorder::NoteFrame(std::size_t port, Ptr<const Packet> frame)
{
    Change(port).sentBytes += frame->GetSize();
}

void
LinkRecorder::NoteWifiFrame(std::size_t port, Ptr<const Packet> frame, double power)
{
    NoteFrame(port, frame);
}

void
LinkRecorder::NoteBurst(std::size_t port, Ptr<const PacketBurst> burst)
{
    if (burst)
    {
        Change(port).sentBytes += burst->GetSize();
    }
}

void
LinkRecorder::NotePackets(std::size_t port, uint32_t before, uint32_t now)
{
    Change(port).queuePackets += int64_t{now} - int64_t{before};
}

void
LinkRecorder::NoteBytes(std::size_t port, uint32_t before, uint32_t now)
{
    Change(port).queueBytes += int64_t{now} - int64_t{before};
}

void
LinkRecorder::Write(Time time)
{
    for (auto& port : m_ports)
    {
        if (port.isChanged)
        {
            m_file.WriteLine(time.GetNanoSeconds(),
                             port.link,
                             port.node,
                             port.queuePackets,
                             port.queueBytes,
                             port.sentBytes);
            port.isChanged = false;
        }
    }
}

} // namespace ns3
