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
 * @brief Sends packets at random instants, on its node: the time from one to the next is
 * exponentially distributed.
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
     * Choose what is sent.
     *
     * @param device Sends it.
     * @param receiver The receiver.
     * @param size In bytes.
     */
    void Attach(Ptr<NetDevice> device, const Address& receiver, uint32_t size);

    /**
     * Send from now on.
     *
     * @param interval Mean time from one packet to the next.
     * @param stream Stream of the random variable.
     */
    void Start(Time interval, int64_t stream);

  private:
    void DoDispose() override;
    void Send();     //!< Send a packet, and schedule the next one
    void Schedule(); //!< Schedule the next packet

    Ptr<NetDevice> m_device;               //!< Sends
    Address m_receiver;                    //!< The receiver
    uint32_t m_size{0};                    //!< In bytes
    Time m_interval;                       //!< In the mean
    Ptr<ExponentialRandomVariable> m_wait; //!< Shares of the mean
};

} // namespace ns3

#endif // POISSON_SENDER_H
