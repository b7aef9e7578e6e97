// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOPOLOGY_FILE_H
#define TOPOLOGY_FILE_H

#include "application-recorder.h"
#include "message-recorder.h"
#include "recorded-network.h"
#include "recording-file.h"

#include <sys/types.h>

#include <string>

namespace ns3
{

/**
 * @brief The file topology.json, which says what a simulation consists of.
 */
class TopologyFile
{
  public:
    /**
     * Write the file; readers do not find it before it is whole.
     *
     * @param folder Where it is.
     * @param network The nodes and links.
     * @param applications The applications.
     * @param messages The channels between them.
     */
    TopologyFile(const std::string& folder,
                 const RecordedNetwork& network,
                 ApplicationRecorder& applications,
                 MessageRecorder& messages);

    /** Write it anew if there are other applications or channels, or it was cut short. */
    void Update();

  private:
    /**
     * @return the topology as JSON
     */
    std::string Describe() const;

    const RecordedNetwork& m_network;    //!< The nodes and links
    ApplicationRecorder& m_applications; //!< The applications
    MessageRecorder& m_messages;         //!< The channels between them
    RecordingFile m_file;                //!< The file
    pid_t m_process;                     //!< The process that has written it
};

} // namespace ns3

#endif /* TOPOLOGY_FILE_H */
