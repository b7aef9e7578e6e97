// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_RECORDER_H
#define NETWORK_RECORDER_H

#include "link-recorder.h"
#include "packet-recorder.h"
#include "position-recorder.h"
#include "record-options.h"
#include "recorded-network.h"
#include "recording-file.h"
#include "sample-clock.h"

#include <optional>

namespace ns3
{

/**
 * @brief Writes what happens in the network of a simulation, below its RL applications.
 */
class NetworkRecorder
{
  public:
    /**
     * Listen to what there is now.
     *
     * @param options The files to write, and their folder.
     */
    explicit NetworkRecorder(const RecordOptions& options);

    // Trace sources know it by its address.
    NetworkRecorder(const NetworkRecorder&) = delete;
    NetworkRecorder& operator=(const NetworkRecorder&) = delete;

    /**
     * @return the nodes and links, as they were found
     */
    const RecordedNetwork& GetNetwork() const;

    /** Have what is known so far in the files soon. */
    void Update();

    /** Write what is left, and close the files; nothing is written from then on. */
    void Finish();

  private:
    RecordedNetwork m_network;               //!< The findings
    RecordingFile m_linkFile;                //!< Of links
    RecordingFile m_positionFile;            //!< Of positions
    SampleClock m_clock;                     //!< Says when samples are written
    LinkRecorder m_links;                    //!< Watches devices
    PositionRecorder m_positions;            //!< Watches nodes
    std::optional<PacketRecorder> m_packets; //!< Captures packets; nothing: nobody does
};

} // namespace ns3

#endif /* NETWORK_RECORDER_H */
