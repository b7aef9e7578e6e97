// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_TEST_SUPPORT_H
#define CHANNEL_TEST_SUPPORT_H

#include "ns3/channel-interface.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/opengym-builders.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/socket-channel-interface.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

inline const auto TCP = ns3::TcpSocketFactory::GetTypeId(); //!< Protocol: a stream
inline const auto UDP = ns3::UdpSocketFactory::GetTypeId(); //!< Protocol: datagrams

constexpr uint32_t UDP_IPV4_PPP_BYTES{8 + 20 + 2}; //!< Headers of a datagram on the link

/**
 * @ingroup defiance-tests
 * @brief Run a function that is expected to fail, in a separate process.
 * @param run the function
 * @return its standard error, or nothing if it neither aborts nor ends with status 1
 */
inline std::string
GetAbortMessage(const std::function<void()>& run)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "";
    }
    const auto child = fork();
    if (child == 0)
    {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    std::string message;
    char buffer[256];
    for (auto size = read(ends[0], buffer, sizeof(buffer)); size > 0;
         size = read(ends[0], buffer, sizeof(buffer)))
    {
        message.append(buffer, size);
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const bool aborts = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return aborts || (WIFEXITED(status) && WEXITSTATUS(status) == 1) ? message : "";
}

/**
 * @ingroup defiance-tests
 * @brief Return whether a function aborts with a message.
 * @param run the function
 * @param words a part of the message
 * @return whether it aborts with the message
 */
inline bool
AbortsWith(const std::function<void()>& run, const std::string& words)
{
    return GetAbortMessage(run).find(words) != std::string::npos;
}

/**
 * @ingroup defiance-tests
 * @brief Make a message of one number.
 * @param value the number
 * @return the message
 */
inline ns3::Ptr<ns3::OpenGymDictContainer>
MakeNumberMessage(int32_t value)
{
    return ns3::MakeDictContainer("value", ns3::MakeBoxContainer<int32_t>(1, value));
}

/**
 * @ingroup defiance-tests
 * @brief Make a message of many different bytes.
 * @param size number of bytes
 * @return the message
 */
inline ns3::Ptr<ns3::OpenGymDictContainer>
MakeBytesMessage(std::size_t size)
{
    std::vector<uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
    {
        bytes[i] = static_cast<uint8_t>(i * 31 + (i >> 8));
    }
    return ns3::MakeDictContainer("bytes", ns3::MakeBoxContainer(std::move(bytes)));
}

/**
 * @ingroup defiance-tests
 * @brief Get the number in a message of MakeNumberMessage().
 * @param message the message
 * @return the number
 */
inline int32_t
GetNumber(ns3::Ptr<ns3::OpenGymDictContainer> message)
{
    return message->Get("value")->GetObject<ns3::OpenGymBoxContainer<int32_t>>()->GetValue(0);
}

/**
 * @ingroup defiance-tests
 * @brief Get the bytes in a message of MakeBytesMessage().
 * @param message the message
 * @return the bytes
 */
inline std::vector<uint8_t>
GetBytes(ns3::Ptr<ns3::OpenGymDictContainer> message)
{
    return message->Get("bytes")->GetObject<ns3::OpenGymBoxContainer<uint8_t>>()->GetData();
}

/**
 * @ingroup defiance-tests
 * @brief Records the events at one end of a channel.
 */
class ChannelRecorder
{
  public:
    /**
     * @brief Begin to record.
     * @param channel the end
     */
    explicit ChannelRecorder(ns3::Ptr<ns3::ChannelInterface> channel)
    {
        channel->AddRecvCallback(ns3::MakeCallback(&ChannelRecorder::Receive, this));
        channel->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&ChannelRecorder::Tx, this));
        channel->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&ChannelRecorder::Rx, this));
        channel->TraceConnectWithoutContext("Drop",
                                            ns3::MakeCallback(&ChannelRecorder::Drop, this));
    }

    ChannelRecorder(const ChannelRecorder&) = delete;
    ChannelRecorder& operator=(const ChannelRecorder&) = delete;

    std::vector<ns3::Ptr<ns3::OpenGymDictContainer>> messages; //!< Messages that arrived
    std::vector<ns3::Time> times;                              //!< Times of arrival
    std::vector<ns3::ChannelMessage> tx;                       //!< Reports of Tx
    std::vector<ns3::ChannelMessage> rx;                       //!< Reports of Rx
    std::vector<ns3::ChannelMessage> drops;                    //!< Reports of Drop

  private:
    /**
     * @brief Note a message.
     * @param message the message
     */
    void Receive(ns3::Ptr<ns3::OpenGymDictContainer> message)
    {
        messages.push_back(message);
        times.push_back(ns3::Simulator::Now());
    }

    /**
     * @brief Note a sent message.
     * @param message its description
     */
    void Tx(const ns3::ChannelMessage& message)
    {
        tx.push_back(message);
    }

    /**
     * @brief Note a received message.
     * @param message its description
     */
    void Rx(const ns3::ChannelMessage& message)
    {
        rx.push_back(message);
    }

    /**
     * @brief Note a dropped message.
     * @param message its description
     */
    void Drop(const ns3::ChannelMessage& message)
    {
        drops.push_back(message);
    }
};

