// SPDX-License-Identifier: GPL-2.0-only

#include "private/animation-file.h"

#include "ns3/config.h"
#include "ns3/rl-parameter.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ns3
{

namespace
{

constexpr double RADIUS = 50; // of the circle of nodes without a place, in meters

/**
 * @param name Name of an attribute.
 * @param value A number.
 * @return the attribute
 */
template <typename Number>
std::string
ToAttribute(const char* name, Number value)
{
    return std::string(" ") + name + "=\"" + FormatText(value) + "\"";
}

/**
 * @param name Name of an attribute.
 * @param value A time.
 * @return the attribute, in seconds
 */
std::string
ToAttribute(const char* name, Time value)
{
    return ToAttribute(name, value.GetSeconds());
}

/**
 * @param text A text.
 * @return it as the value of an attribute
 */
std::string
Escape(const std::string& text)
{
    std::string escaped;
    for (const auto character : text)
    {
        switch (character)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += character;
        }
    }
    return escaped;
}

} // namespace

AnimationFile::AnimationFile(const std::string& folder, const RecordedNetwork& network)
    : m_file(folder + "/animation.xml")
{
    m_file.WriteText("<anim ver=\"netanim-3.109\" filetype=\"animation\">\n");
    Introduce(network);
    for (const auto& device : network.GetDevices())
    {
        Watch(device);
    }
}

void
AnimationFile::Introduce(const RecordedNetwork& network)
{
    const auto& nodes = network.GetNodes();
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        const auto angle = 2 * std::numbers::pi * i / static_cast<double>(nodes.size());
        const auto place = nodes[i].position.value_or(
            Vector(RADIUS * (1 + std::cos(angle)), RADIUS * (1 + std::sin(angle)), 0));
        m_file.WriteText("<node" + ToAttribute("id", i) + ToAttribute("sysId", 0) +
                         ToAttribute("locX", place.x) + ToAttribute("locY", place.y) +
                         " />\n<nu p=\"d\" t=\"0\"" + ToAttribute("id", i) + " descr=\"" +
                         Escape(nodes[i].name) + "\" />\n");
    }
    for (const auto& link : network.GetLinks())
    {
        if (link.kind == "point-to-point" && link.nodes.size() == 2)
        {
            m_file.WriteText("<link" + ToAttribute("fromId", link.nodes[0]) +
                             ToAttribute("toId", link.nodes[1]) + " fd=\"\" td=\"\" ld=\"" +
                             Escape(link.name) + "\" />\n");
        }
    }
}

void
AnimationFile::Watch(const RecordedDevice& device)
{
    const auto node = device.device->GetNode()->GetId();
    if (device.kind == "point-to-point")
    {
        // Both devices name the channel, which is to be heard once.
        const auto hop = MakeCallback(&AnimationFile::NoteHop, this);
        const auto channel = device.device->GetChannel();
        channel->TraceDisconnectWithoutContext("TxRxPointToPoint", hop);
        channel->TraceConnectWithoutContext("TxRxPointToPoint", hop);
    }
    else if (device.kind == "csma")
    {
        device.device->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&AnimationFile::NoteTx, this).Bind(device.link, node));
        device.device->TraceConnectWithoutContext(
            "PhyRxEnd",
            MakeCallback(&AnimationFile::NoteRx, this).Bind(device.link, node));
    }
    else if (device.kind == "wifi")
    {
        const auto phys = GetConfigPath(device) + "$ns3::WifiNetDevice/Phys/*/";
        Config::ConnectWithoutContextFailSafe(
            phys + "PhyTxBegin",
            MakeCallback(&AnimationFile::NoteWifiTx, this).Bind(device.link, node));
        Config::ConnectWithoutContextFailSafe(
            phys + "PhyRxEnd",
            MakeCallback(&AnimationFile::NoteRx, this).Bind(device.link, node));
    }
}

void
AnimationFile::NotePosition(Time time, uint32_t node, const Vector& position)
{
    m_file.WriteText("<nu p=\"p\"" + ToAttribute("t", time) + ToAttribute("id", node) +
                     ToAttribute("x", position.x) + ToAttribute("y", position.y) + " />\n");
}

void
AnimationFile::NoteHop(Ptr<const Packet> frame,
                       Ptr<NetDevice> from,
                       Ptr<NetDevice> to,
                       Time duration,
                       Time arrival)
{
    const auto now = Simulator::Now();
    WriteFrame(from->GetNode()->GetId(),
               to->GetNode()->GetId(),
               {now, now + duration},
               {now + arrival - duration, now + arrival});
}

void
AnimationFile::NoteTx(std::size_t link, uint32_t node, Ptr<const Packet> frame)
{
    auto& last = m_sent[{link, node}];
    if (last.begin != Simulator::Now())
    {
        last.frames.clear();
    }
    last.begin = Simulator::Now();
    last.frames.push_back(frame->GetUid());
}

void
AnimationFile::NoteWifiTx(std::size_t link, uint32_t node, Ptr<const Packet> frame, double power)
{
    NoteTx(link, node, frame);
}

void
AnimationFile::NoteRx(std::size_t link, uint32_t node, Ptr<const Packet> frame)
{
    const auto now = Simulator::Now();
    for (auto sent = m_sent.lower_bound({link, 0}); sent != m_sent.end(); ++sent)
    {
        const auto& [where, last] = *sent;
        if (where.first != link)
        {
            break;
        }
        if (where.second != node &&
            std::count(last.frames.begin(), last.frames.end(), frame->GetUid()) > 0)
        {
            WriteFrame(where.second, node, {last.begin, now}, {last.begin, now});
        }
    }
}

void
AnimationFile::WriteFrame(uint32_t from,
                          uint32_t to,
                          std::pair<Time, Time> sent,
                          std::pair<Time, Time> received)
{
    if (!m_isOver)
    {
        m_file.WriteText("<p" + ToAttribute("fId", from) + ToAttribute("fbTx", sent.first) +
                         ToAttribute("lbTx", sent.second) + ToAttribute("tId", to) +
                         ToAttribute("fbRx", received.first) +
                         ToAttribute("lbRx", received.second) + " />\n");
    }
}

void
AnimationFile::Update()
{
    m_file.FlushIfOld();
}

void
AnimationFile::Finish()
{
    m_file.WriteText("</anim>\n");
    m_file.Close();
    m_isOver = true;
}

} // namespace ns3
