// SPDX-License-Identifier: GPL-2.0-only

#include "private/episode-recording.h"

#include "bridge-options.h"
#include "network-recorder.h"
#include "topology-file.h"

#include "ns3/simulator.h"

#include <array>

namespace ns3
{

namespace
{

/// The last recording: while its simulation is destroyed, trace sources may still call it.
std::unique_ptr<EpisodeRecording> g_recording;
bool g_isCurrent{false}; //!< Whether g_recording is of the present simulation
std::string g_finished;  //!< Folder of a finished recording, which no other simulation may use

} // namespace

EpisodeRecording*
EpisodeRecording::Find()
{
    if (g_isCurrent)
    {
        return g_recording.get();
    }
    const auto& declared = BridgeOptions::Declared();
    if (declared && declared->record.folder.empty())
    {
        return nullptr;
    }
    // Without RlSimulation, or before it has parsed its options, only the environment has options.
    const auto options = declared ? declared->record : RecordOptions::FromEnvironment();
    if (options.folder.empty() || options.folder == g_finished)
    {
        return nullptr;
    }
    g_recording = std::make_unique<EpisodeRecording>(options);
    g_finished = options.folder;
    g_isCurrent = true;
    Simulator::ScheduleDestroy([] {
        g_recording->End();
        g_isCurrent = false;
    });
    return g_recording.get();
}

EpisodeRecording::EpisodeRecording(RecordOptions options)
    : m_options(std::move(options)),
      m_messageFile(m_options.folder + "/messages.csv"),
      m_moveFile(m_options.folder + "/moves.csv"),
      m_eventFile(m_options.folder + "/events.csv"),
      m_messages(m_messageFile),
      m_applications(m_moveFile, [this](const auto& name, const auto& text) {
          NoteEvent(Simulator::Now(), "moved", name, text);
      })
{
    m_eventFile.WriteText("time_ns,kind,agent,text\n");
}

EpisodeRecording::~EpisodeRecording() = default;

void
EpisodeRecording::Begin()
{
    if (m_network || m_isOver)
    {
        return;
    }
    m_network = std::make_unique<NetworkRecorder>(m_options);
    m_topology = std::make_unique<TopologyFile>(m_options.folder,
                                                m_network->GetNetwork(),
                                                m_applications,
                                                m_messages);
    Update();
}

void
EpisodeRecording::Update()
{
    if (m_isOver)
    {
        return;
    }
    if (m_network)
    {
        m_topology->Update();
        m_network->Update();
    }
    for (auto* file : {&m_messageFile, &m_moveFile, &m_eventFile})
    {
        file->FlushIfOld();
    }
}

void
EpisodeRecording::NoteEvent(Time time,
                            const std::string& kind,
                            const std::string& agent,
                            const std::string& text)
{
    if (!m_isOver)
    {
        m_eventFile.WriteLine(time.GetNanoSeconds(), kind, agent, text);
    }
}

void
EpisodeRecording::NoteTransfer(const TransferOrder& order)
{
    m_transfers[order.number] = order.sender;
    NoteEvent(Simulator::Now(),
              "transfer",
              order.sender,
              std::to_string(order.number) + " ordered: " + std::to_string(order.bytes) +
                  " bytes of " + order.kind + " to " + order.receiver);
}

void
EpisodeRecording::NoteTransfer(const TransferReport& report)
{
    static constexpr std::array outcomes{"", "delivered", "lost", "refused"};
    const auto sender = m_transfers.extract(report.number);
    NoteEvent(report.time,
              "transfer",
              sender.empty() ? "" : sender.mapped(),
              std::to_string(report.number) + " " +
                  outcomes.at(static_cast<std::size_t>(report.outcome)) +
                  (report.reason.empty() ? "" : ": " + report.reason));
}

void
EpisodeRecording::End()
{
    if (m_isOver)
    {
        return;
    }
    m_messages.Finish();
    if (m_network)
    {
        m_topology->Update();
        m_network->Finish();
    }
    for (auto* file : {&m_messageFile, &m_moveFile, &m_eventFile})
    {
        file->Close();
    }
    m_isOver = true;
}

} // namespace ns3
