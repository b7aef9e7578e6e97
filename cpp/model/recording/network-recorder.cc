// SPDX-License-Identifier: GPL-2.0-only

#include "private/network-recorder.h"

namespace ns3
{

NetworkRecorder::NetworkRecorder(const RecordOptions& options)
    : m_linkFile(options.folder + "/links.csv"),
      m_positionFile(options.folder + "/positions.csv"),
      m_clock(options.interval,
              [this](Time time) {
                  m_links.Write(time);
                  m_positions.Write(time);
              }),
      m_links(m_linkFile, m_clock, m_network),
      m_positions(m_positionFile, m_clock)
{
    if (options.pcap)
    {
        m_packets.emplace(options.folder, m_network);
    }
}

const RecordedNetwork&
NetworkRecorder::GetNetwork() const
{
    return m_network;
}

void
NetworkRecorder::Update()
{
    m_clock.Advance();
    m_linkFile.FlushIfOld();
    m_positionFile.FlushIfOld();
}

void
NetworkRecorder::Finish()
{
    m_clock.Finish();
    m_linkFile.Close();
    m_positionFile.Close();
    if (m_packets)
    {
        m_packets->Finish();
    }
    m_network.Release();
}

} // namespace ns3
