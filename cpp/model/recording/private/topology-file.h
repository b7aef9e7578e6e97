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
                 MessageRecorder& messages);

    /** Write the file again if there are new applications or channels, or it was truncated. */
    void Update();

  private:
    /**
     * @return the topology as JSON
     */
    std::string Describe() const;

    const RecordedNetwork& m_network;    //!< The nodes and links
    ApplicationRecorder& m_applications; //!< The applications
    MessageRecorder& m_messages;         //!< Recorder of the channels
    RecordingFile m_file;                //!< The file
    pid_t m_process;                     //!< Process that has written the topology
};

} // namespace ns3

#endif /* TOPOLOGY_FILE_H */
