// SPDX-License-Identifier: GPL-2.0-only

#include "private/network-recorder.h"

#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

PositionRecorder::PositionRecorder(RecordingFile& file, SampleClock& clock)
    : m_file(file),
      m_clock(clock)
{
    m_file.WriteText("time_ns,node,x,y,z\n");
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (const auto model = (*node)->GetObject<MobilityModel>())
        {
            m_courses.push_back(
                {(*node)->GetId(), model->GetPosition(), model->GetVelocity(), Simulator::Now()});
            model->TraceConnectWithoutContext(
                "CourseChange",
                MakeCallback(&PositionRecorder::NoteCourse, this).Bind(m_courses.size() - 1));
        }
    }
}

void
PositionRecorder::NoteCourse(std::size_t index, Ptr<const MobilityModel> model)
{
    m_clock.Advance();
    auto& course = m_courses[index];
    const auto before = course.position;
    course.position = model->GetPosition();
    course.velocity = model->GetVelocity();
    course.since = Simulator::Now();
    course.isChanged |= course.position != before;
}

void
PositionRecorder::Write(Time time)
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

NetworkRecorder::NetworkRecorder(const RecordOptions& options)
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

void
NetworkRecorder::Update()
{
    m_clock.Advance();
    m_linkFile.FlushIfOld();
    m_positionFile.FlushIfOld();
}

void
NetworkRecorder::Finish()
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

} // namespace ns3
