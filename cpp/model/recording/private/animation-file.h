// SPDX-License-Identifier: GPL-2.0-only

#ifndef ANIMATION_FILE_H
#define ANIMATION_FILE_H

#include "recorded-network.h"
#include "recording-file.h"

#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/vector.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The file animation.xml, which NetAnim shows: nodes, where they go, and their frames.
 *
 * ns-3's own AnimationInterface draws a random place for each node without one, and puts tags into
 * packets: other random numbers of the simulation would not be the same any more. Here such nodes
 * stand on a circle, and frames are known again by their number.
 */
class AnimationFile
{
  public:
    /**
     * @param folder Where the file is.
     * @param network The nodes, links and devices.
     */
    AnimationFile(const std::string& folder, const RecordedNetwork& network);

    // Trace sources know it by its address.
    AnimationFile(const AnimationFile&) = delete;
    AnimationFile& operator=(const AnimationFile&) = delete;

    /**
     * @param time When.
     * @param node A node.
     * @param position Where it has gone.
     */
    void NotePosition(Time time, uint32_t node, const Vector& position);

    /** Hand over what has waited for a moment of real time. */
    void Update();

    /** End the file; nothing is written from then on. */
    void Finish();

  private:
    /** What a device sends to all that share a link with it. */
    struct Transmission
    {
        Time begin;                   //!< When its first bit was sent
        std::vector<uint64_t> frames; //!< Numbers of the frames that it consists of
    };

    /**
     * Write the nodes and the links between two of them.
     *
     * @param network The nodes and links.
     */
    void Introduce(const RecordedNetwork& network);

    /**
     * Listen to what goes through a link.
     *
     * @param device A device on it.
     */
    void Watch(const RecordedDevice& device);

    /**
     * @param frame A frame.
     * @param from The device that sends it.
     * @param to The device that is to receive it.
     * @param duration How long it is sent.
     * @param arrival From now to its last bit at the receiver.
     */
    void NoteHop(Ptr<const Packet> frame,
                 Ptr<NetDevice> from,
                 Ptr<NetDevice> to,
                 Time duration,
                 Time arrival);

    /**
     * @param link Position of a link.
     * @param node Who sends.
     * @param frame What it sends.
     */
    void NoteTx(std::size_t link, uint32_t node, Ptr<const Packet> frame);

    /**
     * @param link Position of a link.
     * @param node Who sends.
     * @param frame What it sends.
     * @param power Of the transmitter.
     */
    void NoteWifiTx(std::size_t link, uint32_t node, Ptr<const Packet> frame, double power);

    /**
     * @param link Position of a link.
     * @param node Who has received something.
     * @param frame What.
     */
    void NoteRx(std::size_t link, uint32_t node, Ptr<const Packet> frame);

    /**
     * @param from Who has sent a frame.
     * @param to Who has received it.
     * @param sent When its first bit and its last bit were sent.
     * @param received When they arrived.
     */
    void WriteFrame(uint32_t from,
                    uint32_t to,
                    std::pair<Time, Time> sent,
                    std::pair<Time, Time> received);

    RecordingFile m_file;                                            //!< The file
    std::map<std::pair<std::size_t, uint32_t>, Transmission> m_sent; //!< Last, by link and node
    bool m_isOver{false}; //!< Nothing is written any more
};

} // namespace ns3

#endif /* ANIMATION_FILE_H */
