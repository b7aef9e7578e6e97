// SPDX-License-Identifier: GPL-2.0-only

#ifndef SATURATED_STATION_H
#define SATURATED_STATION_H

#include "ns3/address.h"
#include "ns3/llc-snap-header.h"
#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/qos-txop.h"
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
class SaturatedStation : public Object
{
  public:
    /// EtherType of the frames: for local experiments, in IEEE 802.
    static constexpr uint16_t PROTOCOL = 0x88b5;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     * @param depth Frames in the queue; with two, the next one is ready when one leaves.
     */
    explicit SaturatedStation(uint32_t payload, uint32_t depth = 2)
        : m_payload(payload),
          m_depth(depth)
    {
    }

    /**
     * Use a network device, which has sent nothing yet.
     *
     * @param device The device.
     * @param receiver Hardware address of the receiver.
     */
    void Attach(Ptr<WifiNetDevice> device, const Address& receiver)
    {
        m_device = device;
        m_receiver = receiver;
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
                senders.at(from)->NotifyDelivered();
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
     * Set the least and the largest contention window from the next back-off on.
     *
     * @param least CWmin, in slots.
     * @param largest CWmax, in slots.
     */
    void SetWindows(uint32_t least, uint32_t largest)
    {
        const auto mac = m_device->GetMac();
        const auto links = mac->GetNLinks();
        mac->GetQosTxop(AC_BE)->SetMinCws(std::vector<uint32_t>(links, least));
        mac->GetQosTxop(AC_BE)->SetMaxCws(std::vector<uint32_t>(links, largest));
        m_window = least;
    }

    /// Count a frame that the receiver got
    void NotifyDelivered()
    {
        m_delivered++;
    }

    /// @return CWmin, in slots
    uint32_t GetWindow() const
    {
        return m_window;
    }

    /// @return transmissions of data frames so far
    uint64_t GetTransmissions() const
    {
        return m_transmissions;
    }

    /// @return transmissions without acknowledgement
    uint64_t GetFailures() const
    {
        return m_failures;
    }

    /// @return frames that reached the receiver
    uint64_t GetDelivered() const
    {
        return m_delivered;
    }

  protected:
    void DoDispose() override
    {
        m_device = nullptr;
        Object::DoDispose();
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
            m_transmissions++;
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
            m_transmissions++;
            m_failures++;
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
        if (m_device)
        {
            m_device->Send(Create<Packet>(m_payload), m_receiver, PROTOCOL);
        }
    }

    uint32_t m_payload;          //!< Bytes in a frame, without LLC and MAC header
    uint32_t m_depth;            //!< Frames in the queue
    Ptr<WifiNetDevice> m_device; //!< Device of the station
    Address m_receiver;          //!< The receiver
    bool m_joined{false};        //!< Whether it sends frames
    uint32_t m_window{0};        //!< CWmin in slots
    uint64_t m_transmissions{0}; //!< Transmissions of data frames
    uint64_t m_failures{0};      //!< Transmissions without acknowledgement
    uint64_t m_delivered{0};     //!< Frames that reached the receiver
};

inline DEFIANCE_OBJECT(SaturatedStation, Object);

} // namespace ns3

#endif // SATURATED_STATION_H
