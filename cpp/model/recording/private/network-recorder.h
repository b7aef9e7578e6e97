// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_RECORDER_H
#define NETWORK_RECORDER_H

#include "bridge-options.h"
#include "link-recorder.h"
#include "packet-recorder.h"
#include "recorded-network.h"
#include "recording-file.h"
#include "sample-clock.h"

#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/vector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief Records the positions of nodes that move.
 *
 * Mobility models are read only when they report a new course: other reads would change the
 * rounding of their numbers, and so the episode. Until the next course a node continues at the
 * velocity of its model.
 */
class PositionRecorder
{
  public:
    /**
     * Record all nodes with a mobility model.
     *
     * @param file File to write.
     * @param clock The clock; it advances before each change is recorded.
     */
    PositionRecorder(RecordingFile& file, SampleClock& clock);

    // Trace sources hold its address.
    PositionRecorder(const PositionRecorder&) = delete;
    PositionRecorder& operator=(const PositionRecorder&) = delete;

    /**
     * Write all changes.
     *
     * @param time Instant of the positions.
     */
    void Write(Time time);

  private:
    /** The course of one node. */
    struct Course
    {
        uint32_t node;         //!< The node
        Vector position;       //!< Position at `since`
        Vector velocity;       //!< Velocity at `since`
        Time since;            //!< Time of the last change
        bool isChanged{false}; //!< Whether it has changed since the last write
    };

    /**
     * @param index Position of a course.
     * @param model Mobility of the node.
     */
    void NoteCourse(std::size_t index, Ptr<const MobilityModel> model);

    RecordingFile& m_file;         //!< File to write
    SampleClock& m_clock;          //!< Clock of samples
    std::vector<Course> m_courses; //!< Courses by node
};

/**
 * @brief Records the network of a simulation, below its RL applications.
 */
class NetworkRecorder
{
  public:
    /**
     * Begin to record the present network.
     *
     * @param options The files to write, and their folder.
     */
    explicit NetworkRecorder(const RecordOptions& options);

    // Trace sources hold its address.
    NetworkRecorder(const NetworkRecorder&) = delete;
    NetworkRecorder& operator=(const NetworkRecorder&) = delete;

    /**
     * @return the nodes and links at the begin
     */
    const RecordedNetwork& GetNetwork() const
    {
        return m_network;
    }

    /** Write known data to the files soon. */
    void Update();

    /** Write remaining data, and close the files; nothing is written from then on. */
    void Finish();

  private:
    RecordedNetwork m_network;               //!< The findings
    RecordingFile m_linkFile;                //!< File of links
    RecordingFile m_positionFile;            //!< File of positions
    SampleClock m_clock;                     //!< Clock of samples
    LinkRecorder m_links;                    //!< Recorder of devices
    PositionRecorder m_positions;            //!< Recorder of nodes
    std::optional<PacketRecorder> m_packets; //!< Recorder of packets, if enabled
};

} // namespace ns3

#endif /* NETWORK_RECORDER_H */
