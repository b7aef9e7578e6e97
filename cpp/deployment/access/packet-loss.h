// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_LOSS_H
#define PACKET_LOSS_H

#include "ns3/error-model.h"
#include "ns3/net-device-container.h"

#include <vector>

namespace ns3
{

/**
 * @brief Lets devices lose received packets, each independently of the others.
 */
class PacketLoss
{
  public:
    /**
     * @param probability Probability that a packet is lost.
     */
    explicit PacketLoss(double probability)
        : m_probability(probability)
    {
    }

    /**
     * @param devices Devices with an attribute ReceiveErrorModel.
     */
    void Install(const NetDeviceContainer& devices);

    /**
     * @param stream First random stream to use.
     */
    void AssignStreams(int64_t stream);

  private:
    double m_probability;                      //!< Probability that a packet is lost
    std::vector<Ptr<RateErrorModel>> m_models; //!< Error model of each device
};

} // namespace ns3

#endif // PACKET_LOSS_H
