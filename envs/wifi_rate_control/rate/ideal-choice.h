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
 * No real station knows that ratio: it comes from the simulated receiver. Before the first frame,
 * and after a frame that was given up, the choice is the first rate.
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
     * Record that one or more frames of a transmission have reached the receiver.
     *
     * @param snr Ratio there, not in dB; 0: unknown, so the last ratio holds.
     * @param width Channel width of the transmission.
     * @param streams Spatial streams of the transmission.
     */
    void Observe(double snr, MHz_u width, uint8_t streams);

    void Reset(); //!< A frame was given up

    /**
     * Choose for a frame. Like IdealWifiManager, it keeps its choice until the ratio changes.
     *
     * @param width Largest allowed channel width.
     * @return number of the row of the table
     */
    uint32_t Choose(MHz_u width);

  private:
    /// The requirements of a row of the table.
    struct Candidate
    {
        RateTable::Row row; //!< The row
        double threshold;   //!< Least ratio of the rate
    };

    /**
     * @param width Largest allowed channel width.
     * @return number of the row of the table
     */
    uint32_t Search(MHz_u width) const;

    std::vector<Candidate> m_candidates; //!< Candidates in the table's order
    double m_snr{0};                     //!< Ratio of the last frame
    MHz_u m_width{0};                    //!< Width of the last frame; 0: none
    uint8_t m_streams{1};                //!< Streams of the last frame
    std::optional<double> m_chosenBy;    //!< Ratio of the last choice
    MHz_u m_chosenWidth{0};              //!< Width of the last choice
    uint32_t m_choice{0};                //!< The last choice
};

} // namespace ns3

#endif // IDEAL_CHOICE_H
