// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_RECORDER_H
#define APPLICATION_RECORDER_H

#include "recording-file.h"

#include "ns3/application.h"

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
                        std::function<void(const std::string&, const std::string&)> moved);

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
    void Add(const std::string& name, const std::string& role, Ptr<Application> application);

    /**
     * Record an agent that decides, unless it is a known application.
     *
     * @param name Name of the agent.
     * @param node Node of the agent; nothing: on no node.
     */
    void AddAgent(const std::string& name, std::optional<uint32_t> node);

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
    void NoteMove(std::string name, Ptr<Node> from, Ptr<Node> to);

    RecordingFile& m_file;                                               //!< File to write
    std::function<void(const std::string&, const std::string&)> m_moved; //!< Called on a move
    std::vector<Member> m_members;                                       //!< Known applications
    bool m_hasNews{false};                                               //!< Whether some are new
};

} // namespace ns3

#endif /* APPLICATION_RECORDER_H */
