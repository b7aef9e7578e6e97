// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_LOSS_H
#define PACKET_LOSS_H

#include "ns3/error-model.h"
#include "ns3/net-device-container.h"
#include "ns3/pointer.h"

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
    void Install(const NetDeviceContainer& devices)
    {
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(m_probability);
            devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(model));
            m_models.push_back(model);
        }
    }

    /**
     * @param stream First random stream to use.
     */
    void AssignStreams(int64_t stream)
    {
        for (const auto& model : m_models)
        {
            stream += model->AssignStreams(stream);
        }
    }

  private:
    double m_probability;                      //!< Probability that a packet is lost
    std::vector<Ptr<RateErrorModel>> m_models; //!< Error model of each device
};

} // namespace ns3

#endif // PACKET_LOSS_H
