// SPDX-License-Identifier: GPL-2.0-only

#include "tester-parameters.h"

#include "painter.h"

#include "ns3/hash.h"
#include "ns3/rl-simulation.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_REPLICAS = 10;
constexpr uint32_t MOST_REPLICAS_WITH_ALL_PARTITIONS = 7; // with 877 partitions
constexpr uint32_t MOST_HEALING_TICKS = 1'000'000;

} // namespace

void
TesterParameters::Declare(RlSimulation& simulation)
{
    simulation.AddValue("num_replicas", "Number of replicas.", replicas, 2U, MOST_REPLICAS);
    simulation.AddValue("ticks_between_partition",
                        "Ticks of a step that partitions the network, or keeps its partition.",
                        ticksPerPartition,
                        1U,
                        1000U);
    simulation.AddValue(
        "max_messages_per_tick",
        "Maximum number of messages delivered or dropped before a tick; others wait.",
        mostMessages,
        1U,
        1'000'000U);
    simulation.AddValue("stay_same_state_upto",
                        "Maximum counted number of repetitions of a coloured partition.",
                        staySameUpto,
                        0U,
                        1'000'000U);
    simulation.AddValue("with_crashes", "Whether replicas may be stopped.", withCrashes);
    simulation.AddValue("max_inactive",
                        "Maximum number of replicas stopped at once; 0: no limit.",
                        mostInactive,
                        0U,
                        MOST_REPLICAS);
    simulation.AddValue("crash_limit",
                        "Maximum number of stops in an episode.",
                        crashLimit,
                        0U,
                        1'000'000U);
    simulation.AddChoice(
        "crash_point",
        "Point at which a stopped replica is killed: any point of its tick, drawn; or the start of "
        "the tick, when messages from and to it are lost.",
        crashPoint,
        {"any", "start"});
    simulation.AddValue("with_byzantine",
                        "Whether replicas may become Byzantine and violate their protocol.",
                        withByzantine);
    simulation.AddValue("max_byzantine",
                        "Maximum number of replicas that become Byzantine in an episode.",
                        mostByzantine,
                        0U,
                        MOST_REPLICAS);
    simulation.AddValue(
        "with_delays",
        "Whether messages for a replica may be delayed, so that newer messages overtake them.",
        withDelays);
    simulation.AddValue("largest_jump",
                        "Largest jump of a replica's clock, ahead or back, by an action of a "
                        "tester; 0: no clock jumps.",
                        largestJump,
                        Time(0),
                        Hours(24));
    simulation.AddValue("num_requests",
                        "Number of clients' requests in an episode.",
                        requests,
                        0U,
                        1'000'000U);
    simulation.AddValue("horizon", "Steps of an episode.", horizon, 1U, 1'000'000U);
    simulation.AddValue("max_blocks",
                        "Maximum number of blocks of a partition; 0: the number of replicas.",
                        mostBlocks,
                        0U,
                        MOST_REPLICAS);
    simulation.AddValue("roles",
                        "Whether there are three agents: a client, a crasher and a partitioner.",
                        roles);
    simulation.AddValue("stop_on_violation",
                        "Whether an episode ends when a guarantee of the protocol is violated.",
                        stopsOnViolation);
    simulation.AddValue("no_progress_ticks",
                        "Ticks without progress, while all replicas run in one block, after which "
                        "infos warn; 0: never.",
                        noProgressTicks,
                        0U,
                        1'000'000U);
    simulation.AddChoice("delivery",
                         "Delivery of messages: held and delivered before each tick, or delivered "
                         "by the network on arrival; a partition then cuts links.",
                         delivery,
                         {"pool", "network"});
    simulation.AddChoice("drop_rule",
                         "Fate of messages between blocks: dropped before each tick of a step, "
                         "dropped before its first tick only, or held until they may pass.",
                         dropRule,
                         {"every_tick", "first_tick", "hold"});
    simulation.AddChoice(
        "illegal_actions",
        "Effect of an action that the mask forbids: an error, or the first allowed action.",
        illegalActions,
        {"refuse", "keep"});
    DeclareHealing(simulation);
    DeclareViews(simulation);
}

