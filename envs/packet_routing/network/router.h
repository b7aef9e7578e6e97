// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_H
#define ROUTER_H

#include "link-graph.h"
#include "routed-packet.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/object.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simple-ref-count.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>
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
    explicit OutputPort(const Description& description);
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    const Description& Get() const; //!< @return description of the link

    /**
     * @return whether the link works
     */
    bool IsUp() const;

    /**
     * @return whether a packet sent now is not dropped here
     */
    bool Accepts() const;

    /**
     * @return waiting time of a packet sent now before its transmission
     */
    Time GetWaitingTime() const;

    /**
     * @param bytes Size of a packet at the link.
     * @return its delay to the next router if it is sent now
     */
    Time GetHopDelay(uint32_t bytes) const;

    /**
     * @return number of waiting packets
     */
    uint32_t CountWaiting() const;

  private:
    /**
     * @param bytes Size of packets at the link.
     * @return their transmission time; for the size of the last call without a division
     */
    Time GetTransmissionTime(uint32_t bytes) const;

    /**
     * Record the begin of a transmission.
     *
     * @param packet The packet at the link.
     */
    void NotifyTransmission(Ptr<const Packet> packet);

    Description m_description; //!< Description of the link
    Time m_idleFrom;           //!< End of the present transmission, or the last one

    mutable uint32_t m_bytes{0};    //!< Size of m_transmission
    mutable Time m_transmission{0}; //!< Transmission time of m_bytes
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
    static TypeId GetTypeId();

    /**
     * @param number Number of the router.
     * @param graph The states of all links.
     */
    void SetNumber(uint32_t number, const LinkGraph& graph);

    /**
     * @param port Its next port.
     */
    void AddPort(Ptr<OutputPort> port);

    /**
     * @param chooser Called for each packet from now on.
     */
    void SetChooser(Chooser chooser);

    uint32_t GetNumber() const;                           //!< @return number of the router
    const LinkGraph& GetGraph() const;                    //!< @return the graph of all links
    const std::vector<Ptr<OutputPort>>& GetPorts() const; //!< @return ports by number

    /**
     * @param device A device of this router.
     * @return the port of the device; null: none
     */
    Ptr<OutputPort> FindPort(Ptr<const NetDevice> device) const;

    /**
     * Choose a port.
     *
     * @param packet Packet to forward.
     * @return the port's number, which need not exist; none: no choice
     */
    std::optional<uint32_t> Choose(const RoutedPacket& packet) const;

    /**
     * Report the routing of a packet.
     *
     * @param packet The packet.
     * @param port Number of the chosen port, which need not exist.
     * @return whether there is such a port, and its link works
     */
    bool Send(const RoutedPacket& packet, uint32_t port);

    /**
     * Report the loss of a packet that this router had forwarded.
     */
    void NotifyLoss();

    /**
     * Observe packets that ns-3's own routing sends or loses: call the chooser without effect.
     */
    void Observe();

    /**
     * Report that ns-3's own routing has no path for a packet that enters here. The packet counts
     * if this router observes.
     *
     * @param packet The packet.
     */
    void NotifyUnsent(const RoutedPacket& packet);

    /**
     * Report that a packet has crossed its last link without arriving.
     *
     * @param device Receiving device; the router at the other end had sent the packet.
     */
    static void NotifyExpired(Ptr<const NetDevice> device);

    /**
     * Signature of trace source Hop.
     *
     * @param [in] hop The fate of a packet.
     */
    typedef void (*HopTracedCallback)(const Hop& hop);

  private:
    void DoDispose() override;

    /**
     * Process a packet that ns3's own routing is about to send.
     *
     * @param header IP header of the packet.
     * @param packet The packet without the header.
     * @param interface Outgoing interface.
     */
    void NotifySent(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * Process a packet that has arrived, and is about to be forwarded, delivered or lost.
     *
     * @param packet The packet.
     * @param ipv4 IPv4 of this router.
     * @param interface Incoming interface.
     */
    void NotifyReceived(Ptr<const Packet> packet, Ptr<Ipv4> ipv4, uint32_t interface);

    /**
     * Process a packet that ns-3's own routing has lost.
     *
     * @param header IP header of the packet.
     * @param packet The packet without the header.
     * @param reason Reason of the loss.
     * @param ipv4 IPv4 of this router.
     * @param interface Planned outgoing interface, if any.
     */
    void NotifyDropped(const Ipv4Header& header,
                       Ptr<const Packet> packet,
                       Ipv4L3Protocol::DropReason reason,
                       Ptr<Ipv4> ipv4,
                       uint32_t interface);

    bool m_observes{false};                //!< Whether it reports packets
    Ptr<NetDevice> m_received;             //!< Incoming device, if it reports packets
    uint32_t m_number{0};                  //!< Number of the router
    const LinkGraph* m_graph{nullptr};     //!< The states of all links
    std::vector<Ptr<OutputPort>> m_ports;  //!< Ports by number
    Chooser m_chooser;                     //!< Called for each packet; may be empty
    TracedCallback<const Hop&> m_hopTrace; //!< The fate of each packet
    TracedCallback<> m_lossTrace;          //!< Packets lost after sending
};

} // namespace ns3

#endif // ROUTER_H
