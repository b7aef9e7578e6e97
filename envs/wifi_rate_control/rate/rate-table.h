// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_TABLE_H
#define RATE_TABLE_H

#include "ns3/nstime.h"
#include "ns3/wifi-mode.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-tx-vector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

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
    explicit RateTable(Ptr<const WifiPhy> phy);

    /**
     * @return the rows
     */
    const std::vector<Row>& GetRows() const;

    /**
     * @param mode Modulation and coding scheme.
     * @param width Width of the channel.
     * @param streams Spatial streams.
     * @return the number of the row, if there is one
     */
    std::optional<uint32_t> Find(const WifiMode& mode, MHz_u width, uint8_t streams) const;

    /**
     * @return the largest data rate in bit/s
     */
    uint64_t GetFastest() const;

    /**
     * @param phy PHY of a device.
     * @return the class of its newest standard
     */
    static WifiModulationClass GetModulationClass(Ptr<const WifiPhy> phy);

    /**
     * @param phy PHY of a device.
     * @param modulation Class of a mode.
     * @return the guard interval of the device
     */
    static Time GetGuardInterval(Ptr<const WifiPhy> phy, WifiModulationClass modulation);

  private:
    std::vector<Row> m_rows; //!< Rates in order
};

} // namespace ns3

#endif // RATE_TABLE_H
