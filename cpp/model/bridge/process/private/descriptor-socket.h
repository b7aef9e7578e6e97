// SPDX-License-Identifier: GPL-2.0-only

#ifndef DESCRIPTOR_SOCKET_H
#define DESCRIPTOR_SOCKET_H

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A connected Unix socket (SOCK_SEQPACKET) that can pass descriptors.
 */
class DescriptorSocket
{
  public:
    /** Largest number of descriptors in a packet: the kernel drops further ones. */
    static constexpr std::size_t MAX_DESCRIPTORS = 8;

    /** The largest message. */
    struct Packet
    {
        std::string bytes;            //!< Content of the packet; empty: the end
        std::vector<int> descriptors; //!< Descriptors sent with the packet
    };

    /**
     * @param descriptor The socket.
     */
    explicit DescriptorSocket(int descriptor)
        : m_descriptor(descriptor)
    {
    }

    /** @return the socket */
    int GetDescriptor() const
    {
        return m_descriptor;
    }

    /**
     * @return the next packet, if one has come
     */
    std::optional<Packet> Receive() const;

    /**
     * @param bytes The bytes to send.
     * @param descriptor Descriptor to send along, or -1.
     * @return whether the other end is still there
     */
    bool Send(std::string bytes, int descriptor) const;

  private:
    int m_descriptor; //!< The socket
};

} // namespace ns3

#endif /* DESCRIPTOR_SOCKET_H */
