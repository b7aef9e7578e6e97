// SPDX-License-Identifier: GPL-2.0-only

#ifndef POISSON_SENDER_H
#define POISSON_SENDER_H

#include "ns3/address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

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

    PoissonSender();

    /**
     * Configure the packets.
     *
     * @param device The sending device.
     * @param receiver The receiver.
     * @param size Size in bytes.
     */
    void Attach(Ptr<NetDevice> device, const Address& receiver, uint32_t size);

    /**
     * Begin to send.
     *
     * @param interval Mean interval between packets.
     * @param stream Stream of the random variable.
     */
    void Start(Time interval, int64_t stream);

  private:
    void DoDispose() override;
    void Send();     //!< Send a packet, and schedule the next one
    void Schedule(); //!< Schedule the next packet

    Ptr<NetDevice> m_device;               //!< Sending device
    Address m_receiver;                    //!< The receiver
    uint32_t m_size{0};                    //!< Size in bytes
    Time m_interval;                       //!< Mean interval
    Ptr<ExponentialRandomVariable> m_wait; //!< Draws multiples of the mean
};

} // namespace ns3

#endif // POISSON_SENDER_H
