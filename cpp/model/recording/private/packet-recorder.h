// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_RECORDER_H
#define PACKET_RECORDER_H

#include "recorded-network.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

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
    PacketRecorder(const std::string& folder, const RecordedNetwork& network);

    // Trace sources hold its address.
    PacketRecorder(const PacketRecorder&) = delete;
    PacketRecorder& operator=(const PacketRecorder&) = delete;

    /** Close the files; end the process if they are incomplete. Nothing is written from then on. */
    void Finish();

  private:
    /**
     * Create a file for a device.
     *
     * @param folder Folder of the file.
     * @param device The device.
     * @param linkType First header of packets, as its number in captures.
     * @return position of the file
     */
    std::size_t Open(const std::string& folder, Ptr<NetDevice> device, uint32_t linkType);

    /**
     * Capture the IP packets of a node through a device.
     *
     * @param folder Folder of the file.
     * @param device The device.
     */
    void WatchInterfaces(const std::string& folder, Ptr<NetDevice> device);

    /**
     * @param file Position of a file.
     * @param frame A sent or received packet.
     */
    void Capture(std::size_t file, Ptr<const Packet> frame);

    /**
     * @param file Position of a file.
     * @param frame A sent packet.
     * @param power Power of the transmitter.
     */
    void CaptureWifi(std::size_t file, Ptr<const Packet> frame, double power);

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

#endif /* PACKET_RECORDER_H */
