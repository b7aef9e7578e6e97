// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOPOLOGY_FILE_H
#define TOPOLOGY_FILE_H

#include "application-recorder.h"
#include "json-text.h"
#include "message-recorder.h"
#include "recorded-network.h"
#include "recording-file.h"

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ns3
{

constexpr const char* LINE = "\n  "; // an item has its own line

/**
 * @param id Number of the node.
 * @param node A node.
 * @return the node as JSON
 */
inline std::string
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
 * @param id Number of the link.
 * @param link A link.
 * @return the link as JSON
 */
inline std::string
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
 * @return the application as JSON
 */
inline std::string
DescribeApplication(const ApplicationRecorder::Member& member)
{
    const auto node = member.node ? std::optional(int64_t{*member.node}) : std::nullopt;
    return "{\"name\":" + ToJson(member.name) + ",\"role\":" + ToJson(member.role) +
           ",\"node\":" + ToJson(node) + "}";
}

/**
 * @param channel A channel.
 * @return the channel as JSON
 */
inline std::string
DescribeChannel(const MessageRecorder::Direction& channel)
{
    return "{\"id\":" + ToJson(int64_t{channel.number}) + ",\"from\":" + ToJson(channel.from) +
           ",\"to\":" + ToJson(channel.to) + ",\"kind\":" + ToJson(channel.kind) + "}";
}

/**
 * @brief The file topology.json, which describes the parts of a simulation.
 */
class TopologyFile
{
  public:
    /**
     * Write the file; readers find only complete files.
     *
     * @param folder Folder of the file.
     * @param network The nodes and links.
     * @param applications The applications.
     * @param messages The channels between them.
     */
    TopologyFile(const std::string& folder,
                 const RecordedNetwork& network,
                 ApplicationRecorder& applications,
                 MessageRecorder& messages)
        : m_network(network),
          m_applications(applications),
          m_messages(messages),
          m_file(folder + "/topology.json.new"),
          m_process(getpid())
    {
        m_file.Replace(Describe());
        m_file.Rename(folder + "/topology.json");
    }

    /** Write the file again if there are new applications or channels, or it was truncated. */
    void Update()
    {
        const auto hasApplications = m_applications.TakeNews();
        const auto hasChannels = m_messages.TakeNews();
        // A copy of the process that continues from a snapshot has cut its files to their length at
        // that time.
        const auto process = getpid();
        if (hasApplications || hasChannels || process != m_process)
        {
            m_process = process;
            m_file.Replace(Describe());
        }
    }

  private:
    /**
     * @return the topology as JSON
     */
    std::string Describe() const
    {
        std::vector<std::string> nodes;
        for (const auto& node : m_network.GetNodes())
        {
            nodes.push_back(DescribeNode(nodes.size(), node));
        }
        std::vector<std::string> links;
        for (const auto& link : m_network.GetLinks())
        {
            links.push_back(DescribeLink(links.size(), link));
        }
        std::vector<std::string> members;
        for (const auto& member : m_applications.GetMembers())
        {
            members.push_back(DescribeApplication(member));
        }
        std::vector<std::string> channels;
        for (const auto& channel : m_messages.GetChannels())
        {
            channels.push_back(DescribeChannel(channel));
        }
        return "{\"format\":1,\n \"nodes\":" + ToJsonArray(nodes, LINE) +
               ",\n \"links\":" + ToJsonArray(links, LINE) +
               ",\n \"applications\":" + ToJsonArray(members, LINE) +
               ",\n \"channels\":" + ToJsonArray(channels, LINE) + "}\n";
    }

    const RecordedNetwork& m_network;    //!< The nodes and links
    ApplicationRecorder& m_applications; //!< The applications
    MessageRecorder& m_messages;         //!< Recorder of the channels
    RecordingFile m_file;                //!< The file
    pid_t m_process;                     //!< Process that has written the topology
};

} // namespace ns3

#endif // TOPOLOGY_FILE_H
