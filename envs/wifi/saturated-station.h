// SPDX-License-Identifier: GPL-2.0-only

#ifndef SATURATED_STATION_H
#define SATURATED_STATION_H

#include "ns3/address.h"
#include "ns3/object.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-tx-vector.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class Packet;
class WifiMpdu;

/**
 * @brief A station that always has a frame to send, on its node.
 *
 * Its MAC queue (best effort) is refilled frame by frame: whenever one of its frames is
 * acknowledged or dropped, another one takes its place. Other packets of its node queue up behind
 * the few frames that are there. Its counts include these packets: each transmission of a data
 * frame either is acknowledged or fails. Frames without data, such as acknowledgements and beacons,
 * do not count.
 */
class SaturatedStation : public Object
{
  public:
    /// EtherType of its frames: of local experiments, in IEEE 802.
    static constexpr uint16_t PROTOCOL = 0x88b5;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     * @param depth Frames in the queue; with two, the next one is there when one leaves.
     */
    explicit SaturatedStation(uint32_t payload, uint32_t depth = 2);

    /**
     * Take over a network device, which sends nothing yet.
     *
     * @param device The device.
     * @param receiver Hardware address of who gets the frames.
     */
    void Attach(Ptr<WifiNetDevice> device, const Address& receiver);

    /**
     * Have stations notified of each of their frames that reaches their receiver.
     *
     * @param receiver Device of the receiver.
     * @param stations That have taken over their devices.
     */
    static void CountAt(Ptr<NetDevice> receiver,
                        const std::vector<Ptr<SaturatedStation>>& stations);

    void Join();            //!< Have frames to send from now on
    bool HasJoined() const; //!< @return whether it has frames to send

    /**
     * Choose the contention window from the next back-off on: its least and its largest value.
     *
     * @param least CWmin, in slots.
     * @param largest CWmax, in slots.
     */
    void SetWindows(uint32_t least, uint32_t largest);

    void NotifyDelivered(); //!< One of its frames has reached the receiver

    uint32_t GetWindow() const;        //!< @return CWmin, in slots
    uint64_t GetTransmissions() const; //!< @return transmissions of data frames so far
    uint64_t GetFailures() const;      //!< @return those of them that were not acknowledged
    uint64_t GetDelivered() const;     //!< @return its frames that have reached the receiver

  protected:
    void DoDispose() override;

  private:
    /**
     * Count an acknowledged frame.
     *
     * @param mpdu The frame.
     */
    void NotifyAcknowledged(Ptr<const WifiMpdu> mpdu);

    /**
     * Count a frame that was not acknowledged.
     *
     * @param reason Reason of the timer that has expired.
     * @param mpdu The frame.
     * @param txVector How it was sent.
     */
    void NotifyFailed(uint8_t reason, Ptr<const WifiMpdu> mpdu, const WifiTxVector& txVector);

    /**
     * Replace a dropped frame.
     *
     * @param reason Why it was dropped.
     * @param mpdu The frame.
     */
    void NotifyDropped(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu);

    /**
     * Replace a frame that has left the queue, if it was one of the station's own.
     *
     * @param mpdu The frame.
     */
    void Replace(Ptr<const WifiMpdu> mpdu);

    void Send(); //!< Queue a frame

    uint32_t m_payload;          //!< Bytes in a frame, without LLC and MAC header
    uint32_t m_depth;            //!< Frames in the queue
    Ptr<WifiNetDevice> m_device; //!< Sends the frames
    Address m_receiver;          //!< The receiver
    bool m_joined{false};        //!< It has frames to send
    uint32_t m_window{0};        //!< CWmin in slots
    uint64_t m_transmissions{0}; //!< Of data frames
    uint64_t m_failures{0};      //!< Transmissions that were not acknowledged
    uint64_t m_delivered{0};     //!< Frames that have reached the receiver
};

} // namespace ns3

#endif // SATURATED_STATION_H
