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
 * @brief Records the traffic of devices on their links, and their queues.
 *
 * Bytes are those of frames, with their headers: point-to-point and CSMA frames count when sent,
 * Wi-Fi frames when their transmission begins; LTE devices count the bytes of their shared
 * channels. Queued packets are in the device and in the traffic control above it; LTE radio bearers
 * report none. Devices of other kinds have no lines.
 */
class LinkRecorder
{
  public:
    /**
     * @param file File to write.
     * @param clock The clock; it advances before each change is recorded.
     * @param network The devices and their links.
     */
    LinkRecorder(RecordingFile& file, SampleClock& clock, const RecordedNetwork& network);

    // Trace sources hold its address.
    LinkRecorder(const LinkRecorder&) = delete;
    LinkRecorder& operator=(const LinkRecorder&) = delete;

    /**
     * Write all changes.
     *
     * @param time Instant of the values.
     */
    void Write(Time time);

  private:
    /** The port of a node at a link. */
    struct Port
    {
        std::size_t link;        //!< The link
        uint32_t node;           //!< The node
        int64_t queuePackets{0}; //!< The waiting packets
        int64_t queueBytes{0};   //!< Bytes in the queue
        uint64_t sentBytes{0};   //!< Bytes sent
        bool isChanged{false};   //!< Whether it has changed since the last write
    };

    /**
     * @param device A device.
     * @return position of its port, which may be new
     */
    std::size_t FindPort(const RecordedDevice& device);

    /**
     * Record the traffic of a device.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchFrames(const RecordedDevice& device, std::size_t port);

    /**
     * Record the queues of a device.
     *
     * @param device The device.
     * @param port Position of its port.
     */
    void WatchQueues(const RecordedDevice& device, std::size_t port);

    /**
     * Record one queue.
     *
     * @param queue Object with trace sources PacketsInQueue and BytesInQueue.
     * @param port Position of the queue's port.
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
     * @param burst The packet; null: only signals.
     */
    void NoteBurst(std::size_t port, Ptr<const PacketBurst> burst);

    /**
     * @param port Position of a port.
     * @param before Former number of queued packets.
     * @param now Present number of queued packets.
     */
    void NotePackets(std::size_t port, uint32_t before, uint32_t now);

    /**
     * @param port Position of a port.
     * @param before Former number of queued bytes.
     * @param now Present number of queued bytes.
     */
    void NoteBytes(std::size_t port, uint32_t before, uint32_t now);

    RecordingFile& m_file;     //!< File to write
    SampleClock& m_clock;      //!< Clock of samples
    std::vector<Port> m_ports; //!< Ports in the order of devices
};

} // namespace ns3

#endif /* LINK_RECORDER_H */
