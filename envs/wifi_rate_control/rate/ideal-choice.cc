// SPDX-License-Identifier: GPL-2.0-only

#include "ideal-choice.h"

namespace ns3
{

namespace
{

constexpr double BIT_ERROR_RATE = 1e-6; //!< Default of IdealWifiManager

} // namespace

IdealChoice::IdealChoice(Ptr<const WifiPhy> phy, const RateTable& table)
{
    for (const auto& row : table.GetRows())
    {
        WifiTxVector sent;
        sent.SetChannelWidth(row.width);
        sent.SetNss(row.streams);
        sent.SetMode(row.mode);
        sent.SetGuardInterval(RateTable::GetGuardInterval(phy, row.mode.GetModulationClass()));
        m_candidates.push_back({row, phy->CalculateSnr(sent, BIT_ERROR_RATE)});
    }
}

void
IdealChoice::Observe(double snr, MHz_u width, uint8_t streams)
{
    if (snr != 0)
    {
        m_snr = snr;
        m_width = width;
        m_streams = streams;
    }
}

void
IdealChoice::Reset()
{
    m_snr = 0;
    m_width = MHz_u{0};
    m_streams = 1;
    m_chosenBy.reset();
}

uint32_t
IdealChoice::Choose(MHz_u width)
{
    if (m_chosenBy != m_snr || m_chosenWidth != width)
    {
        m_choice = Search(width);
        m_chosenBy = m_snr;
        m_chosenWidth = width;
    }
    return m_choice;
}

uint32_t
IdealChoice::Search(MHz_u width) const
{
    uint32_t best = 0;
    uint64_t bestRate = 0;
    for (uint32_t i = 0; i < m_candidates.size(); i++)
    {
        const auto& [row, threshold] = m_candidates[i];
        if (row.width != width)
        {
            continue;
        }
        double snr = m_snr; // divided by wider channels and more streams
        if (width != m_width)
        {
            snr /= width / m_width;
        }
        if (row.streams != m_streams)
        {
            snr /= double(row.streams) / m_streams;
        }
        // The first rate of this width, until the ratio allows a better one.
        if (bestRate == 0 && m_candidates[best].row.width != width)
        {
            best = i;
        }
        if (row.dataRate > bestRate && threshold < snr)
        {
            bestRate = row.dataRate;
            best = i;
        }
    }
    return best;
}

} // namespace ns3
