// SPDX-License-Identifier: GPL-2.0-only

#include "private/warm-up.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-generator.h"
#include "ns3/mac16-address.h"
#include "ns3/mac48-address.h"
#include "ns3/mac64-address.h"
#include "ns3/mac8-address.h"
#include "ns3/node-container.h"
#include "ns3/node-list.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/**
 * Whether ns-3 can reset the number of random streams. ns-3 3.42 cannot.
 * @tparam Manager `RngSeedManager`
 */
template <typename Manager>
constexpr bool CAN_RESET_STREAMS = requires
{
    Manager::ResetNextStreamIndex();
};

/**
 * Reset the number of assigned random streams to 0, if ns-3 can.
 * @tparam Manager `RngSeedManager`
 */
template <typename Manager>
void
ResetStreams()
{
    if constexpr (CAN_RESET_STREAMS<Manager>)
    {
        Manager::ResetNextStreamIndex();
    }
}

/**
 * @return number of assigned random streams
 */
uint64_t
CountStreams()
{
    // The query assigns a stream.
    const auto count = RngSeedManager::GetNextStreamIndex();
    ResetStreams<RngSeedManager>();
    for (uint64_t i = 0; i < count; ++i)
    {
        RngSeedManager::GetNextStreamIndex();
    }
    return count;
}

/** Two nodes with IPv4 and IPv6, and a link. */
void
BuildNetwork()
{
    NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    const auto devices = SimpleNetDeviceHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
}

/** Destroy the networks, and reset every counter. */
void
Forget()
{
    Simulator::Destroy();
    ResetStreams<RngSeedManager>();
    Mac8Address::ResetAllocationIndex();
    Mac16Address::ResetAllocationIndex();
    Mac48Address::ResetAllocationIndex();
    Mac64Address::ResetAllocationIndex();
    Ipv4AddressGenerator::Reset();
    Ipv6AddressGenerator::Reset();
}

} // namespace

void
WarmUp(const std::vector<std::function<void()>>& builds)
{
    if (!CAN_RESET_STREAMS<RngSeedManager> || NodeList::GetNNodes() > 0 || CountStreams() > 0)
    {
        // These objects must not change the random streams of episodes.
        return;
    }
    BuildNetwork();
    Forget();
    for (const auto& build : builds)
    {
        build();
        Forget();
    }
}

} // namespace ns3