/**
 * @ingroup defiance-tests
 * @brief Two nodes, or a chain of them, each link 5 Mbit/s with 2 ms delay by default.
 */
class ChainTopology
{
  public:
    /**
     * @brief Create nodes, links, stacks and addresses: 10.1.i.1 and 10.1.i.2 on link i, from 1,
     * and IPv6 addresses.
     * @param nodeCount number of nodes
     * @param dataRate data rate of each link
     */
    explicit ChainTopology(uint32_t nodeCount = 2, const std::string& dataRate = "5Mbps")
        : nodes(nodeCount)
    {
        ns3::PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", ns3::StringValue(dataRate));
        link.SetChannelAttribute("Delay", ns3::StringValue("2ms"));
        ns3::InternetStackHelper stack;
        stack.Install(nodes);
        ns3::Ipv4AddressHelper ipv4("10.1.1.0", "255.255.255.0");
        ns3::Ipv6AddressHelper ipv6(ns3::Ipv6Address("2001:1::"), ns3::Ipv6Prefix(64));
        for (uint32_t i = 0; i + 1 < nodeCount; ++i)
        {
            const auto pair = link.Install(nodes.Get(i), nodes.Get(i + 1));
            ipv4.Assign(pair);
            ipv4.NewNetwork();
            ipv6Interfaces.Add(ipv6.Assign(pair));
            ipv6.NewNetwork();
            devices.Add(pair);
        }
    }

    /**
     * @brief Create an end of a channel with IPv4.
     * @param node index of the node
     * @param address address of the node
     * @param protocol socket factory
     * @return the end
     */
    ns3::Ptr<ns3::SocketChannelInterface> MakeChannel(uint32_t node,
                                                      const std::string& address,
                                                      ns3::TypeId protocol) const
    {
        return ns3::CreateObject<ns3::SocketChannelInterface>(nodes.Get(node),
                                                              ns3::Ipv4Address(address.c_str()),
                                                              protocol);
    }

    /**
     * @brief Create an end of a channel with IPv6.
     * @param device index of the device whose address it gets
     * @param protocol socket factory
     * @return the end
     */
    ns3::Ptr<ns3::SocketChannelInterface> MakeIpv6Channel(uint32_t device,
                                                          ns3::TypeId protocol) const
    {
        return ns3::CreateObject<ns3::SocketChannelInterface>(devices.Get(device)->GetNode(),
                                                              ipv6Interfaces.GetAddress(device, 1),
                                                              protocol);
    }

    /**
     * @brief Lose packets that arrive at a device.
     * @param device index of the device
     * @param rate probability
     */
    void LosePackets(uint32_t device, double rate) const
    {
        const auto model = ns3::CreateObjectWithAttributes<ns3::RateErrorModel>(
            "ErrorRate",
            ns3::DoubleValue(rate),
            "ErrorUnit",
            ns3::EnumValue(ns3::RateErrorModel::ERROR_UNIT_PACKET));
        model->AssignStreams(7);
        devices.Get(device)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(model));
    }

    ns3::NodeContainer nodes;                   //!< The nodes
    ns3::NetDeviceContainer devices;            //!< Both devices of each link, in order
    ns3::Ipv6InterfaceContainer ipv6Interfaces; //!< Interfaces of these devices
};

#endif /* CHANNEL_TEST_SUPPORT_H */
