// SPDX-License-Identifier: GPL-2.0-only

// Real programs for scenarios in Python: the extension module `_scripting_hosts`.

#include "host-frames.h"

#include "ns3/boolean.h"
#include "ns3/fd-net-device.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/node-list.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace ns3
{

namespace
{

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
