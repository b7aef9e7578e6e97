// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_STATISTICS_H
#define COMMUNICATION_STATISTICS_H

#include "latency-histogram.h"
#include "rl-application-id.h"

#include "ns3/channel-interface.h"
#include "ns3/communication-report.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/opengym-info.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ns3
{

class TrafficStatistics;

/**
 * @ingroup defiance
 *
 * @brief Messages of one kind from one application to another, through all of their channels.
 */
struct CommunicationFlow
{
    RlApplicationId sender;   //!< The sender
    RlApplicationId receiver; //!< The receiver
    std::string kind;         //!< The kind: "observation", "reward", "action", "message", ...

    /**
     * @brief Order by sender, receiver and kind.
     * @return the order of this flow and another
     */
    auto operator<=>(const CommunicationFlow&) const = default;
};

/**
 * @ingroup defiance
 *
 * @brief The fate of the messages of a flow so far, with all latencies.
 */
struct CommunicationTotals : CommunicationCounts
{
    Time totalLatency{};        //!< Sum over received messages
    LatencyHistogram latencies; //!< Latencies of received messages

    /**
     * @brief Get the mean latency.
     * @return mean over received messages, zero without any
     */
    Time GetMeanLatency() const
    {
        return rxMessages > 0 ? totalLatency / static_cast<int64_t>(rxMessages) : Time{};
    }
};

/**
 * @ingroup defiance
 *
 * @brief Counts the messages between the applications of a simulation.
 *
 * It works if the global value CommunicationInfos or CommunicationReport is true when channels are
 * added to applications (`--CommunicationInfos=true` on the command line of a scenario program,
 * `communication_infos=True` in Python), and reports to Python on request. With CommunicationInfos,
 * each agent's infos contain, since the beginning of the episode, for each flow that it sends or
 * receives, `communication/<sender>/<receiver>/<kind>/<quantity>`: tx_messages, tx_bytes,
 * rx_messages, rx_bytes, dropped_messages, dropped_bytes (integers), mean_latency, p95_latency and
 * max_latency (seconds).
 */
class CommunicationStatistics : public Object
{
  public:
    using Flows = std::map<CommunicationFlow, CommunicationTotals>; //!< Totals of each flow

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CommunicationStatistics();
    ~CommunicationStatistics() override;

    /**
     * @brief Get the statistics of this simulation, which live until Simulator::Destroy().
     * @return the statistics
     */
    static Ptr<CommunicationStatistics> Get();

    /**
     * @brief Return whether channels of applications are counted.
     * @return the global value CommunicationInfos, or CommunicationReport
     */
    static bool IsEnabled();

    /**
     * @brief Return whether infos contain the counts.
     * @return the global value CommunicationInfos
     */
    static bool IsInInfos();

    /**
     * @brief Count the messages of one end of a channel from now on.
     * @param local the application at this end
     * @param remote the application at the other end
     * @param interface this end
     */
    void Watch(RlApplicationId local, RlApplicationId remote, Ptr<ChannelInterface> interface);

    /**
     * @brief Stop counting the messages of one end of a channel.
     * @param local the application at this end
     * @param remote the application at the other end
     * @param interface this end
     */
    void Unwatch(RlApplicationId local, RlApplicationId remote, Ptr<ChannelInterface> interface);

    /**
     * @brief Get the totals of each flow.
     * @return totals by sender, receiver and kind
     */
    const Flows& GetFlows() const
    {
        return m_flows;
    }

    /**
     * @brief Get the totals of the flows that an application sends or receives.
     * @param application the application
     * @return infos by `communication/<sender>/<receiver>/<kind>/<quantity>`
     */
    OpenGymInfo GetInfo(RlApplicationId application) const;

    /**
     * @brief Get all counts.
     * @param until the present time, or the end of the episode
     * @return flows, packets of socket channels, and links
     */
    CommunicationReport GetReport(Time until) const;

  protected:
    void DoDispose() override;

  private:
    /**
     * @brief Count a sent message.
     * @param local the sender
     * @param remote the receiver
     * @param message the message
     */
    void CountTx(RlApplicationId local, RlApplicationId remote, const ChannelMessage& message);

    /**
     * @brief Count a received message.
     * @param local the receiver
     * @param remote the sender
     * @param message the message
     */
    void CountRx(RlApplicationId local, RlApplicationId remote, const ChannelMessage& message);

    /**
     * @brief Count a dropped message, unless it is foreign to the channel.
     * @param local the sender
     * @param remote the receiver
     * @param message the message
     */
    void CountDrop(RlApplicationId local, RlApplicationId remote, const ChannelMessage& message);

    Flows m_flows;                                //!< Totals of each flow
    std::unique_ptr<TrafficStatistics> m_traffic; //!< Traffic of socket channels, or null
};

} // namespace ns3

#endif /* COMMUNICATION_STATISTICS_H */
