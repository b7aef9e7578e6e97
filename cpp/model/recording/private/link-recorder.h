// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_RECORDER_H
#define LINK_RECORDER_H

#include "recorded-network.h"
#include "recording-file.h"
#include "sample-clock.h"

#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/packet-burst.h"
#include "ns3/packet.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Paths of the queues of wired devices.
const std::vector<const char*> WIRED_QUEUES{"TxQueue"};

/// Paths of the queues of Wi-Fi devices: one, or one for each access category.
const std::vector<const char*> WIFI_QUEUES{"$ns3::WifiNetDevice/Mac/Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/BE_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/BK_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/VI_Txop/Queue",
                                           "$ns3::WifiNetDevice/Mac/VO_Txop/Queue"};

/**
 * @brief Records the traffic of devices on their links, and their queues.
 *
 * Bytes are those of frames, with their headers: point-to-point and CSMA frames count when sent,
 * Wi-Fi frames when their transmission begins; LTE devices count the bytes of their shared
 * channels. Queued packets are in the device and in the traffic control above it; LTE radio bearers
 * report none. Devices of other kinds have no lines.
 */
class LinkRecorder
{
  public:
    /**
     * @param file File to write.
     * @param clock The clock; it advances before each change is recorded.
     * @param network The devices and their links.
     */
    LinkRecorder(RecordingFile& file, SampleClock& clock, const RecordedNetwork& network)
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

    // Trace sources hold its address.
    LinkRecorder(const LinkRecorder&) = delete;
    LinkRecorder& operator=(const LinkRecorder&) = delete;

    /**
     * Write all changes.
     *
     * @param time Instant of the values.
     */
    void Write(Time time)
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

  private:
    /** The port of a node at a link. */
    struct Port
    {
        std::size_t link;        //!< The link
        uint32_t node;           //!< The node
        int64_t queuePackets{0}; //!< The waiting packets
        int64_t queueBytes{0};   //!< Bytes in the queue
        uint64_t sentBytes{0};   //!< Bytes sent
        bool isChanged{false};   //!< Whether it has changed since the last write
    };

    /**
     * @param device A device.
     * @return position of its port, which may be new
     */
    std::size_t FindPort(const RecordedDevice& device)
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

    /**
     * Record the traffic of a device.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchFrames(const RecordedDevice& device, std::size_t port)
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

    /**
     * Record the queues of a device.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchQueues(const RecordedDevice& device, std::size_t port)
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

    /**
     * Record one queue.
     *
     * @param queue Object with trace sources PacketsInQueue and BytesInQueue.
     * @param port Position of the queue's port.
     */
    void WatchQueue(Ptr<Object> queue, std::size_t port)
    {
        const auto addContent = [&queued = m_ports[port]](const auto& own) {
            queued.queuePackets += own ? own->GetNPackets() : 0;
            queued.queueBytes += own ? own->GetNBytes() : 0;
        };
        addContent(DynamicCast<QueueBase>(queue));
        addContent(DynamicCast<QueueDisc>(queue));
        queue->TraceConnectWithoutContext(
            "PacketsInQueue",
            MakeCallback(&LinkRecorder::NotePackets, this).Bind(port));
        queue->TraceConnectWithoutContext("BytesInQueue",
                                          MakeCallback(&LinkRecorder::NoteBytes, this).Bind(port));
    }

    /**
     * @param port Position of a port.
     * @return the port, whose values are about to change
     */
    Port& Change(std::size_t port)
    {
        m_clock.Advance();
        auto& changed = m_ports[port];
        changed.isChanged = true;
        return changed;
    }

    /**
     * @param port Position of a port.
     * @param frame The sent packet.
     */
    void NoteFrame(std::size_t port, Ptr<const Packet> frame)
    {
        Change(port).sentBytes += frame->GetSize();
    }

    /**
     * @param port Position of a port.
     * @param frame The packet.
     * @param power Power of the transmitter.
     */
    void NoteWifiFrame(std::size_t port, Ptr<const Packet> frame, double power)
    {
        NoteFrame(port, frame);
    }

    /**
     * @param port Position of a port.
     * @param burst The packet; null: only signals.
     */
    void NoteBurst(std::size_t port, Ptr<const PacketBurst> burst)
    {
        if (burst)
        {
            Change(port).sentBytes += burst->GetSize();
        }
    }

    /**
     * @param port Position of a port.
     * @param before Former number of queued packets.
     * @param now Present number of queued packets.
     */
    void NotePackets(std::size_t port, uint32_t before, uint32_t now)
    {
        Change(port).queuePackets += int64_t{now} - int64_t{before};
    }

    /**
     * @param port Position of a port.
     * @param before Former number of queued bytes.
     * @param now Present number of queued bytes.
     */
    void NoteBytes(std::size_t port, uint32_t before, uint32_t now)
    {
        Change(port).queueBytes += int64_t{now} - int64_t{before};
    }

    RecordingFile& m_file;     //!< File to write
    SampleClock& m_clock;      //!< Clock of samples
    std::vector<Port> m_ports; //!< Ports in the order of devices
};

} // namespace ns3

#endif // LINK_RECORDER_H
