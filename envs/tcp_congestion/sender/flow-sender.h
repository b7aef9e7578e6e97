// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_SENDER_H
#define FLOW_SENDER_H

#include "tcp-flow.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

namespace ns3
{

/**
 * @brief The properties of a connection.
 */
struct FlowSetup
{
    Address remote;         //!< Of the receiver
    TypeId recovery;        //!< Class of the loss recovery
    uint32_t segmentSize;   //!< Payload of a segment in bytes
    uint32_t initialWindow; //!< First congestion window, in segments
};

/**
 * @brief Sends as much as TCP takes, from its start to its stop, as ns-3's BulkSendApplication
 * does.
 *
 * When it is stopped it closes the connection, and TCP still delivers what is in its send buffer.
 * A TcpFlow records its events.
 */
class FlowSender : public Application
{
  public:
    /**
     * @param setup The properties of the connection.
     * @param control Its congestion control.
     * @param flow The observer of events.
     */
    FlowSender(const FlowSetup& setup, Ptr<TcpCongestionOps> control, Ptr<TcpFlow> flow);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// Fill the send buffer.
    void Fill();

    /**
     * React to a change of the connection's state.
     *
     * @param before The state before.
     * @param after The state now.
     */
    void NotifyState(TcpSocket::TcpStates_t before, TcpSocket::TcpStates_t after);

    /**
     * Note that a segment was sent again.
     *
     * @param packet The segment.
     * @param header Its header.
     * @param local The sender's address.
     * @param peer The receiver's address.
     * @param socket The sender's socket.
     */
    void NotifyRetransmission(Ptr<const Packet> packet,
                              const TcpHeader& header,
                              const Address& local,
                              const Address& peer,
                              Ptr<const TcpSocketBase> socket);

    FlowSetup m_setup;               //!< The properties of the connection
    Ptr<TcpCongestionOps> m_control; //!< Of the connection
    Ptr<TcpFlow> m_flow;             //!< The observer of events
    Ptr<TcpSocketBase> m_socket;     //!< Of the connection; null before the start
    bool m_open{false};              //!< Between start and stop
};

} // namespace ns3

#endif // FLOW_SENDER_H
