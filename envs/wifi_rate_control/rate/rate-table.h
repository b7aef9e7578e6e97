// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_TABLE_H
#define RATE_TABLE_H

#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/nstime.h"
#include "ns3/vht-configuration.h"
#include "ns3/wifi-mode.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-tx-vector.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

constexpr uint8_t HT_INDICES_A_STREAM = 8; //!< Indices of 802.11n per stream

/**
 * @brief The data rates of a station: rows of modulation and coding scheme, channel width and
 * number of spatial streams, in this order of precedence.
 *
 * It has the rows of the device's newest standard, from 20 MHz to the width of its channel, as in
 * ns-3's ThompsonSamplingWifiManager.
 */
class RateTable
{
  public:
    /// A rate.
    struct Row
    {
        WifiMode mode;     //!< Modulation and coding scheme
        MHz_u width;       //!< Channel width
        uint8_t streams;   //!< Number of spatial streams
        uint64_t dataRate; //!< Data rate in bit/s
    };

    RateTable() = default;

    /**
     * @param phy PHY of the device.
     */
    explicit RateTable(Ptr<const WifiPhy> phy)
    {
        const auto modulation = GetModulationClass(phy);
        const auto guardInterval = GetGuardInterval(phy, modulation);
        for (const auto& mode : phy->GetMcsList())
        {
            if (mode.GetModulationClass() != modulation)
            {
                continue;
            }
            for (MHz_u width{20}; width <= phy->GetChannelWidth(); width *= 2)
            {
                for (uint8_t streams = 1; streams <= phy->GetMaxSupportedTxSpatialStreams();
                     streams++)
                {
                    const bool fits = modulation != WIFI_MOD_CLASS_HT ||
                                      mode.GetMcsValue() / HT_INDICES_A_STREAM + 1 == streams;
                    if (fits && mode.IsAllowed(width, streams))
                    {
                        const auto rate = mode.GetDataRate(width, guardInterval, streams);
                        m_rows.push_back({mode, width, streams, rate});
                    }
                }
            }
        }
    }

    /**
     * @return the rows
     */
    const std::vector<Row>& GetRows() const
    {
        return m_rows;
    }

    /**
     * @param mode Modulation and coding scheme.
     * @param width Width of the channel.
     * @param streams Spatial streams.
     * @return the number of the row, if there is one
     */
    std::optional<uint32_t> Find(const WifiMode& mode, MHz_u width, uint8_t streams) const
    {
        const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& row) {
            return row.mode == mode && row.width == width && row.streams == streams;
        });
        if (found == m_rows.end())
        {
            return std::nullopt;
        }
        return std::distance(m_rows.begin(), found);
    }

    /**
     * @return the largest data rate in bit/s
     */
    uint64_t GetFastest() const
    {
        uint64_t fastest = 0;
        for (const auto& row : m_rows)
        {
            fastest = std::max(fastest, row.dataRate);
        }
        return fastest;
    }

    /**
     * @param phy PHY of a device.
     * @return the class of its newest standard
     */
    static WifiModulationClass GetModulationClass(Ptr<const WifiPhy> phy)
    {
        const auto device = phy->GetDevice();
        if (device->GetHeConfiguration())
        {
            return WIFI_MOD_CLASS_HE;
        }
        return device->GetVhtConfiguration() ? WIFI_MOD_CLASS_VHT : WIFI_MOD_CLASS_HT;
    }

    /**
     * @param phy PHY of a device.
     * @param modulation Class of a mode.
     * @return the guard interval of the device
     */
    static Time GetGuardInterval(Ptr<const WifiPhy> phy, WifiModulationClass modulation)
    {
        const auto device = phy->GetDevice();
        if (modulation == WIFI_MOD_CLASS_HE)
        {
            return device->GetHeConfiguration()->GetGuardInterval();
        }
        const bool isShort = device->GetHtConfiguration()->m_sgiSupported;
        return NanoSeconds(isShort ? 400 : 800);
    }

  private:
    std::vector<Row> m_rows; //!< Rates in order
};

} // namespace ns3

#endif // RATE_TABLE_H
