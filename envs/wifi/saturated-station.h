// SPDX-License-Identifier: GPL-2.0-only

#ifndef SATURATED_STATION_H
#define SATURATED_STATION_H

#include "ns3/address.h"
#include "ns3/llc-snap-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/qos-txop.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-tx-vector.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A station that always has frames to send, on its node.
 *
 * Its MAC queue (best effort) is refilled frame by frame: whenever one of its frames is
 * acknowledged or dropped, another one replaces it. Other packets of its node wait behind the few
 * frames in the queue. Its counts include these packets: each transmission of a data frame either
 * is acknowledged or fails. Frames without data, such as acknowledgements and beacons, do not
 * count.
 */
class SaturatedStation : public SimpleRefCount<SaturatedStation>
{
  public:
    /// EtherType of the frames: for local experiments, in IEEE 802.
    static constexpr uint16_t PROTOCOL = 0x88b5;

    /// The counts of frames so far.
    struct Counts
    {
        uint64_t transmissions{0}; //!< Transmissions of data frames
        uint64_t failures{0};      //!< Transmissions without acknowledgement
        uint64_t delivered{0};     //!< Frames that reached the receiver
    };

    /**
     * @param device Device of the station, which has sent nothing yet.
     * @param receiver Hardware address of the receiver.
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     * @param depth Frames in the queue; with two, the next one is ready when one leaves.
     */
    SaturatedStation(Ptr<WifiNetDevice> device,
                     const Address& receiver,
                     uint32_t payload,
                     uint32_t depth = 2)
        : m_payload(payload),
          m_depth(depth),
          m_device(device),
          m_receiver(receiver)
    {
        const auto mac = device->GetMac();
        m_window = mac->GetQosTxop(AC_BE)->GetMinCw(0);
        mac->TraceConnectWithoutContext("AckedMpdu",
                                        MakeCallback(&SaturatedStation::NotifyAcknowledged, this));
        mac->TraceConnectWithoutContext("MpduResponseTimeout",
                                        MakeCallback(&SaturatedStation::NotifyFailed, this));
        mac->TraceConnectWithoutContext("DroppedMpdu",
                                        MakeCallback(&SaturatedStation::NotifyDropped, this));
    }

    /**
     * Notify stations of each of their frames that reaches its receiver.
     *
     * @param receiver Device of the receiver.
     * @param stations Stations with attached devices.
     */
    static void CountAt(Ptr<NetDevice> receiver, const std::vector<Ptr<SaturatedStation>>& stations)
    {
        std::map<Address, Ptr<SaturatedStation>> senders;
        for (const auto& station : stations)
        {
            senders[station->m_device->GetAddress()] = station;
        }
        const Node::ProtocolHandler count(
            [senders =
                 std::move(senders)](auto, auto, auto, const Address& from, const auto&, auto) {
                senders.at(from)->m_counts.delivered++;
            });
        receiver->GetNode()->RegisterProtocolHandler(count, PROTOCOL, receiver);
    }

    /// Begin to send frames
    void Join()
    {
        m_joined = true;
        for (uint32_t i = 0; i < m_depth; i++)
        {
            Send();
        }
    }

    /// @return whether it sends frames
    bool HasJoined() const
    {
        return m_joined;
    }

    /**
     * Set the contention window, which does not grow, from the next back-off on.
     *
     * @param window CWmin and CWmax, in slots.
     */
    void SetWindow(uint32_t window)
    {
        const auto mac = m_device->GetMac();
        const std::vector<uint32_t> windows(mac->GetNLinks(), window);
        mac->GetQosTxop(AC_BE)->SetMinCws(windows);
        mac->GetQosTxop(AC_BE)->SetMaxCws(windows);
        m_window = window;
    }

    /// @return CWmin, in slots
    uint32_t GetWindow() const
    {
        return m_window;
    }

    /// @return the counts so far
    const Counts& GetCounts() const
    {
        return m_counts;
    }

  private:
    /**
     * Count an acknowledged frame.
     *
     * @param mpdu The frame.
     */
    void NotifyAcknowledged(Ptr<const WifiMpdu> mpdu)
    {
        if (mpdu->GetHeader().IsQosData())
        {
            m_counts.transmissions++;
            Replace(mpdu);
        }
    }

    /**
     * Count a frame that was not acknowledged.
     *
     * @param reason Reason of the expired timer.
     * @param mpdu The frame.
     * @param txVector Parameters of the transmission.
     */
    void NotifyFailed(uint8_t reason, Ptr<const WifiMpdu> mpdu, const WifiTxVector& txVector)
    {
        if (mpdu->GetHeader().IsQosData())
        {
            m_counts.transmissions++;
            m_counts.failures++;
        }
    }

    /**
     * Replace a dropped frame.
     *
     * @param reason Reason of the drop.
     * @param mpdu The frame.
     */
    void NotifyDropped(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu)
    {
        if (mpdu->GetHeader().IsQosData())
        {
            Replace(mpdu);
        }
    }

    /**
     * Replace a frame that has left the queue, if it was the station's own.
     *
     * @param mpdu The frame.
     */
    void Replace(Ptr<const WifiMpdu> mpdu)
    {
        LlcSnapHeader header;
        mpdu->GetPacket()->PeekHeader(header);
        if (header.GetType() == PROTOCOL)
        {
            // The MAC is in the middle of an operation.
            Simulator::ScheduleNow(&SaturatedStation::Send, this);
        }
    }

    /// Queue a frame
    void Send()
    {
        m_device->Send(Create<Packet>(m_payload), m_receiver, PROTOCOL);
    }

    uint32_t m_payload;          //!< Bytes in a frame, without LLC and MAC header
    uint32_t m_depth;            //!< Frames in the queue
    Ptr<WifiNetDevice> m_device; //!< Device of the station
    Address m_receiver;          //!< The receiver
    bool m_joined{false};        //!< Whether it sends frames
    uint32_t m_window{0};        //!< CWmin in slots
    Counts m_counts;             //!< The counts so far
};

} // namespace ns3

#endif // SATURATED_STATION_H
