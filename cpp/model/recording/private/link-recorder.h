// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_RECORDER_H
#define LINK_RECORDER_H

#include "recorded-network.h"
#include "recording-file.h"
#include "sample-clock.h"

#include "ns3/nstime.h"
#include "ns3/packet-burst.h"
#include "ns3/packet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Writes what devices have sent on their links, and what waits to be sent there.
 *
 * Bytes are those of frames, with their headers: of point-to-point and CSMA devices when a frame
 * has been sent, of Wi-Fi devices when it begins to be, and of LTE devices what their shared
 * channels carry. Waiting packets are in the queues of the device and in the traffic control above
 * it; the radio bearers of LTE show none. Devices of other kinds have no lines.
 */
class LinkRecorder
{
  public:
    /**
     * @param file Where to write.
     * @param clock The clock; it advances before each change is noted.
     * @param network The devices and their links.
     */
    LinkRecorder(RecordingFile& file, SampleClock& clock, const RecordedNetwork& network);

    // Trace sources know it by its address.
    LinkRecorder(const LinkRecorder&) = delete;
    LinkRecorder& operator=(const LinkRecorder&) = delete;

    /**
     * Write what has changed.
     *
     * @param time The instant that the values are of.
     */
    void Write(Time time);

  private:
    /** Where a node sends to a link. */
    struct Port
    {
        std::size_t link;        //!< The link
        uint32_t node;           //!< The node
        int64_t queuePackets{0}; //!< The waiting packets
        int64_t queueBytes{0};   //!< Its size
        uint64_t sentBytes{0};   //!< Size of what was sent
        bool isChanged{false};   //!< Since it was written
    };

    /**
     * @param device A device.
     * @return position of its port, which may be new
     */
    std::size_t FindPort(const RecordedDevice& device);

    /**
     * Listen to what a device sends.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchFrames(const RecordedDevice& device, std::size_t port);

    /**
     * Listen to the queues of a device.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchQueues(const RecordedDevice& device, std::size_t port);

    /**
     * Listen to one queue.
     *
     * @param queue Has trace sources PacketsInQueue and BytesInQueue.
     * @param port Position of the port whose queue it is.
     */
    void WatchQueue(Ptr<Object> queue, std::size_t port);

    /**
     * @param port Position of a port.
     * @return the port, whose values are about to change
     */
    Port& Change(std::size_t port);

    /**
     * @param port Position of a port.
     * @param frame The sent packet.
     */
    void NoteFrame(std::size_t port, Ptr<const Packet> frame);

    /**
     * @param port Position of a port.
     * @param frame The packet.
     * @param power Power of the transmitter.
     */
    void NoteWifiFrame(std::size_t port, Ptr<const Packet> frame, double power);

    /**
     * @param port Position of a port.
     * @param burst The packet; null: nothing but signals.
     */
    void NoteBurst(std::size_t port, Ptr<const PacketBurst> burst);

    /**
     * @param port Position of a port.
     * @param before Number of packets that have waited.
     * @param now Number of those that wait.
     */
    void NotePackets(std::size_t port, uint32_t before, uint32_t now);

    /**
     * @param port Position of a port.
     * @param before Number of bytes that have waited.
     * @param now Number of those that wait.
     */
    void NoteBytes(std::size_t port, uint32_t before, uint32_t now);

    RecordingFile& m_file;     //!< Where to write
    SampleClock& m_clock;      //!< Says when
    std::vector<Port> m_ports; //!< In the order of devices
};

} // namespace ns3

#endif /* LINK_RECORDER_H */
