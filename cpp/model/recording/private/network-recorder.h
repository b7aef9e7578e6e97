// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_RECORDER_H
#define NETWORK_RECORDER_H

#include "bridge-options.h"
#include "link-recorder.h"
#include "packet-recorder.h"
#include "position-recorder.h"
#include "recorded-network.h"
#include "recording-file.h"
#include "sample-clock.h"

#include <optional>

namespace ns3
{

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
    explicit NetworkRecorder(const RecordOptions& options);

    // Trace sources hold its address.
    NetworkRecorder(const NetworkRecorder&) = delete;
    NetworkRecorder& operator=(const NetworkRecorder&) = delete;

    /**
     * @return the nodes and links at the begin
     */
    const RecordedNetwork& GetNetwork() const;

    /** Write known data to the files soon. */
    void Update();

    /** Write remaining data, and close the files; nothing is written from then on. */
    void Finish();

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

#endif /* NETWORK_RECORDER_H */
