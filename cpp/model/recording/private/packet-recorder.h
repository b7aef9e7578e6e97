// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_RECORDER_H
#define PACKET_RECORDER_H

#include "bridge-options.h"
#include "recorded-network.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint32_t ETHERNET = 1; // numbers of link types in captures
constexpr uint32_t PPP = 9;
constexpr uint32_t RAW_IP = 101;
constexpr uint32_t IEEE_802_11 = 105;

/**
 * @param name A name.
 * @return the name without characters that file names do not allow
 */
inline std::string
ToFileName(std::string name)
{
    constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    for (auto& character : name)
    {
        character =
            std::string_view(allowed).find(character) == std::string::npos ? '_' : character;
    }
    return name;
}

/**
 * @brief Captures the packets of the devices on all links, in a file for each: NODE-DEVICE.pcap.
 *
 * NODE is the name of the node, without characters that file names do not allow. If two such names
 * are equal, the second one gets its number: NODE_3-DEVICE.pcap.
 *
 * A file has frames of PPP, Ethernet or IEEE 802.11, with times in nanoseconds; for devices of
 * other kinds, it has their IP packets. A device with neither has no file.
 */
class PacketRecorder
{
  public:
    /**
     * @param folder Folder of the files.
     * @param network The devices.
     */
    PacketRecorder(const std::string& folder, const RecordedNetwork& network)
    {
        for (const auto& recorded : network.GetDevices())
        {
            const auto& [device, kind, link] = recorded;
            if (kind == "point-to-point" || kind == "csma")
            {
                const auto file = Open(folder, device, kind == "csma" ? ETHERNET : PPP);
                device->TraceConnectWithoutContext(
                    "PromiscSniffer",
                    MakeCallback(&PacketRecorder::Capture, this).Bind(file));
            }
            else if (kind == "wifi")
            {
                const auto file = Open(folder, device, IEEE_802_11);
                const auto phys = GetConfigPath(recorded) + "$ns3::WifiNetDevice/Phys/*/";
                Config::ConnectWithoutContextFailSafe(
                    phys + "PhyTxBegin",
                    MakeCallback(&PacketRecorder::CaptureWifi, this).Bind(file));
                Config::ConnectWithoutContextFailSafe(
                    phys + "PhyRxEnd",
                    MakeCallback(&PacketRecorder::Capture, this).Bind(file));
            }
            else
            {
                WatchInterfaces(folder, device);
            }
        }
    }

    // Trace sources hold its address.
    PacketRecorder(const PacketRecorder&) = delete;
    PacketRecorder& operator=(const PacketRecorder&) = delete;

    /** Close the files; end the process if they are incomplete. Nothing is written from then on. */
    void Finish()
    {
        for (auto& file : m_files)
        {
            file->Close();
            if (file->Fail())
            {
                ReportError("captured packets cannot be written: the disk may be full");
                EndProcess(1);
            }
            file = nullptr;
        }
    }

  private:
    /**
     * Create a file for a device.
     *
     * @param folder Folder of the file.
     * @param device The device.
     * @param linkType First header of packets, as its number in captures.
     * @return position of the file
     */
    std::size_t Open(const std::string& folder, Ptr<NetDevice> device, uint32_t linkType)
    {
        const auto node = device->GetNode();
        const auto name = folder + "/" + ToFileName(GetNodeName(node));
        const auto suffix = "-" + std::to_string(device->GetIfIndex()) + ".pcap";
        const auto isTaken = !m_paths.insert(name + suffix).second;
        const auto path = name + (isTaken ? "_" + std::to_string(node->GetId()) : "") + suffix;
        const auto file =
            CreateObjectWithAttributes<PcapFileWrapper>("NanosecMode", BooleanValue(true));
        file->Open(path, std::ios::out);
        if (file->Fail())
        {
            ReportError("packets cannot be captured in '" + path + "': " + std::strerror(errno));
            EndProcess(1);
        }
        file->Init(linkType);
        m_files.push_back(file);
        return m_files.size() - 1;
    }

    /**
     * Capture the IP packets of a node through a device.
     *
     * @param folder Folder of the file.
     * @param device The device.
     */
    void WatchInterfaces(const std::string& folder, Ptr<NetDevice> device)
    {
        const auto ipv4 = device->GetNode()->GetObject<Ipv4L3Protocol>();
        const auto ipv6 = device->GetNode()->GetObject<Ipv6L3Protocol>();
        const auto own4 = ipv4 ? ipv4->GetInterfaceForDevice(device) : -1;
        const auto own6 = ipv6 ? ipv6->GetInterfaceForDevice(device) : -1;
        if (own4 < 0 && own6 < 0)
        {
            return;
        }
        const auto file = Open(folder, device, RAW_IP);
        for (const auto* source : {"Tx", "Rx"})
        {
            if (own4 >= 0)
            {
                ipv4->TraceConnectWithoutContext(
                    source,
                    MakeCallback(&PacketRecorder::CaptureIp<Ipv4>, this)
                        .Bind(file, static_cast<uint32_t>(own4)));
            }
            if (own6 >= 0)
            {
                ipv6->TraceConnectWithoutContext(
                    source,
                    MakeCallback(&PacketRecorder::CaptureIp<Ipv6>, this)
                        .Bind(file, static_cast<uint32_t>(own6)));
            }
        }
    }

    /**
     * @param file Position of a file.
     * @param frame A sent or received packet.
     */
    void Capture(std::size_t file, Ptr<const Packet> frame)
    {
        if (m_files[file])
        {
            m_files[file]->Write(Simulator::Now(), frame);
        }
    }

    /**
     * @param file Position of a file.
     * @param frame A sent packet.
     * @param power Power of the transmitter.
     */
    void CaptureWifi(std::size_t file, Ptr<const Packet> frame, double power)
    {
        Capture(file, frame);
    }

    /**
     * @tparam Ip Ipv4 or Ipv6.
     * @param file Position of a file.
     * @param own Number of the file's interface.
     * @param packet A sent or received packet of the node.
     * @param ip IP of the node.
     * @param interface Interface of the packet.
     */
    template <typename Ip>
    void CaptureIp(std::size_t file,
                   uint32_t own,
                   Ptr<const Packet> packet,
                   Ptr<Ip> ip,
                   uint32_t interface)
    {
        if (interface == own)
        {
            Capture(file, packet);
        }
    }

    std::vector<Ptr<PcapFileWrapper>> m_files; //!< Files of devices; null: closed
    std::set<std::string> m_paths;             //!< Paths of files, by the names of nodes alone
};

} // namespace ns3

#endif // PACKET_RECORDER_H
