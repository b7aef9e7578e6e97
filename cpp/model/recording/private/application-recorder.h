// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_RECORDER_H
#define APPLICATION_RECORDER_H

#include "recording-file.h"

#include "ns3/application.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Knows the RL applications of a simulation, and writes the nodes to which they move.
 */
class ApplicationRecorder
{
  public:
    /** An RL application, or an agent without one. */
    struct Member
    {
        std::string name;             //!< Its name
        std::string role;             //!< "observation", "reward", "agent", "action" or "server"
        std::optional<uint32_t> node; //!< Where it was at first; nothing: on no node
    };

    /**
     * @param file Where to write.
     * @param moved Is called after each move with the name and what is to be said of the move.
     */
    ApplicationRecorder(RecordingFile& file,
                        std::function<void(const std::string&, const std::string&)> moved);

    // Trace sources know it by its address.
    ApplicationRecorder(const ApplicationRecorder&) = delete;
    ApplicationRecorder& operator=(const ApplicationRecorder&) = delete;

    /**
     * Note an application, once.
     *
     * @param name Its name.
     * @param role Its part.
     * @param application The application, which has trace source Move.
     */
    void Add(const std::string& name, const std::string& role, Ptr<Application> application);

    /**
     * Note an agent that decides, unless it is an application that is known.
     *
     * @param name Its name.
     * @param node Where it decides; nothing: on no node.
     */
    void AddAgent(const std::string& name, std::optional<uint32_t> node);

    /**
     * @return whether applications are new since the last call
     */
    bool TakeNews();

    /**
     * @return the applications, in the order in which they were found
     */
    const std::vector<Member>& GetMembers() const;

  private:
    /**
     * @param name Name of an application.
     * @param from Its old node.
     * @param to Its new node.
     */
    void NoteMove(std::string name, Ptr<Node> from, Ptr<Node> to);

    RecordingFile& m_file;                                               //!< Where to write
    std::function<void(const std::string&, const std::string&)> m_moved; //!< Hears of moves
    std::vector<Member> m_members;                                       //!< As found
    bool m_hasNews{false};                                               //!< Some are new
};

} // namespace ns3

#endif /* APPLICATION_RECORDER_H */
