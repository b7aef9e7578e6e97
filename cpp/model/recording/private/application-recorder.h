// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_RECORDER_H
#define APPLICATION_RECORDER_H

#include "recorded-network.h"
#include "recording-file.h"

#include "ns3/application.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Lists the RL applications of a simulation, and records the nodes to which they move.
 */
class ApplicationRecorder
{
  public:
    /** An RL application, or an agent without one. */
    struct Member
    {
        std::string name;             //!< Name of the application
        std::string role;             //!< "observation", "reward", "agent", "action" or "server"
        std::optional<uint32_t> node; //!< First node; none: no node
    };

    /**
     * @param file File to write.
     * @param moved Called after each move with the name and a text about the move.
     */
    ApplicationRecorder(RecordingFile& file,
                        std::function<void(const std::string&, const std::string&)> moved)
        : m_file(file),
          m_moved(std::move(moved))
    {
        m_file.WriteText("time_ns,application,node\n");
    }

    // Trace sources hold its address.
    ApplicationRecorder(const ApplicationRecorder&) = delete;
    ApplicationRecorder& operator=(const ApplicationRecorder&) = delete;

    /**
     * Record an application, once.
     *
     * @param name Name of the application.
     * @param role Role of the application.
     * @param application The application, which has trace source Move.
     */
    void Add(const std::string& name, const std::string& role, Ptr<Application> application)
    {
        const auto node = application->GetNode();
        const auto where = node ? std::optional(node->GetId()) : std::nullopt;
        const auto known = std::find_if(m_members.begin(), m_members.end(), [&name](auto& member) {
            return member.name == name;
        });
        if (known != m_members.end())
        {
            m_hasNews |= !known->node && where;
            known->node = known->node ? known->node : where;
            return;
        }
        m_members.push_back({name, role, where});
        m_hasNews = true;
        application->TraceConnectWithoutContext(
            "Move",
            MakeCallback(&ApplicationRecorder::NoteMove, this).Bind(name));
    }

    /**
     * Record an agent that decides, unless it is a known application.
     *
     * @param name Name of the agent.
     * @param node Node of the agent; nothing: on no node.
     */
    void AddAgent(const std::string& name, std::optional<uint32_t> node)
    {
        const auto known = std::any_of(m_members.begin(), m_members.end(), [&name](auto& member) {
            return member.name == name;
        });
        if (!known)
        {
            m_members.push_back({name, "agent", node});
            m_hasNews = true;
        }
    }

    /**
     * @return whether there are new applications since the last call
     */
    bool TakeNews()
    {
        return std::exchange(m_hasNews, false);
    }

    /**
     * @return the applications, in the order of discovery
     */
    const std::vector<Member>& GetMembers() const
    {
        return m_members;
    }

  private:
    /**
     * @param name Name of an application.
     * @param from Old node of the application.
     * @param to New node of the application.
     */
    void NoteMove(std::string name, Ptr<Node> from, Ptr<Node> to)
    {
        m_file.WriteLine(Simulator::Now().GetNanoSeconds(), name, to->GetId());
        m_moved(name, "from " + GetNodeName(from) + " to " + GetNodeName(to));
    }

    RecordingFile& m_file;                                               //!< File to write
    std::function<void(const std::string&, const std::string&)> m_moved; //!< Called on a move
    std::vector<Member> m_members;                                       //!< Known applications
    bool m_hasNews{false};                                               //!< Whether some are new
};

} // namespace ns3

#endif // APPLICATION_RECORDER_H
