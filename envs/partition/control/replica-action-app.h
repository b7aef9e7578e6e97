// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_ACTION_APP_H
#define REPLICA_ACTION_APP_H

#include "partition-filter.h"
#include "replica-application.h"
#include "replica-messages.h"

#include "ns3/action-application.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <functional>
#include <utility>

namespace ns3
{

/**
 * @brief Executes a controller's commands at its node's replica: it controls the process, the
 * interceptor and the network filter.
 */
class ReplicaActionApp : public ActionApplication
{
  public:
    /// Called after a tick, with its number, and whether a request was refused in it.
    using Ticked = std::function<void(uint64_t tick, bool refused)>;

    /**
     * @param replica The replica.
     * @param filter The filter that cuts the replica off from others.
     * @param tickInterval Simulated time of a tick.
     * @param ticked Called after each tick.
     */
    ReplicaActionApp(Ptr<ReplicaApplication> replica,
                     Ptr<PartitionFilter> filter,
                     Time tickInterval,
                     Ticked ticked)
        : m_replica(replica),
          m_filter(filter),
          m_tickInterval(tickInterval),
          m_ticked(std::move(ticked))
    {
    }

  private:
    void DoDispose() override
    {
        m_replica = nullptr;
        m_filter = nullptr;
        m_ticked = nullptr;
        ActionApplication::DoDispose();
    }

    void ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action) override
    {
        const auto command = ReplicaCommand::Decode(action);
        if (command.power == ReplicaCommand::STOP && command.detail != 0)
        {
            const auto draw = static_cast<uint64_t>(command.detail);
            // Half of all stops come after the messages and before the tick, others at any point.
            const auto before = (command.request != 0) + command.released.size();
            const bool isBeforeTick = draw % 2 == 0;
            m_replica->CrashWithin(CountCalls(command), isBeforeTick ? before : draw / 2);
        }
        const bool refused = command.request != 0 && !m_replica->Submit(command.request);
        if (command.cuts)
        {
            m_filter->Cut(command.cut);
        }
        const bool isHealed = command.power == ReplicaCommand::HEAL;
        m_filter->SetLossy(!isHealed);
        m_replica->SetDisturbed(!isHealed);
        Handle(command);
        Switch(command);
        if (command.power != ReplicaCommand::RESET)
        {
            m_replica->Tick();
        }
        Simulator::Schedule(m_tickInterval, [self = Ptr<ReplicaActionApp>(this), command, refused] {
            if (command.power == ReplicaCommand::STOP)
            {
                self->m_replica->Crash();
            }
            self->m_ticked(command.tick, refused);
        });
    }

    /**
     * Discard and release messages, in this order; messages of a crashed process may be gone.
     *
     * @param command The command.
     */
    void Handle(const ReplicaCommand& command)
    {
        const auto interceptor = m_replica->GetInterceptor();
        for (const auto number : command.dropped)
        {
            if (interceptor->GetHeld().contains(number))
            {
                interceptor->Discard(number);
            }
        }
        for (const auto number : command.released)
        {
            if (interceptor->GetHeld().contains(number))
            {
                interceptor->Release(number);
            }
        }
    }

    /**
     * Start, stop or change the replica.
     *
     * @param command The command.
     */
    void Switch(const ReplicaCommand& command)
    {
        switch (command.power)
        {
        case ReplicaCommand::KEEP:
            return;
        case ReplicaCommand::STOP:
            if (command.detail == 0)
            {
                m_replica->Crash();
                m_replica->LoseDelayed();
            }
            return;
        case ReplicaCommand::START:
            return m_replica->Restart();
        case ReplicaCommand::HEAL:
            m_replica->SetClockError(Time());
            return m_replica->Restart();
        case ReplicaCommand::CLOCK:
            return m_replica->SetClockError(NanoSeconds(command.detail));
        case ReplicaCommand::RESET:
            return m_replica->Reset();
        case ReplicaCommand::BYZANTINE:
            return m_replica->BecomeByzantine();
        }
    }

    /**
     * @param command The command.
     * @return the number of calls of the replica in the tick; with a network that delivers messages
     * on arrival, one more for each replica
     */
    uint32_t CountCalls(const ReplicaCommand& command) const
    {
        const bool arrivesLater = !m_replica->GetInterceptor()->Holds();
        return (command.request != 0) + command.released.size() + 1 +
               (arrivesLater ? m_replica->GetGroupSize() : 0);
    }

    Ptr<ReplicaApplication> m_replica; //!< Replica on the node
    Ptr<PartitionFilter> m_filter;     //!< Filter on the node
    Time m_tickInterval;               //!< Simulated time of a tick
    Ticked m_ticked;                   //!< Called after each tick
};

} // namespace ns3

#endif // REPLICA_ACTION_APP_H
