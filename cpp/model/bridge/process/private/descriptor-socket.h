// SPDX-License-Identifier: GPL-2.0-only

#ifndef DESCRIPTOR_SOCKET_H
#define DESCRIPTOR_SOCKET_H

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** Largest packet, in bytes. */
constexpr std::size_t MAX_PACKET = 256 * 1024;

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
    std::optional<Packet> Receive() const
    {
        static std::array<char, MAX_PACKET> buffer;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))> control{};
        iovec data{buffer.data(), buffer.size()};
        msghdr header{};
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        const auto size = recvmsg(m_descriptor, &header, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
        {
            return std::nullopt;
        }
        Packet packet;
        if (size > 0)
        {
            packet.bytes.assign(buffer.data(), static_cast<std::size_t>(size));
        }
        if (const auto* passed = CMSG_FIRSTHDR(&header))
        {
            packet.descriptors.resize((passed->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            std::memcpy(packet.descriptors.data(),
                        CMSG_DATA(passed),
                        packet.descriptors.size() * sizeof(int));
        }
        return packet;
    }

    /**
     * @param bytes The bytes to send.
     * @param descriptor Descriptor to send along, or -1.
     * @return whether the other end is still there
     */
    bool Send(std::string bytes, int descriptor) const
    {
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        iovec data{bytes.data(), bytes.size()};
        msghdr header{};
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        if (descriptor >= 0)
        {
            header.msg_control = control.data();
            header.msg_controllen = control.size();
            auto* passed = CMSG_FIRSTHDR(&header);
            passed->cmsg_level = SOL_SOCKET;
            passed->cmsg_type = SCM_RIGHTS;
            passed->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(passed), &descriptor, sizeof(descriptor));
        }
        return sendmsg(m_descriptor, &header, MSG_NOSIGNAL) >= 0;
    }

  private:
    int m_descriptor; //!< The socket
};

} // namespace ns3

#endif // DESCRIPTOR_SOCKET_H
