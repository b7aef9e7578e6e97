// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_H
#define ROUTER_H

#include "link-graph.h"
#include "routed-packet.h"

#include "ns3/ipv4.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The end of a link at a router: its queue, and the delay of packets from here.
 */
class OutputPort : public SimpleRefCount<OutputPort>
{
  public:
    /**
     * The other end of the link, and its properties.
     */
    struct Description
    {
        uint32_t link;                     //!< Number of the link
        uint32_t neighbour;                //!< Number of the router at the other end
        Ptr<PointToPointNetDevice> device; //!< Device at this end
        Ptr<Ipv4> ipv4;                    //!< IPv4 of this router
        uint32_t interface;                //!< Interface of the device
        Ipv4Address gateway;               //!< Address of the other end
        Time propagation;                  //!< One-way propagation delay
        DataRate rate;                     //!< Data rate of the device
        uint32_t buffer;                   //!< Packets in the device's queue
    };

    /**
     * @param description Description of the link.
     */
    explicit OutputPort(const Description& description)
        : m_description(description)
    {
        description.device->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&OutputPort::NotifyTransmission, this));
    }

    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    /// @return description of the link
    const Description& Get() const
    {
        return m_description;
    }

    /**
     * @return whether the link works
     */
    bool IsUp() const
    {
        return m_description.ipv4->IsUp(m_description.interface);
    }

    /**
     * @return whether a packet sent now is not dropped here
     */
    bool Accepts() const
    {
        return IsUp() && CountWaiting() < m_description.buffer;
    }

    /**
     * @return waiting time of a packet sent now before its transmission
     */
    Time GetWaitingTime() const
    {
        const auto waiting = m_description.device->GetQueue()->GetNBytes();
        if (waiting != m_waiting)
        {
            m_waiting = waiting;
            m_waitingTime = m_description.rate.CalculateBytesTxTime(waiting);
        }
        return Max(m_idleFrom - Simulator::Now(), Time(0)) + m_waitingTime;
    }

    /**
     * @param bytes Size of a packet at the link.
     * @return its delay to the next router if it is sent now
     */
    Time GetHopDelay(uint32_t bytes) const
    {
        return GetWaitingTime() + Transmit(bytes) + m_description.propagation;
    }

    /**
     * @return number of waiting packets
     */
    uint32_t CountWaiting() const
    {
        return m_description.device->GetQueue()->GetNPackets();
    }

  private:
    /**
     * @param bytes Size of a packet at the link.
     * @return its transmission time; a division of 128-bit numbers for each size once
     */
    Time Transmit(uint32_t bytes) const
    {
        const auto [known, isNew] = m_times.try_emplace(bytes);
        if (isNew)
        {
            known->second = m_description.rate.CalculateBytesTxTime(bytes);
        }
        return known->second;
    }

    /**
     * Record the begin of a transmission.
     *
     * @param packet The packet at the link.
     */
    void NotifyTransmission(Ptr<const Packet> packet)
    {
        m_idleFrom = Simulator::Now() + Transmit(packet->GetSize());
    }

    Description m_description; //!< Description of the link
    Time m_idleFrom;           //!< End of the present transmission, or the last one

    mutable std::unordered_map<uint32_t, Time> m_times; //!< By the size of a packet
    mutable uint32_t m_waiting{0};                      //!< Size of the last queue, in bytes
    mutable Time m_waitingTime{0};                      //!< Its transmission time
};

/**
 * @brief A router: its ports, the choice among them, and the fate of the packets that it forwards.
 * It is aggregated to its node.
 */
class Router : public Object
{
  public:
    /**
     * The fate of a packet when it was forwarded.
     */
    struct Hop
    {
        RoutedPacket packet;          //!< Sent packet
        std::optional<uint32_t> port; //!< Chosen port; none: the packet is lost
        double delay{0};              //!< Delay to the next router, in s; 0: lost
    };

