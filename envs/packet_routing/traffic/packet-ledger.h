// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_LEDGER_H
#define PACKET_LEDGER_H

#include "routed-packet.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The fate of the packets of an episode: numbers and times of arrivals.
 */
class PacketLedger
{
  public:
    /**
     * Counts of packets that entered after the warm-up.
     */
    struct Totals
    {
        int64_t created{0};   //!< Number of created packets
        int64_t delivered{0}; //!< Number of delivered packets
        int64_t lost{0};      //!< Number of lost packets
        double delay{0};      //!< Sum of delays of delivered packets, in s
        int64_t hops{0};      //!< Sum of hops of delivered packets
    };

    /**
     * @param warmUp Earlier packets do not count.
     * @param records Whether to keep a record of each arrival.
     */
    PacketLedger(Time warmUp, bool records);

    /**
     * @param packet The new packet; its number is set.
     */
    void NotifyCreated(RoutedPacket& packet);

    /**
     * @param packet The delivered packet.
     */
    void NotifyDelivered(const RoutedPacket& packet);

    /**
     * @param packet The lost packet.
     */
    void NotifyLost(const RoutedPacket& packet);

    const Totals& GetTotals() const; //!< @return counts of packets so far

    /**
     * @return six numbers for each delivered packet, including the warm-up, in the order of
     * arrivals: number, source, destination, time of entry (ns), delay (ns), hops
     */
    const std::vector<double>& GetRecords() const;

    static constexpr std::size_t RECORD = 6; //!< Numbers of a record

  private:
    /**
     * @param packet A packet.
     * @return whether it entered after the warm-up
     */
    bool Counts(const RoutedPacket& packet) const;

    Time m_warmUp;                 //!< Earlier packets do not count
    bool m_keepsRecords;           //!< Whether each arrival is kept
    uint64_t m_next{0};            //!< Number of the next packet
    Totals m_totals;               //!< Counts of packets that count
    std::vector<double> m_records; //!< Records of arrivals
};

} // namespace ns3

#endif // PACKET_LEDGER_H
