// SPDX-License-Identifier: GPL-2.0-only

#ifndef POISSON_SENDER_H
#define POISSON_SENDER_H

#include "saturated-station.h"

#include "ns3/address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Sends packets at random instants, on its node: intervals are exponentially distributed.
 */
class PoissonSender : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    PoissonSender()
        : m_wait(CreateObject<ExponentialRandomVariable>())
    {
    }

    /**
     * Configure the packets.
     *
     * @param device The sending device.
     * @param receiver The receiver.
     * @param size Size in bytes.
     */
    void Attach(Ptr<NetDevice> device, const Address& receiver, uint32_t size)
    {
        m_device = device;
        m_receiver = receiver;
        m_size = size;
    }

    /**
     * Begin to send.
     *
     * @param interval Mean interval between packets.
     * @param stream Stream of the random variable.
     */
    void Start(Time interval, int64_t stream)
    {
        m_interval = interval;
        m_wait->SetStream(stream);
        Schedule();
    }

  private:
    void DoDispose() override
    {
        m_device = nullptr;
        Object::DoDispose();
    }

    /// Send a packet, and schedule the next one
    void Send()
    {
        if (m_device)
        {
            m_device->Send(Create<Packet>(m_size), m_receiver, SaturatedStation::PROTOCOL);
            Schedule();
        }
    }

    /// Schedule the next packet
    void Schedule()
    {
        Simulator::Schedule(m_interval * m_wait->GetValue(1, 0), &PoissonSender::Send, this);
    }

    Ptr<NetDevice> m_device;               //!< Sending device
    Address m_receiver;                    //!< The receiver
    uint32_t m_size{0};                    //!< Size in bytes
    Time m_interval;                       //!< Mean interval
    Ptr<ExponentialRandomVariable> m_wait; //!< Draws multiples of the mean
};

inline DEFIANCE_OBJECT(PoissonSender, Object);

} // namespace ns3

#endif // POISSON_SENDER_H
