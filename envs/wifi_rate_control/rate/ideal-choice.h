// SPDX-License-Identifier: GPL-2.0-only

#ifndef IDEAL_CHOICE_H
#define IDEAL_CHOICE_H

#include "rate-table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief The choice of ns-3's IdealWifiManager: the fastest rate whose bit error rate is below a
 * millionth at the signal-to-noise ratio that the receiver had with the last frame.
 *
 * No station can know that ratio: the receiver's simulation says it. Before the first frame, and
 * after one that was given up, it is the first rate.
 */
class IdealChoice
{
  public:
    IdealChoice() = default;

    /**
     * @param phy PHY of the sender, set up.
     * @param table The rates.
     */
    IdealChoice(Ptr<const WifiPhy> phy, const RateTable& table);

    /**
     * A frame has reached the receiver, or many in one transmission.
     *
     * @param snr Ratio there, not in dB; 0: not known, and the last one holds.
     * @param width Width of the channel that it was sent on.
     * @param streams Spatial streams that it was sent with.
     */
    void Observe(double snr, MHz_u width, uint8_t streams);

    void Reset(); //!< A frame was given up

    /**
     * Choose for a frame. As IdealWifiManager, it does not choose anew until the ratio is another.
     *
     * @param width Width of the channel that may be used.
     * @return number of the row of the table
     */
    uint32_t Choose(MHz_u width);

  private:
    /// The requirements of a row of the table.
    struct Candidate
    {
        RateTable::Row row; //!< The row
        double threshold;   //!< It needs more than this ratio
    };

    /**
     * @param width Width of the channel that may be used.
     * @return number of the row of the table
     */
    uint32_t Search(MHz_u width) const;

    std::vector<Candidate> m_candidates; //!< In the order of the table
    double m_snr{0};                     //!< Of the last frame
    MHz_u m_width{0};                    //!< That it was sent on; 0: there is none
    uint8_t m_streams{1};                //!< That it was sent with
    std::optional<double> m_chosenBy;    //!< Ratio that the last choice was made by
    MHz_u m_chosenWidth{0};              //!< Width that it was made for
    uint32_t m_choice{0};                //!< The last choice
};

} // namespace ns3

#endif // IDEAL_CHOICE_H
