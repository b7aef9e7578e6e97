// SPDX-License-Identifier: GPL-2.0-only

#ifndef EPISODE_RECORDING_H
#define EPISODE_RECORDING_H

#include "application-recorder.h"
#include "bridge-options.h"
#include "message-recorder.h"
#include "recording-file.h"

#include "ns3/channel-interface.h"
#include "ns3/transfer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ns3
{

class NetworkRecorder;
class TopologyFile;

/**
 * @brief The files that a simulation writes about its episode, on request.
 *
 * The recording only uses trace sources: it has no events, draws no random numbers and sends
 * nothing. So a recorded episode is the same as without recording.
 */
class EpisodeRecording
{
  public:
    /**
     * @return the recording of this simulation, which lives until Simulator::Destroy(); null: no
     * recording
     */
    static EpisodeRecording* Find();

    /**
     * Create the files; end the process on a failure.
     *
     * @param options The files to write, and their folder.
     */
    explicit EpisodeRecording(RecordOptions options);
    ~EpisodeRecording();

    // Trace sources hold its address.
    EpisodeRecording(const EpisodeRecording&) = delete;
    EpisodeRecording& operator=(const EpisodeRecording&) = delete;

    /**
     * @return the recorder of channels between applications
     */
    MessageRecorder& GetMessages()
    {
        return m_messages;
    }

    /**
     * @return the recorder of applications
     */
    ApplicationRecorder& GetApplications()
    {
        return m_applications;
    }

    /** Record the present network, and its changes from now on; once. */
    void Begin();

    /** Write known data to the files soon; call this while simulated time stands still. */
    void Update();

    /**
     * Record an event.
     *
     * @param time Time of the event.
     * @param kind The event: "joined", "ended", "transfer", "moved", or a scenario's own.
     * @param agent Name of the event's agent or application; empty: none.
     * @param text Further text.
     */
    void NoteEvent(Time time,
                   const std::string& kind,
                   const std::string& agent,
                   const std::string& text);

    /**
     * Record an ordered transfer.
     *
     * @param order The transfer.
     */
    void NoteTransfer(const TransferOrder& order);

    /**
     * Record the outcome of a transfer.
     *
     * @param report The outcome of the transfer.
     */
    void NoteTransfer(const TransferReport& report);

    /** Write remaining data, and close the files; nothing is written from then on. */
    void End();

  private:
    RecordOptions m_options;                     //!< The files to write, and their folder
    RecordingFile m_messageFile;                 //!< File of messages
    RecordingFile m_moveFile;                    //!< File of moves of applications
    RecordingFile m_eventFile;                   //!< File of events
    MessageRecorder m_messages;                  //!< Recorder of channels
    ApplicationRecorder m_applications;          //!< Recorder of applications
    std::unique_ptr<NetworkRecorder> m_network;  //!< Recorder of nodes and links
    std::unique_ptr<TopologyFile> m_topology;    //!< Topology of the episode
    std::map<uint64_t, std::string> m_transfers; //!< Senders of current transfers, by number
    bool m_isOver{false};                        //!< Whether recording has ended
};

} // namespace ns3

#endif /* EPISODE_RECORDING_H */
