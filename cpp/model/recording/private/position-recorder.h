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
 * @brief Writes where nodes are that have moved.
 *
 * Models of mobility are asked only when they tell of a new course: to be asked meanwhile would
 * round their numbers in another way, and change the episode. Until the next course a node
 * continues at the velocity of its model.
 */
class PositionRecorder
{
  public:
    /**
     * Listen to all nodes that have a model of mobility.
     *
     * @param file Where to write.
     * @param clock The clock; it advances before each change is noted.
     */
    PositionRecorder(RecordingFile& file, SampleClock& clock);

    // Trace sources know it by its address.
    PositionRecorder(const PositionRecorder&) = delete;
    PositionRecorder& operator=(const PositionRecorder&) = delete;

    /**
     * Write what has changed.
     *
     * @param time The instant that the positions are of.
     */
    void Write(Time time);

  private:
    /** The course of one node. */
    struct Course
    {
        uint32_t node;         //!< The node
        Vector position;       //!< Where it was
        Vector velocity;       //!< And how it moved
        Time since;            //!< At that time
        bool isChanged{false}; //!< Since a position was written
    };

    /**
     * @param index Position of a course.
     * @param model The node that has changed it.
     */
    void NoteCourse(std::size_t index, Ptr<const MobilityModel> model);

    RecordingFile& m_file;         //!< Where to write
    SampleClock& m_clock;          //!< Says when
    std::vector<Course> m_courses; //!< By node
};

} // namespace ns3

#endif /* POSITION_RECORDER_H */
