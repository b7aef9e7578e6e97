// SPDX-License-Identifier: GPL-2.0-only

#include "application-start.h"

#include "script-place.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/node.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/socket-factory.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

std::vector<Ptr<const Application>> g_starting; //!< Applications that start at g_startTime
Time g_startTime;                               //!< Time of the starts

/// @return the starting applications, if Python runs no function of the scenario
std::string
DescribeStarting()
{
    std::string text;
    if (Simulator::Now() == g_startTime && IsBetweenFunctions())
    {
        for (const auto& each : g_starting)
        {
            text += GetPlace(each) + "    " + each->GetInstanceTypeId().GetName() + "\n";
        }
    }
    return text.empty()
               ? ""
               : "The cause may be an application that starts now, and was created here:\n" + text;
}

/**
 * @tparam Value Kind of attribute.
 * @param application An application.
 * @param name Name of an attribute.
 * @return the value; null: there is no such attribute of this kind
 */
template <typename Value>
Ptr<Value>
Read(const Application& application, const std::string& name)
{
    TypeId::AttributeInformation info;
    if (!application.GetInstanceTypeId().LookupAttributeByName(name, &info, true))
    {
        return nullptr;
    }
    const auto value = DynamicCast<Value>(info.checker->Create());
    return value && application.GetAttributeFailSafe(name, *value) ? value : nullptr;
}

/**
 * @param application An application that starts.
 * @return a missing requirement, with the remedy; empty: none is known
 */
std::string
FindFault(const Application& application)
{
    const auto remote = Read<AddressValue>(application, "Remote");
    if (remote && remote->Get().IsInvalid())
    {
        return "has no Remote: give its destination, such as Remote=(b.address(), 9)";
    }
    TypeId::AttributeInformation port;
    const bool hasPort =
        application.GetInstanceTypeId().LookupAttributeByName("RemotePort", &port, true);
    if (remote && !hasPort &&
        (Ipv4Address::IsMatchingType(remote->Get()) || Ipv6Address::IsMatchingType(remote->Get())))
    {
        return "has a Remote without a port: give one, as in (b.address(), 9)";
    }
    const auto protocol = Read<TypeIdValue>(application, "Protocol");
    if (protocol && protocol->Get().IsChildOf(SocketFactory::GetTypeId()) &&
        !application.GetNode()->GetObject<SocketFactory>(protocol->Get()))
    {
        return "needs a " + protocol->Get().GetName() +
               ", which its node lacks: give the node an Internet stack";
    }
    return "";
}

/**
 * Check an application at once if it starts now, otherwise just before its start, whose event
 * exists already.
 *
 * @param application An initialised application.
 */
void
Look(Ptr<const Application> application)
{
    TimeValue value;
    application->GetAttribute("StartTime", value);
    const auto moment = TimeStep(1);
    const auto now = Simulator::Now();
    const auto start = std::max(value.Get(), now);
    if (start > now + moment)
    {
        Simulator::Schedule(start - now - moment, [application] { Look(application); });
        return;
    }
    if (start != g_startTime)
    {
        g_starting.clear();
        g_startTime = start;
    }
    g_starting.push_back(application);
    const auto fault = FindFault(*application);
    if (!fault.empty())
    {
        RlSimulation::Fail("\n" + GetPlace(application) +
                           application->GetInstanceTypeId().GetName() + " " + fault + "\n");
    }
}

/** Report that ns-3 aborts, with the running line, or the lines that may be the cause. */
[[noreturn]] void
ReportAbort()
{
    std::set_terminate(nullptr); // a fault in here ends the process
    RlSimulation::Fail("\nns-3 has aborted.\n" + FindPlace() + DescribeStarting() +
                       DescribeSettings());
    std::abort();
}

} // namespace

void
ReportAborts()
{
    std::set_terminate(&ReportAbort);
}

void
WatchStart(Ptr<Application> application)
{
    NotePlace(application);
    // Run after the node has initialised the application, and before it starts.
    Simulator::ScheduleWithContext(application->GetNode()->GetId(), Time(0), [application] {
        Look(application);
    });
}

} // namespace ns3
