// SPDX-License-Identifier: GPL-2.0-only

#include "private/topology-file.h"

#include "bridge-options.h"
#include "private/json-text.h"
#include "private/recording-file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ns3
{

namespace
{

constexpr const char* LINE = "\n  "; // an item stands on a line of its own

/**
 * @param id Its number.
 * @param node A node.
 * @return it as JSON
 */
std::string
DescribeNode(std::size_t id, const RecordedNode& node)
{
    std::string position = "null";
    if (const auto& here = node.position)
    {
        position = ToJsonArray({ToJson(here->x), ToJson(here->y), ToJson(here->z)});
    }
    return "{\"id\":" + ToJson(static_cast<int64_t>(id)) + ",\"name\":" + ToJson(node.name) +
           ",\"position\":" + position + "}";
}

/**
 * @param id Its number.
 * @param link A link.
 * @return it as JSON
 */
std::string
DescribeLink(std::size_t id, const RecordedLink& link)
{
    std::vector<std::string> nodes;
    for (const auto node : link.nodes)
    {
        nodes.push_back(ToJson(int64_t{node}));
    }
    return "{\"id\":" + ToJson(static_cast<int64_t>(id)) + ",\"kind\":" + ToJson(link.kind) +
           ",\"name\":" + ToJson(link.name) + ",\"nodes\":" + ToJsonArray(nodes) +
           ",\"rate_bps\":" + ToJson(link.rate) + ",\"delay_ns\":" + ToJson(link.delay) + "}";
}

/**
 * @param member An application.
 * @return it as JSON
 */
std::string
DescribeApplication(const ApplicationRecorder::Member& member)
{
    const auto node = member.node ? std::optional(int64_t{*member.node}) : std::nullopt;
    return "{\"name\":" + ToJson(member.name) + ",\"role\":" + ToJson(member.role) +
           ",\"node\":" + ToJson(node) + "}";
}

/**
 * @param channel A channel.
 * @return it as JSON
 */
std::string
DescribeChannel(const MessageRecorder::Direction& channel)
{
    return "{\"id\":" + ToJson(int64_t{channel.number}) + ",\"from\":" + ToJson(channel.from) +
           ",\"to\":" + ToJson(channel.to) + ",\"kind\":" + ToJson(channel.kind) + "}";
}

} // namespace

void
WriteTopology(const std::string& folder,
              const RecordedNetwork& network,
              const ApplicationRecorder& applications,
              const MessageRecorder& messages)
{
    std::vector<std::string> nodes;
    for (const auto& node : network.GetNodes())
    {
        nodes.push_back(DescribeNode(nodes.size(), node));
    }
    std::vector<std::string> links;
    for (const auto& link : network.GetLinks())
    {
        links.push_back(DescribeLink(links.size(), link));
    }
    std::vector<std::string> members;
    for (const auto& member : applications.GetMembers())
    {
        members.push_back(DescribeApplication(member));
    }
    std::vector<std::string> channels;
    for (const auto& channel : messages.GetChannels())
    {
        channels.push_back(DescribeChannel(channel));
    }
    const auto path = folder + "/topology.json";
    const auto half = path + ".new";
    RecordingFile file(half);
    file.WriteText("{\"format\":1,\n \"nodes\":" + ToJsonArray(nodes, LINE) + ",\n \"links\":" +
                   ToJsonArray(links, LINE) + ",\n \"applications\":" + ToJsonArray(members, LINE) +
                   ",\n \"channels\":" + ToJsonArray(channels, LINE) + "}\n");
    file.Close();
    if (std::rename(half.c_str(), path.c_str()) != 0)
    {
        ReportError("the recording cannot be written to '" + path + "': " + std::strerror(errno));
        EndProcess(1);
    }
}

} // namespace ns3
