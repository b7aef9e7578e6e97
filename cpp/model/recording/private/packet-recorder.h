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
 * NODE is the name of the node, without what is not for the names of files; where two are equal
 * then, the second one gets its number: NODE_3-DEVICE.pcap.
 *
 * They are frames of PPP, Ethernet and IEEE 802.11, with times in nanoseconds; of devices of other
 * kinds the IP packets that go through them. A device that shows neither has no file.
 */
class PacketRecorder
{
  public:
    /**
     * @param folder Where the files are.
     * @param network The devices.
     */
    PacketRecorder(const std::string& folder, const RecordedNetwork& network);

    // Trace sources know it by its address.
    PacketRecorder(const PacketRecorder&) = delete;
    PacketRecorder& operator=(const PacketRecorder&) = delete;

    /** Close the files; end the process if they are not whole. Nothing is written from then on. */
    void Finish();

  private:
    /**
     * Create a file for a device.
     *
     * @param folder Where.
     * @param device The device.
     * @param linkType The first header of packets, by its number in captures.
     * @return position of the file
     */
    std::size_t Open(const std::string& folder, Ptr<NetDevice> device, uint32_t linkType);

    /**
     * Capture what the IP of a node sends and receives through a device.
     *
     * @param folder Where.
     * @param device The device.
     */
    void WatchInterfaces(const std::string& folder, Ptr<NetDevice> device);

    /**
     * @param file Position of a file.
     * @param frame The packets that a device sends or has received.
     */
    void Capture(std::size_t file, Ptr<const Packet> frame);

    /**
     * @param file Position of a file.
     * @param frame The packets that a device sends.
     * @param power Power of the transmitter.
     */
    void CaptureWifi(std::size_t file, Ptr<const Packet> frame, double power);

    /**
     * @param file Position of a file.
     * @param own Number of the interface that the file is of.
     * @param packet The packets that a node sends or has received.
     * @param ip Its IP.
     * @param interface Through which interface.
     */
    void CaptureIpv4(std::size_t file,
                     uint32_t own,
                     Ptr<const Packet> packet,
                     Ptr<Ipv4> ip,
                     uint32_t interface);

    /**
     * @param file Position of a file.
     * @param own Number of the interface that the file is of.
     * @param packet The packets that a node sends or has received.
     * @param ip Its IP.
     * @param interface Through which interface.
     */
    void CaptureIpv6(std::size_t file,
                     uint32_t own,
                     Ptr<const Packet> packet,
                     Ptr<Ipv6> ip,
                     uint32_t interface);

    std::vector<Ptr<PcapFileWrapper>> m_files; //!< Null: closed
    std::set<std::string> m_paths;             //!< Of files, by the names of nodes alone
};

} // namespace ns3

#endif /* PACKET_RECORDER_H */