void
TesterParameters::DeclareHealing(RlSimulation& simulation)
{
    simulation.AddChoice("healing",
                         "Healing phases, in which all replicas run on whole links and must commit "
                         "requests: at the end of an episode, by an action of a tester, or both.",
                         healing,
                         {"never", "at_end", "on_demand", "both"});
    simulation.AddValue("healing_ticks",
                        "Ticks without progress after which a healing phase has failed; 0: the "
                        "protocol's number.",
                        healingTicks,
                        0U,
                        MOST_HEALING_TICKS);
    simulation.AddValue("stable_ticks",
                        "Ticks for which a healed group must keep its leader; 0: the protocol's "
                        "number.",
                        stableTicks,
                        0U,
                        MOST_HEALING_TICKS);
    simulation.AddValue(
        "healing_every",
        "One in this number of episodes is healed at its end, depending on its seed.",
        healingEvery,
        1U,
        1'000'000U);
}

bool
TesterParameters::HealsAtEnd() const
{
    const std::array<uint64_t, 2> key{RngSeedManager::GetSeed(), RngSeedManager::GetRun()};
    const auto drawn = Hash64(reinterpret_cast<const char*>(key.data()), sizeof(key));
    return (healing == "at_end" || healing == "both") && drawn % healingEvery == 0;
}

void
TesterParameters::DeclareViews(RlSimulation& simulation)
{
    simulation.AddValue("painter",
                        "Observed fields of a replica, optionally with bounds, as in "
                        "state,term:6,log:6; default: the protocol's.",
                        painter);
    simulation.AddValue("boundary",
                        "Largest values, as in term:9,commit:20; an episode in which a replica "
                        "exceeds one is truncated; empty: none.",
                        boundary);
    simulation.AddChoice("infos",
                         "Whether infos have all states, or only hashes and counts, which is "
                         "faster.",
                         infos,
                         {"all", "hashes"});
    simulation.AddValue("action_hashes",
                        "Whether infos have a hash of each allowed action.",
                        actionHashes);
    simulation.AddValue("histories",
                        "Whether infos have the requests and responses of clients.",
                        histories);
    simulation.AddChoice("consistency",
                         "The guarantee that histories are checked for: an order of all requests "
                         "in real time, or in each client's time, or the guarantees of sessions.",
                         consistency,
                         {"linearizability", "sequential_consistency", "sessions"});
    simulation.AddValue("message_events",
                        "Whether infos have the fate of each message.",
                        messageEvents);
}

std::string
TesterParameters::FindFaultsContradiction(const ReplicaProtocol& protocol) const
{
    std::ostringstream fault;
    if (withCrashes && crashLimit == 0)
    {
        return "with_crashes=true and crash_limit=0 allow no crash; give a limit, or "
               "with_crashes=false";
    }
    if (mostInactive > replicas)
    {
        fault << "max_inactive=" << mostInactive << " is more than num_replicas=" << replicas;
    }
    else if (mostByzantine > replicas)
    {
        fault << "max_byzantine=" << mostByzantine << " is more than num_replicas=" << replicas;
    }
    else if (withByzantine != (mostByzantine > 0))
    {
        fault << "with_byzantine=" << (withByzantine ? "true" : "false")
              << " and max_byzantine=" << mostByzantine
              << " allow no Byzantine replica; give both, or neither";
    }
    else if (withByzantine && !protocol.ToleratesByzantine())
    {
        fault << "with_byzantine=true: protocol=" << protocol.GetName()
              << " guarantees nothing with Byzantine replicas";
    }
    else if (ClocksJump() && !protocol.ReadsClock())
    {
        fault << "largest_jump=" << largestJump.As(Time::S)
              << ": replicas of protocol=" << protocol.GetName()
              << " count ticks, and read no clock that could jump";
    }
    else if (consistency != "linearizability" && !histories)
    {
        fault << "consistency=" << consistency << " is for histories; give histories=true";
    }
    return fault.str();
}

std::string
TesterParameters::FindDeliveryContradiction() const
{
    std::ostringstream fault;
    if (delivery == "network" && dropRule != "every_tick")
    {
        fault << "drop_rule=" << dropRule
              << " is for delivery=pool: delivery=network holds no messages";
    }
    else if (delivery == "network" && mostMessages != MOST_MESSAGES)
    {
        fault << "max_messages_per_tick=" << mostMessages
              << " is for delivery=pool; with delivery=network leave it at " << MOST_MESSAGES;
    }
    else if (delivery == "network" && withDelays)
    {
        fault << "with_delays=true is for delivery=pool; with delivery=network, link_jitter lets "
                 "messages overtake each other";
    }
    return fault.str();
}

