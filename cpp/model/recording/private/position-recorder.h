// SPDX-License-Identifier: GPL-2.0-only

#ifndef POSITION_RECORDER_H
#define POSITION_RECORDER_H

#include "recording-file.h"
#include "sample-clock.h"

#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/vector.h"

#include <cstdint>
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

} // namespace ns3

#endif /* POSITION_RECORDER_H */
