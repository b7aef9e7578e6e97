// SPDX-License-Identifier: GPL-2.0-only

#ifndef EPISODE_RECORDING_H
#define EPISODE_RECORDING_H

#include "application-recorder.h"
#include "message-recorder.h"
#include "network-recorder.h"
#include "record-options.h"
#include "recording-file.h"
#include "topology-file.h"

#include "ns3/channel-interface.h"
#include "ns3/transfer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief The files that a simulation writes about its episode while it is played, on request.
 *
 * It listens to trace sources and has no events, draws no random numbers and sends
 * nothing: an episode that is recorded is the one that would be played without.
 */
class EpisodeRecording
{
  public:
    /**
     * @return the recording of this simulation, which lives until Simulator::Destroy(); null:
     * nothing is recorded
     */
    static EpisodeRecording* Find();

    /**
     * Create the files; end the process if that is not possible.
     *
     * @param options The files to write, and their folder.
     */
    explicit EpisodeRecording(RecordOptions options);
    ~EpisodeRecording();

    // Trace sources know it by its address.
    EpisodeRecording(const EpisodeRecording&) = delete;
    EpisodeRecording& operator=(const EpisodeRecording&) = delete;

    /**
     * @return where the channels between applications are noted
     */
    MessageRecorder& GetMessages();

    /**
     * @return where applications are noted
     */
    ApplicationRecorder& GetApplications();

    /** Note the network as it is, and what happens in it from now on; once. */
    void Begin();

    /** Have what is known so far in the files soon; call it where simulated time stands still. */
    void Update();

    /**
     * Note something that happens.
     *
     * @param time When.
     * @param kind The event: "joined", "ended", "transfer", "moved", or a scenario's own.
     * @param agent Name of the agent or application that it happens to; empty: to none.
     * @param text Further text.
     */
    void NoteEvent(Time time,
                   const std::string& kind,
                   const std::string& agent,
                   const std::string& text);

    /**
     * Note that a transfer is ordered.
     *
     * @param order The transfer.
     */
    void NoteTransfer(const TransferOrder& order);

    /**
     * Note how a transfer has finished.
     *
     * @param report The outcome of the transfer.
     */
    void NoteTransfer(const TransferReport& report);

    /** Write what is left, and close the files; nothing is written from then on. */
    void End();

  private:
    RecordOptions m_options;                  //!< The files to write, and their folder
    RecordingFile m_messageFile;              //!< Of messages
    RecordingFile m_moveFile;                 //!< Of moves of applications
    RecordingFile m_eventFile;                //!< Of events
    MessageRecorder m_messages;               //!< Watches channels
    ApplicationRecorder m_applications;       //!< Watches applications
    std::optional<NetworkRecorder> m_network; //!< Watches nodes and links since the episode began
    std::optional<TopologyFile> m_topology;   //!< Likewise
    std::map<uint64_t, std::string> m_transfers; //!< Senders of those under way, by number
    bool m_isOver{false};                        //!< Nothing is written any more
};

} // namespace ns3

#endif /* EPISODE_RECORDING_H */
