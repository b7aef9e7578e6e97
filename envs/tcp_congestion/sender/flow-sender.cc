// SPDX-License-Identifier: GPL-2.0-only

#include "flow-sender.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/**
 * @brief A congestion control that leaves all decisions to another algorithm, and reports
 * acknowledgements to a TcpFlow.
 */
class FlowProbe : public TcpCongestionOps
{
  public:
    /**
     * @param flow Called with acknowledgements.
     * @param control Algorithm that decides.
     */
    FlowProbe(Ptr<TcpFlow> flow, Ptr<TcpCongestionOps> control)
        : m_flow(flow),
          m_control(control)
    {
    }

    std::string GetName() const override
    {
        return m_control->GetName();
    }

    void Init(Ptr<TcpSocketState> tcb) override
    {
        m_flow->Watch(tcb);
        m_control->Init(tcb);
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return m_control->GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        m_control->IncreaseWindow(tcb, segmentsAcked);
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override
    {
        m_flow->NotifyAcknowledgement(); // TCP calls this at most once for an acknowledgement
        m_control->PktsAcked(tcb, segmentsAcked, rtt);
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override
    {
        m_control->CongestionStateSet(tcb, newState);
    }

    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override
    {
        m_control->CwndEvent(tcb, event);
    }

    bool HasCongControl() const override
    {
        return m_control->HasCongControl();
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override
    {
        m_control->CongControl(tcb, rc, rs);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        NS_ABORT_MSG("A sender's socket accepts no connections");
    }

  private:
    void DoDispose() override
    {
        m_flow = nullptr;
        m_control = nullptr;
        TcpCongestionOps::DoDispose();
    }

    Ptr<TcpFlow> m_flow;             //!< Flow of the connection
    Ptr<TcpCongestionOps> m_control; //!< Algorithm that decides
};

/**
 * @brief Sends over a connection, and records its events; see MakeFlowSender().
 */
class FlowSender : public Application
{
  public:
    /**
     * @param parameters The properties of the connection.
     * @param remote Address of the receiver.
     * @param control Congestion control of the connection.
     * @param flow The observer of events.
     */
    FlowSender(const SenderParameters& parameters,
               const Address& remote,
               Ptr<TcpCongestionOps> control,
               Ptr<TcpFlow> flow)
        : m_parameters(parameters),
          m_remote(remote),
          m_control(control),
          m_flow(flow)
    {
    }

  private:
    void DoDispose() override
    {
        m_control = nullptr;
        m_flow = nullptr;
        m_socket = nullptr;
        Application::DoDispose();
    }

    void StartApplication() override
    {
        const auto socket = Socket::CreateSocket(GetNode(), TcpSocketFactory::GetTypeId());
        m_socket = DynamicCast<TcpSocketBase>(socket);
        m_socket->SetAttribute("SegmentSize", UintegerValue(m_parameters.segmentSize));
        m_socket->SetAttribute("InitialCwnd", UintegerValue(m_parameters.initialWindow));
        ObjectFactory recovery;
        recovery.SetTypeId(m_parameters.recovery == "classic" ? TcpClassicRecovery::GetTypeId()
                                                              : TcpPrrRecovery::GetTypeId());
        m_socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
        m_socket->SetCongestionControlAlgorithm(CreateObject<FlowProbe>(m_flow, m_control));
        m_socket->TraceConnectWithoutContext("State", MakeCallback(&FlowSender::NotifyState, this));
        m_socket->TraceConnectWithoutContext("Retransmission",
                                             MakeCallback(&FlowSender::NotifyRetransmission, this));
        m_open = true;
        m_socket->Bind();
        m_socket->Connect(m_remote);
        m_socket->ShutdownRecv();
        m_socket->SetConnectCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket>) { Fill(); }),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->SetSendCallback(
            Callback<void, Ptr<Socket>, uint32_t>([this](Ptr<Socket>, uint32_t) { Fill(); }));
    }

    void StopApplication() override
    {
        m_open = false;
        if (m_socket)
        {
            m_socket->Close();
        }
    }

    /// Fill the send buffer.
    void Fill()
    {
        const auto size = m_parameters.segmentSize;
        while (m_open && m_flow->IsActive() && m_socket->GetTxAvailable() >= size &&
               m_socket->Send(Create<Packet>(size), 0) > 0)
        {
        }
    }

    /**
     * React to a change of the connection's state.
     *
     * @param after The new state.
     */
    void NotifyState(TcpSocket::TcpStates_t, TcpSocket::TcpStates_t after)
    {
        switch (after)
        {
        case TcpSocket::ESTABLISHED:
            m_flow->Join();
            break;
        case TcpSocket::FIN_WAIT_2: // the receiver has acknowledged the last byte
        case TcpSocket::TIME_WAIT:
        case TcpSocket::CLOSED:
            m_flow->Leave();
            break;
        default:
            break;
        }
    }

    /// Record a retransmission.
    void NotifyRetransmission(Ptr<const Packet>,
                              const TcpHeader&,
                              const Address&,
                              const Address&,
                              Ptr<const TcpSocketBase>)
    {
        m_flow->NotifyRetransmission();
    }

    const SenderParameters& m_parameters; //!< The properties of the connection
    Address m_remote;                     //!< Address of the receiver
    Ptr<TcpCongestionOps> m_control;      //!< Algorithm of the connection
    Ptr<TcpFlow> m_flow;                  //!< The observer of events
    Ptr<TcpSocketBase> m_socket;          //!< Socket; null before the start
    bool m_open{false};                   //!< Whether it is between start and stop
};

} // namespace

Ptr<Application>
MakeFlowSender(const SenderParameters& parameters,
               const Address& remote,
               Ptr<TcpCongestionOps> control,
               Ptr<TcpFlow> flow)
{
    return CreateObject<FlowSender>(parameters, remote, control, flow);
}

} // namespace ns3