std::string
TesterParameters::FindHealingContradiction(const ReplicaProtocol& protocol) const
{
    std::ostringstream fault;
    ReplicaState blank;
    blank.values.resize(protocol.GetFields().size());
    if (!Heals() && healingTicks + stableTicks > 0)
    {
        fault << (healingTicks > 0 ? "healing_ticks=" : "stable_ticks=")
              << std::max(healingTicks, stableTicks)
              << " is for healing phases; give healing=at_end, on_demand or both";
    }
    else if (healing != "at_end" && healing != "both" && healingEvery > 1)
    {
        fault << "healing_every=" << healingEvery
              << " is for healing at the end of episodes; give healing=at_end or both";
    }
    else if (Heals() && !protocol.CountCommitted(blank))
    {
        fault << "healing=" << healing << ": replicas of protocol=" << protocol.GetName()
              << " have no field `commit`, the number of committed entries of their logs: declare "
                 "one, in C++ or override CountCommitted(), or leave healing at never";
    }
    else if (Heals())
    {
        const ReplicaGroup group{.states = std::vector(replicas, blank)};
        const auto ticks = healingTicks > 0 ? 0 : protocol.GetHealingTicks(group, tick);
        fault << protocol.FindHealingContradiction(replicas, mostByzantine, tick);
        if (fault.str().empty() && ticks > MOST_HEALING_TICKS)
        {
            fault << "healing=" << healing << ": protocol=" << protocol.GetName() << " may need "
                  << ticks << " ticks of tick_interval=" << tick.As(Time::MS)
                  << " without progress, more than " << MOST_HEALING_TICKS
                  << "; give it shorter timeouts, a longer tick_interval, or healing_ticks";
        }
    }
    return fault.str();
}

std::string
TesterParameters::FindContradiction(const ReplicaProtocol& protocol) const
{
    for (const auto& each : {FindFaultsContradiction(protocol),
                             FindDeliveryContradiction(),
                             FindHealingContradiction(protocol)})
    {
        if (!each.empty())
        {
            return each;
        }
    }
    std::ostringstream fault;
    if (replicas > MOST_REPLICAS_WITH_ALL_PARTITIONS && mostBlocks != 1 && mostBlocks != 2)
    {
        fault << "num_replicas=" << replicas
              << " has too many partitions; max_blocks=2 takes up to " << MOST_REPLICAS
              << " replicas, and without it there are " << MOST_REPLICAS_WITH_ALL_PARTITIONS
              << " at most";
    }
    else if (const auto wrong = Painter(protocol.GetFields(), replicas).Parse(GetPainter(protocol));
             !wrong.empty())
    {
        fault << "painter=" << painter << " " << wrong;
    }
    else
    {
        std::string wrongBoundary;
        ReadBoundary(protocol, wrongBoundary);
        fault << wrongBoundary;
    }
    return fault.str();
}

std::map<std::size_t, int64_t>
TesterParameters::ReadBoundary(const ReplicaProtocol& protocol, std::string& fault) const
{
    std::map<std::size_t, int64_t> bounds;
    const auto& fields = protocol.GetFields();
    std::istringstream text(boundary);
    for (std::string part; std::getline(text, part, ',');)
    {
        const auto colon = part.find(':');
        std::size_t field = 0;
        while (field < fields.size() && fields[field].name != part.substr(0, colon))
        {
            field++;
        }
        int64_t bound = -1;
        const auto end = part.data() + part.size();
        const auto begin = colon == std::string::npos ? end : part.data() + colon + 1;
        const auto [rest, error] = std::from_chars(begin, end, bound);
        if (field == fields.size() || error != std::errc() || rest != end || bound < 0)
        {
            fault = "boundary=" + boundary + " is not field:largest,...; fields are";
            for (const auto& each : fields)
            {
                fault += " " + each.name;
            }
            return {};
        }
        bounds[field] = bound;
    }
    return bounds;
}

} // namespace ns3
