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
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
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
    PositionRecorder(RecordingFile& file, SampleClock& clock)
        : m_file(file),
          m_clock(clock)
    {
        m_file.WriteText("time_ns,node,x,y,z\n");
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            if (const auto model = (*node)->GetObject<MobilityModel>())
            {
                m_courses.push_back({(*node)->GetId(),
                                     model->GetPosition(),
                                     model->GetVelocity(),
                                     Simulator::Now()});
                model->TraceConnectWithoutContext(
                    "CourseChange",
                    MakeCallback(&PositionRecorder::NoteCourse, this).Bind(m_courses.size() - 1));
            }
        }
    }

    // Trace sources hold its address.
    PositionRecorder(const PositionRecorder&) = delete;
    PositionRecorder& operator=(const PositionRecorder&) = delete;

    /**
     * Write all changes.
     *
     * @param time Instant of the positions.
     */
    void Write(Time time)
    {
        for (auto& course : m_courses)
        {
            const auto moves = course.velocity != Vector();
            if (course.isChanged || moves)
            {
                const auto passed = (time - course.since).GetSeconds();
                const auto& from = course.position;
                const auto& by = course.velocity;
                const Vector here(from.x + by.x * passed,
                                  from.y + by.y * passed,
                                  from.z + by.z * passed);
                m_file.WriteLine(time.GetNanoSeconds(), course.node, here.x, here.y, here.z);
                course.isChanged = false;
            }
        }
    }

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
    void NoteCourse(std::size_t index, Ptr<const MobilityModel> model)
    {
        m_clock.Advance();
        auto& course = m_courses[index];
        const auto before = course.position;
        course.position = model->GetPosition();
        course.velocity = model->GetVelocity();
        course.since = Simulator::Now();
        course.isChanged |= course.position != before;
    }

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
    explicit NetworkRecorder(const RecordOptions& options)
        : m_linkFile(options.folder + "/links.csv"),
          m_positionFile(options.folder + "/positions.csv"),
          m_clock(options.interval,
                  [this](Time time) {
                      m_links.Write(time);
                      m_positions.Write(time);
                  }),
          m_links(m_linkFile, m_clock, m_network),
          m_positions(m_positionFile, m_clock)
    {
        if (options.pcap)
        {
            m_packets.emplace(options.folder, m_network);
        }
    }

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
    void Update()
    {
        m_clock.Advance();
        m_linkFile.FlushIfOld();
        m_positionFile.FlushIfOld();
    }

    /** Write remaining data, and close the files; nothing is written from then on. */
    void Finish()
    {
        m_clock.Finish();
        m_linkFile.Close();
        m_positionFile.Close();
        if (m_packets)
        {
            m_packets->Finish();
        }
        m_network.Release();
    }

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

#endif // NETWORK_RECORDER_H
