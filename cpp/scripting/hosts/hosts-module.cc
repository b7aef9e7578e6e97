// SPDX-License-Identifier: GPL-2.0-only

// Real programs for scenarios in Python: the extension module `_scripting_hosts`.

#include "ns3/boolean.h"
#include "ns3/fd-net-device.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/node-list.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>

namespace ns3
{

namespace
{

using Bytes = std::span<const uint8_t>;

constexpr std::size_t ETHERNET_BYTES = 14; //!< Length of a header of Ethernet
constexpr std::size_t MOST_PAYLOAD = 1500; //!< Longest payload of a frame
constexpr std::size_t IP_BYTES = 20;       //!< Length of a header of IPv4 without options
constexpr std::size_t ICMP_BYTES = 8;      //!< Length of a header of ICMP
constexpr std::size_t UDP_BYTES = 8;       //!< Length of a header of UDP
constexpr std::size_t TCP_BYTES = 20;      //!< Length of a header of TCP without options

/**
 * @param bytes At least two more bytes than the offset.
 * @param offset Offset of the number.
 * @return the number
 */
uint16_t
Read16(Bytes bytes, std::size_t offset)
{
    return static_cast<uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

/**
 * @param address An IPv4 address.
 * @return whether a packet may come from it: ns-3 answers to this address
 */
bool
IsUnicast(uint32_t address)
{
    constexpr uint8_t LOOPBACK = 127;
    constexpr uint8_t MULTICAST = 224;
    const auto first = address >> 24;
    return first != 0 && first != LOOPBACK && first < MULTICAST;
}

/**
 * @param bytes At least four more bytes than the offset.
 * @param offset Offset of the number.
 * @return the number
 */
uint32_t
Read32(Bytes bytes, std::size_t offset)
{
    return static_cast<uint32_t>(Read16(bytes, offset)) << 16 | Read16(bytes, offset + 2);
}

/**
 * @param bytes An ARP packet.
 * @return whether it asks for or tells a MAC address of an IPv4 address
 */
bool
IsSoundArp(Bytes bytes)
{
    constexpr std::size_t ARP_BYTES = 28;
    constexpr uint8_t BEGIN[]{0, 1, 8, 0, 6, 4, 0}; // Ethernet, IPv4, their lengths
    return bytes.size() >= ARP_BYTES &&
           std::equal(std::begin(BEGIN), std::end(BEGIN), bytes.begin()) &&
           (bytes[7] == 1 || bytes[7] == 2) && IsUnicast(Read32(bytes, 14));
}

/**
 * @param bytes Options of a TCP segment.
 * @return whether each has its length
 */
bool
AreSoundOptions(Bytes bytes)
{
    while (!bytes.empty() && bytes[0] != 0)
    {
        std::size_t length = 1;
        if (bytes[0] != 1)
        {
            if (bytes.size() < 2 || bytes[1] < 2 || bytes[1] > bytes.size())
            {
                return false;
            }
            length = bytes[1];
            const bool isSack = length > 2 && length % 8 == 2;
            constexpr std::size_t LENGTHS[]{0, 0, 4, 3, 2, 0, 0, 0, 10}; // by the option's kind
            const auto kind = bytes[0];
            const auto due = kind < std::size(LENGTHS) ? LENGTHS[kind] : 0;
            if ((due && length != due) || (kind == 5 && !isSack))
            {
                return false;
            }
        }
        bytes = bytes.subspan(length);
    }
    return true;
}

/**
 * @param protocol Number of the protocol.
 * @param bytes Payload of an IPv4 packet, or of its first fragment.
 * @param isWhole Whether it is the whole payload.
 * @return whether the headers are sound
 */
bool
IsSoundPayload(uint8_t protocol, Bytes bytes, bool isWhole)
{
    constexpr uint8_t ICMP = 1;
    constexpr uint8_t TCP = 6;
    constexpr uint8_t UDP = 17;
    if (protocol == TCP)
    {
        const std::size_t header = bytes.size() < TCP_BYTES ? 0 : (bytes[12] >> 4) * 4;
        return header >= TCP_BYTES && header <= bytes.size() &&
               AreSoundOptions(bytes.subspan(TCP_BYTES, header - TCP_BYTES));
    }
    if (protocol == UDP)
    {
        const std::size_t length = bytes.size() < UDP_BYTES ? 0 : Read16(bytes, 4);
        return length >= UDP_BYTES && (isWhole ? length == bytes.size() : length > bytes.size());
    }
    if (protocol == ICMP)
    {
        // An error has the header and the first 8 bytes of the packet that it is about.
        constexpr uint8_t ERRORS[]{3, 4, 5, 11, 12};
        const bool isError =
            !bytes.empty() &&
            std::find(std::begin(ERRORS), std::end(ERRORS), bytes[0]) != std::end(ERRORS);
        constexpr auto ERROR_BYTES = ICMP_BYTES + IP_BYTES + ICMP_BYTES;
        return bytes.size() >= (isError ? ERROR_BYTES : ICMP_BYTES) &&
               (!isError || bytes[ICMP_BYTES] == 0x45);
    }
    return true;
}

/**
 * @param bytes An IPv4 packet, and the padding after it.
 * @param isHost See IsSoundFrame().
 * @return whether it is sound
 */
bool
IsSoundPacket(Bytes bytes, const std::function<bool(uint32_t)>& isHost)
{
    if (bytes.size() < IP_BYTES || bytes[0] != 0x45)
    {
        return false;
    }
    const auto length = Read16(bytes, 2);
    uint32_t sum = 0;
    for (std::size_t i = 0; i < IP_BYTES; i += 2)
    {
        sum += Read16(bytes, i);
    }
    if (length < IP_BYTES || length > bytes.size() || (sum & 0xffff) + (sum >> 16) != 0xffff)
    {
        return false;
    }
    constexpr uint16_t OFFSET = 0x1fff;
    constexpr uint16_t MORE = 0x2000;
    const auto fragment = Read16(bytes, 6);
    const bool isWhole = (fragment & (OFFSET | MORE)) == 0;
    if (!IsUnicast(Read32(bytes, 12)) || (!isWhole && !isHost(Read32(bytes, 16))))
    {
        return false;
    }
    return (fragment & OFFSET) != 0 ||
           IsSoundPayload(bytes[9], bytes.subspan(IP_BYTES, length - IP_BYTES), isWhole);
}

/**
 * Find out whether ns-3 can process an Ethernet frame of a real program. ns-3 ends the simulation
 * at short headers, at unknown lengths in headers, and at overlapping fragments.
 *
 * @param frame The frame.
 * @param isHost Returns whether an IPv4 address is a host's: Linux, not ns-3, joins its fragments.
 * @return whether it is a sound frame of ARP, or of IPv4 without options
 */
bool
IsSoundFrame(Bytes frame, const std::function<bool(uint32_t)>& isHost)
{
    constexpr uint16_t IPV4 = 0x0800;
    constexpr uint16_t ARP = 0x0806;
    if (frame.size() < ETHERNET_BYTES || frame.size() > ETHERNET_BYTES + MOST_PAYLOAD)
    {
        return false;
    }
    const auto payload = frame.subspan(ETHERNET_BYTES);
    const auto type = Read16(frame, ETHERNET_BYTES - 2);
    return (type == ARP && IsSoundArp(payload)) || (type == IPV4 && IsSoundPacket(payload, isHost));
}

/**
 * @brief The addresses of all hosts; threads of devices read them.
 */
class HostAddresses
{
  public:
    /**
     * @param address Address of a host.
     */
    void Add(uint32_t address)
    {
        const std::lock_guard lock(m_mutex);
        m_addresses.insert(address);
    }

    /**
     * @param address An address.
     * @return whether it is a host's
     */
    bool Contain(uint32_t address)
    {
        const std::lock_guard lock(m_mutex);
        return m_addresses.contains(address);
    }

  private:
    std::mutex m_mutex;             //!< Protects the addresses
    std::set<uint32_t> m_addresses; //!< The addresses
} g_hosts;                          //!< The addresses of all hosts

/**
 * @brief Reads frames from a tap device, and drops those that would end the simulation.
 */
class TapReader : public FdReader
{
  public:
    /**
     * @param dropped Counts dropped frames; outlives the reader.
     */
    explicit TapReader(std::atomic<uint64_t>& dropped)
        : m_dropped(dropped)
    {
    }

  private:
    FdReader::Data DoRead() override
    {
        constexpr std::size_t FRAME_BYTES = 65536;
        constexpr ssize_t IGNORED = -1;
        auto* buffer = static_cast<uint8_t*>(std::malloc(FRAME_BYTES)); // FdNetDevice frees it
        const auto length = read(m_fd, buffer, FRAME_BYTES);
        if (length > 0 && IsSoundFrame({buffer, static_cast<std::size_t>(length)},
                                       [](uint32_t each) { return g_hosts.Contain(each); }))
        {
            return {buffer, length};
        }
        std::free(buffer);
        if (length == 0 || (length < 0 && errno != EINTR))
        {
            return {nullptr, 0};
        }
        ++m_dropped;
        return {nullptr, IGNORED};
    }

    std::atomic<uint64_t>& m_dropped; //!< Counts dropped frames
};

/**
 * @brief A network device whose frames come from a tap device.
 */
class TapDevice : public FdNetDevice
{
  public:
    /** @return the number of frames of programs that were dropped as malformed */
    uint64_t GetDropped() const
    {
        return m_dropped;
    }

  private:
    Ptr<FdReader> DoCreateFdReader() override
    {
        return Create<TapReader>(m_dropped);
    }

    std::atomic<uint64_t> m_dropped{0}; //!< Frames that were dropped
};

/**
 * @param node Number of a node.
 * @param number Number of a device of AddDevice().
 * @return the device
 */
Ptr<TapDevice>
FindDevice(uint32_t node, uint32_t number)
{
    return DynamicCast<TapDevice>(NodeList::GetNode(node)->GetDevice(number));
}

/**
 * Add a device to a node that exchanges frames with a Linux tap device.
 *
 * Linux drops packets without checksums, so all nodes compute checksums from here on.
 *
 * @param node Number of the node.
 * @return number of the new device
 */
uint32_t
AddDevice(uint32_t node)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    const auto device = CreateObject<TapDevice>();
    device->SetAddress(Mac48Address::Allocate());
    return NodeList::GetNode(node)->AddDevice(device);
}

/**
 * @param node Number of a node.
 * @param number Number of its device.
 * @param descriptor Descriptor of the tap device; the network device closes it.
 * @param address IPv4 address of the host.
 */
void
ConnectTap(uint32_t node, uint32_t number, int descriptor, const std::string& address)
{
    g_hosts.Add(Ipv4Address(address.c_str()).Get());
    FindDevice(node, number)->SetFileDescriptor(descriptor);
}

/**
 * @param node Number of a node.
 * @param number Number of its device.
 * @return the number of frames of programs that were dropped
 */
uint64_t
CountDropped(uint32_t node, uint32_t number)
{
    return FindDevice(node, number)->GetDropped();
}

} // namespace

} // namespace ns3

NB_MODULE(_scripting_hosts, module)
{
    nanobind::set_leak_warnings(false);
    module.def("add_device", &ns3::AddDevice);
    module.def("connect_tap", &ns3::ConnectTap);
    module.def("count_dropped", &ns3::CountDropped);
}
