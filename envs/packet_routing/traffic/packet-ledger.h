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
 * @brief The fate of the packets of an episode: how many arrive, and when.
 */
class PacketLedger
{
  public:
    /**
     * Of the packets that have entered after the warm-up.
     */
    struct Totals
    {
        int64_t created{0};   //!< How many have entered
        int64_t delivered{0}; //!< How many have arrived
        int64_t lost{0};      //!< How many are lost
        double delay{0};      //!< Sum over those that have arrived, in s
        int64_t hops{0};      //!< Sum over those that have arrived
    };

    /**
     * @param warmUp Packets that enter before do not count.
     * @param records Whether each arrival is kept.
     */
    PacketLedger(Time warmUp, bool records);

    /**
     * @param packet That enters; it gets its number.
     */
    void NotifyCreated(RoutedPacket& packet);

    /**
     * @param packet That has arrived.
     */
    void NotifyDelivered(const RoutedPacket& packet);

    /**
     * @param packet That is lost.
     */
    void NotifyLost(const RoutedPacket& packet);

    const Totals& GetTotals() const; //!< @return what has become of packets so far

    /**
     * @return six numbers for each packet that has arrived, the warm-up included, in the order of
     * arrivals: number, source, destination, when it entered (ns), its delay (ns), hops
     */
    const std::vector<double>& GetRecords() const;

    static constexpr std::size_t RECORD = 6; //!< Numbers of a record

  private:
    /**
     * @param packet A packet.
     * @return whether it has entered after the warm-up
     */
    bool Counts(const RoutedPacket& packet) const;

    Time m_warmUp;                 //!< Packets that enter before do not count
    bool m_keepsRecords;           //!< Whether each arrival is kept
    uint64_t m_next{0};            //!< Number of the next packet
    Totals m_totals;               //!< Of packets that count
    std::vector<double> m_records; //!< Of arrivals
};

} // namespace ns3

#endif // PACKET_LEDGER_H
