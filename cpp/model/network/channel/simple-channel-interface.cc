// SPDX-License-Identifier: GPL-2.0-only

#include "simple-channel-interface.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/opengym-serialization.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SimpleChannelInterface");
NS_OBJECT_ENSURE_REGISTERED(SimpleChannelInterface);

struct SimpleChannelInterface::Direction
{
    SimpleChannelInterface* receiver;            //!< Receiver; null after the end of the connection
    uint64_t lastNumber{0};                      //!< Number of the newest message
    std::map<uint64_t, ChannelMessage> messages; //!< Messages under way, by number
};

TypeId
SimpleChannelInterface::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<SimpleChannelInterface, ChannelInterface>("ns3::SimpleChannelInterface")
            .AddAttribute("PropagationDelay",
                          "Time from sending a message to its arrival, in both directions.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&SimpleChannelInterface::SetPropagationDelay,
                                           &SimpleChannelInterface::GetPropagationDelay),
                          MakeTimeChecker(Time{}))
            .AddAttribute("LossRate",
                          "Probability that a message sent by this end does not arrive.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&SimpleChannelInterface::m_lossRate),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Jitter",
                          "Additional delay in seconds of each message sent by this end; null: "
                          "none. It may be negative as long as the sum is not.",
                          PointerValue(),
                          MakePointerAccessor(&SimpleChannelInterface::m_jitter),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Synchronous",
                          "Whether messages sent by this end arrive before Send() returns, which "
                          "needs a delay of 0 and no jitter.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&SimpleChannelInterface::m_synchronous),
                          MakeBooleanChecker());
    return tid;
}

void
SimpleChannelInterface::DoDispose()
{
    if (m_peer && Simulator::IsFinished())
    {
        // A message under way at the end of the simulation is not lost.
        m_outgoing->messages.clear();
        m_peer->m_outgoing->messages.clear();
    }
    EndConnection();
    m_lossDraw = nullptr;
    m_jitter = nullptr;
    ChannelInterface::DoDispose();
}

int
SimpleChannelInterface::Send(Ptr<OpenGymDictContainer> data)
{
    NS_LOG_FUNCTION(this << data);
    NS_ABORT_MSG_IF(!data, "A message must not be null");
    const auto bytes = GetSerializedSize(data);
    const auto copy = StaticCast<OpenGymDictContainer>(data->Copy());
    return Dispatch(DescribeMessage(bytes, bytes), copy) ? static_cast<int>(bytes) : -1;
}

void
SimpleChannelInterface::SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << number << kind << bytes);
    Dispatch(DescribeTransfer(number, kind, bytes, 0), nullptr);
}

bool
SimpleChannelInterface::Dispatch(const ChannelMessage& message, Ptr<OpenGymDictContainer> data)
{
    if (!m_peer)
    {
        NotifyDrop(message, ChannelDropReason::NOT_CONNECTED);
        return false;
    }
    NotifyTx(message);
    if (m_lossRate > 0 && m_lossDraw->GetValue() < m_lossRate)
    {
        NotifyDrop(message, ChannelDropReason::LOSS);
        return true;
    }
    const auto number = ++m_outgoing->lastNumber;
    m_outgoing->messages.emplace(number, message);
    const auto delay = DrawDelay();
    if (m_synchronous)
    {
        NS_ABORT_MSG_IF(m_jitter || !delay.IsZero(),
                        "A synchronous channel has a delay of " << delay.As(Time::S)
                                                                << (m_jitter ? " and jitter" : "")
                                                                << ": its messages arrive at once");
        Arrive(m_outgoing, number, data);
    }
    else
    {
        Simulator::Schedule(delay, &SimpleChannelInterface::Arrive, m_outgoing, number, data);
    }
    return true;
}

Time
SimpleChannelInterface::DrawDelay()
{
    if (!m_jitter)
    {
        return m_delay;
    }
    const auto jitter = Seconds(m_jitter->GetValue());
    NS_ABORT_MSG_IF((m_delay + jitter).IsStrictlyNegative(),
                    "A message would arrive before it is sent: PropagationDelay is "
                        << m_delay.As(Time::S) << ", Jitter gave " << jitter.As(Time::S));
    return m_delay + jitter;
}

void
SimpleChannelInterface::Arrive(std::shared_ptr<Direction> direction,
                               uint64_t number,
                               Ptr<OpenGymDictContainer> data)
{
    if (const Ptr<SimpleChannelInterface> receiver{direction->receiver})
    {
        const auto entry = direction->messages.extract(number);
        receiver->Deliver(entry.mapped(), data);
    }
}

ConnectionStatus
SimpleChannelInterface::Connect(Ptr<ChannelInterface> other)
{
    NS_LOG_FUNCTION(this << other);
    NS_ABORT_MSG_IF(!other, "There is no channel to connect with: null was passed");
    const auto peer = DynamicCast<SimpleChannelInterface>(other);
    if (m_peer || !peer || peer == this || peer->m_peer)
    {
        return GetConnectionStatus();
    }
    const auto delay = std::max(m_delay, peer->m_delay);
    m_peer = PeekPointer(peer);
    peer->m_peer = this;
    SetPropagationDelay(delay);
    for (auto* end : {this, m_peer})
    {
        end->m_outgoing = std::make_shared<Direction>();
        end->m_outgoing->receiver = end->m_peer;
        end->SetConnectionStatus(ConnectionStatus::CONNECTED);
    }
    return GetConnectionStatus();
}

void
SimpleChannelInterface::Disconnect()
{
    NS_LOG_FUNCTION(this);
    const Ptr<SimpleChannelInterface> self(this);
    EndConnection();
}

void
SimpleChannelInterface::EndConnection()
{
    if (const Ptr<SimpleChannelInterface> peer{m_peer})
    {
        Detach();
        peer->Detach();
    }
}

void
SimpleChannelInterface::Detach()
{
    m_peer = nullptr;
    SetConnectionStatus(ConnectionStatus::DISCONNECTED);
    const auto outgoing = std::move(m_outgoing);
    outgoing->receiver = nullptr;
    for (const auto& [number, message] : outgoing->messages)
    {
        NotifyDrop(message, ChannelDropReason::CONNECTION_CLOSED);
    }
}

void
SimpleChannelInterface::SetPropagationDelay(Time delay)
{
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                    "A delay of " << delay.As(Time::S) << " is negative");
    m_delay = delay;
    if (m_peer)
    {
        m_peer->m_delay = delay;
    }
}

int64_t
SimpleChannelInterface::AssignStreams(int64_t stream)
{
    m_lossDraw->SetStream(stream);
    if (m_jitter)
    {
        m_jitter->SetStream(stream + 1);
    }
    return 2;
}

} // namespace ns3
