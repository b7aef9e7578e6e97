// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_H
#define ROUTER_H

#include "link-graph.h"
#include "output-port.h"
#include "routed-packet.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief A router: its ports, the choice among them, and the fate of the packets that it sends on.
 * It is aggregated to its node.
 */
class Router : public Object
{
  public:
    /**
     * The fate of a packet at the moment at which it was sent on.
     */
    struct Hop
    {
        RoutedPacket packet;          //!< That was sent
        std::optional<uint32_t> port; //!< Where it goes; none: it is lost here
        double delay{0};              //!< Until it is at the next router, in s; 0: it is lost
    };

    /// Chooses a port for a packet; none: somebody else is to choose.
    using Chooser = std::function<std::optional<uint32_t>(const RoutedPacket&)>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param number Its number.
     * @param graph The states of all links.
     */
    void SetNumber(uint32_t number, const LinkGraph& graph);

    /**
     * @param port The next one of its ports.
     */
    void AddPort(Ptr<OutputPort> port);

    /**
     * @param chooser Is asked for each packet from now on.
     */
    void SetChooser(Chooser chooser);

    uint32_t GetNumber() const;                           //!< @return its number
    const LinkGraph& GetGraph() const;                    //!< @return what is known of all links
    const std::vector<Ptr<OutputPort>>& GetPorts() const; //!< @return its ports, by number

    /**
     * @param device A device of this router.
     * @return the port that it is at; null: none
     */
    Ptr<OutputPort> FindPort(Ptr<const NetDevice> device) const;

    /**
     * Ask for a port.
     *
     * @param packet That is to be sent on.
     * @return the port's number, which need not exist; none: nobody has chosen
     */
    std::optional<uint32_t> Choose(const RoutedPacket& packet) const;

    /**
     * Say what is about to be done with a packet.
     *
     * @param packet The packet.
     * @param port Number of the port that it is sent to, which need not exist.
     * @return whether there is such a port, and its link works
     */
    bool Send(const RoutedPacket& packet, uint32_t port);

    /**
     * Say that a packet that this router had sent on is lost.
     */
    void NotifyLoss();

    /**
     * Look on as ns-3's own routing sends packets, or loses them: ask, and do not heed the answer.
     */
    void Observe();

    /**
     * Say that ns-3's own routing has no way for a packet that enters here. It counts if this
     * router looks on.
     *
     * @param packet The packet.
     */
    void NotifyUnsent(const RoutedPacket& packet);

    /**
     * Say that a packet has crossed its last link without arriving.
     *
     * @param device Where it was received; the router at the other end had sent it.
     */
    static void NotifyExpired(Ptr<const NetDevice> device);

    /**
     * Signature of trace source Hop.
     *
     * @param [in] hop What became of a packet.
     */
    typedef void (*HopTracedCallback)(const Hop& hop);

  private:
    void DoDispose() override;

    /**
     * A packet is about to be sent, by ns-3's own routing.
     *
     * @param header Its IP header.
     * @param packet The packet without it.
     * @param interface To which it is sent.
     */
    void NotifySent(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * A packet has come, and is about to be sent on, delivered or lost.
     *
     * @param packet The packet.
     * @param ipv4 This router's.
     * @param interface Where it has come.
     */
    void NotifyReceived(Ptr<const Packet> packet, Ptr<Ipv4> ipv4, uint32_t interface);

    /**
     * A packet is lost, by ns-3's own routing.
     *
     * @param header Its IP header.
     * @param packet The packet without it.
     * @param reason Why.
     * @param ipv4 This router's.
     * @param interface To which it would have been sent, if any.
     */
    void NotifyDropped(const Ipv4Header& header,
                       Ptr<const Packet> packet,
                       Ipv4L3Protocol::DropReason reason,
                       Ptr<Ipv4> ipv4,
                       uint32_t interface);

    bool m_observes{false};                //!< Whether it looks on
    Ptr<NetDevice> m_received;             //!< Where the last packet has come, if it looks on
    uint32_t m_number{0};                  //!< Its number
    const LinkGraph* m_graph{nullptr};     //!< The states of all links
    std::vector<Ptr<OutputPort>> m_ports;  //!< By number
    Chooser m_chooser;                     //!< Is asked for each packet; empty: nobody is
    TracedCallback<const Hop&> m_hopTrace; //!< The fate of each packet
    TracedCallback<> m_lossTrace;          //!< A packet was lost after it was sent
};

} // namespace ns3

#endif // ROUTER_H
