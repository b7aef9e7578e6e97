// SPDX-License-Identifier: GPL-2.0-only

#include "rate-table.h"

#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/vht-configuration.h"
#include "ns3/wifi-net-device.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint8_t HT_INDICES_A_STREAM = 8; //!< Indices of 802.11n per stream

} // namespace

RateTable::RateTable(Ptr<const WifiPhy> phy)
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
            for (uint8_t streams = 1; streams <= phy->GetMaxSupportedTxSpatialStreams(); streams++)
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

const std::vector<RateTable::Row>&
RateTable::GetRows() const
{
    return m_rows;
}

std::optional<uint32_t>
RateTable::Find(const WifiMode& mode, MHz_u width, uint8_t streams) const
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

uint64_t
RateTable::GetFastest() const
{
    uint64_t fastest = 0;
    for (const auto& row : m_rows)
    {
        fastest = std::max(fastest, row.dataRate);
    }
    return fastest;
}

WifiModulationClass
RateTable::GetModulationClass(Ptr<const WifiPhy> phy)
{
    const auto device = phy->GetDevice();
    if (device->GetHeConfiguration())
    {
        return WIFI_MOD_CLASS_HE;
    }
    return device->GetVhtConfiguration() ? WIFI_MOD_CLASS_VHT : WIFI_MOD_CLASS_HT;
}

Time
RateTable::GetGuardInterval(Ptr<const WifiPhy> phy, WifiModulationClass modulation)
{
    const auto device = phy->GetDevice();
    if (modulation == WIFI_MOD_CLASS_HE)
    {
        return device->GetHeConfiguration()->GetGuardInterval();
    }
    const bool isShort = device->GetHtConfiguration()->m_sgiSupported;
    return NanoSeconds(isShort ? 400 : 800);
}

} // namespace ns3
