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
    Address remote;         //!< Address of the receiver
    TypeId recovery;        //!< Class of loss recovery
    uint32_t segmentSize;   //!< Payload of a segment in bytes
    uint32_t initialWindow; //!< First congestion window, in segments
};

/**
 * @brief Sends as much as TCP accepts, from its start to its stop, as ns-3's BulkSendApplication
 * does.
 *
 * At its stop it closes the connection, and TCP still delivers the data in its send buffer. A
 * TcpFlow records its events.
 */
class FlowSender : public Application
{
  public:
    /**
     * @param setup The properties of the connection.
     * @param control Congestion control of the connection.
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
     * @param before The former state.
     * @param after The new state.
     */
    void NotifyState(TcpSocket::TcpStates_t before, TcpSocket::TcpStates_t after);

    /**
     * Record a retransmission.
     *
     * @param packet The segment.
     * @param header Header of the segment.
     * @param local Address of the sender.
     * @param peer Address of the receiver.
     * @param socket Socket of the sender.
     */
    void NotifyRetransmission(Ptr<const Packet> packet,
                              const TcpHeader& header,
                              const Address& local,
                              const Address& peer,
                              Ptr<const TcpSocketBase> socket);

    FlowSetup m_setup;               //!< The properties of the connection
    Ptr<TcpCongestionOps> m_control; //!< Algorithm of the connection
    Ptr<TcpFlow> m_flow;             //!< The observer of events
    Ptr<TcpSocketBase> m_socket;     //!< Socket; null before the start
    bool m_open{false};              //!< Whether it is between start and stop
};

} // namespace ns3

#endif // FLOW_SENDER_H