    /// Chooses a port for a packet; none: no choice.
    using Chooser = std::function<std::optional<uint32_t>(const RoutedPacket&)>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeTypeId<Router, Object>("ns3::PacketRouter")
                                .AddTraceSource("Hop",
                                                "A packet is forwarded, or lost here.",
                                                MakeTraceSourceAccessor(&Router::m_hopTrace),
                                                "ns3::Router::HopTracedCallback")
                                .AddTraceSource("Loss",
                                                "A forwarded packet is lost.",
                                                MakeTraceSourceAccessor(&Router::m_lossTrace),
                                                "ns3::TracedCallback");
        return tid;
    }

    /**
     * @param number Number of the router.
     * @param graph The states of all links.
     */
    void SetNumber(uint32_t number, const LinkGraph& graph)
    {
        m_number = number;
        m_graph = &graph;
    }

    /**
     * @param port Its next port.
     */
    void AddPort(Ptr<OutputPort> port)
    {
        m_ports.push_back(port);
    }

    /**
     * @param chooser Called for each packet from now on.
     */
    void SetChooser(Chooser chooser)
    {
        m_chooser = std::move(chooser);
    }

    /// @return number of the router
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// @return the graph of all links
    const LinkGraph& GetGraph() const
    {
        return *m_graph;
    }

    /// @return ports by number
    const std::vector<Ptr<OutputPort>>& GetPorts() const
    {
        return m_ports;
    }

    /**
     * @param device A device.
     * @return number of its port; the number of ports: the router has no such port
     */
    uint32_t FindPort(Ptr<const NetDevice> device) const
    {
        const auto found = std::find_if(m_ports.begin(), m_ports.end(), [device](const auto& port) {
            return port->Get().device == device;
        });
        return found - m_ports.begin();
    }

    /**
     * Choose a port.
     *
     * @param packet Packet to forward.
     * @return the port's number, which need not exist; none: no choice
     */
    std::optional<uint32_t> Choose(const RoutedPacket& packet) const
    {
        return m_chooser ? m_chooser(packet) : std::nullopt;
    }

    /**
     * Report the routing of a packet.
     *
     * @param packet The packet.
     * @param port Number of the chosen port, which need not exist.
     * @return whether there is such a port, and its link works
     */
    bool Send(const RoutedPacket& packet, uint32_t port)
    {
        Hop hop{packet};
        const bool usable = port < m_ports.size() && m_ports[port]->IsUp();
        if (usable && m_ports[port]->Accepts())
        {
            hop.port = port;
            hop.delay = m_ports[port]->GetHopDelay(packet.bytes).GetSeconds();
        }
        m_hopTrace(hop);
        return usable;
    }

    /**
     * Report the loss of a packet that this router had forwarded.
     */
    void NotifyLoss()
    {
        m_lossTrace();
    }

    /**
     * Report that a packet has crossed its last link without arriving.
     *
     * @param device Receiving device; the router at the other end had sent the packet.
     */
    static void NotifyExpired(Ptr<const NetDevice> device)
    {
        const auto channel = device->GetChannel();
        for (std::size_t i = 0; i < channel->GetNDevices(); i++)
        {
            const auto sender = channel->GetDevice(i);
            if (sender != device)
            {
                sender->GetNode()->GetObject<Router>()->NotifyLoss();
            }
        }
    }

    /**
     * Signature of trace source Hop.
     *
     * @param [in] hop The fate of a packet.
     */
    typedef void (*HopTracedCallback)(const Hop& hop);

  private:
    void DoDispose() override
    {
        m_ports.clear();
        m_chooser = nullptr;
        Object::DoDispose();
    }

    uint32_t m_number{0};                  //!< Number of the router
    const LinkGraph* m_graph{nullptr};     //!< The states of all links
    std::vector<Ptr<OutputPort>> m_ports;  //!< Ports by number
    Chooser m_chooser;                     //!< Called for each packet; may be empty
    TracedCallback<const Hop&> m_hopTrace; //!< The fate of each packet
    TracedCallback<> m_lossTrace;          //!< Packets lost after sending
};

NS_OBJECT_ENSURE_REGISTERED(Router);

} // namespace ns3

#endif // ROUTER_H
