// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUIET_INFRASTRUCTURE_H
#define QUIET_INFRASTRUCTURE_H

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/net-device-container.h"
#include "ns3/qos-txop.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <limits>
#include <memory>

namespace ns3
{

const Time LONGEST_WAIT = Seconds(60);     // later association is impossible
const Time LONGEST_LIFE = Hours(24);       // lifetime of a queued frame
const Time FIRST_BEACON = MilliSeconds(2); // time of the first beacon's reception
const Time TURN = MilliSeconds(1);         // for a station's association; all at once would fail
const Time BEACON_INTERVAL = MicroSeconds(65535 * 1024); // ns-3's longest interval

/**
 * @brief Infrastructure networks without background frames: stations associate one by one before an
 * episode begins; later no device sends beacons or probes.
 */
class QuietInfrastructure
{
  public:
    /**
     * Configure stations that never give up their access point.
     *
     * @param mac Helper that builds the stations.
     * @param ssid SSID of the network.
     */
    static void ConfigureStations(WifiMacHelper& mac, const Ssid& ssid)
    {
        mac.SetType("ns3::StaWifiMac",
                    "Ssid",
                    SsidValue(ssid),
                    "MaxMissedBeacons",
                    UintegerValue(std::numeric_limits<uint32_t>::max()));
    }

    /**
     * Configure an access point that sends one beacon, and no further beacon for a minute.
     *
     * @param mac Helper that builds the access point.
     * @param ssid SSID of the network.
     */
    static void ConfigureAccessPoint(WifiMacHelper& mac, const Ssid& ssid)
    {
        mac.SetType("ns3::ApWifiMac",
                    "Ssid",
                    SsidValue(ssid),
                    "EnableBeaconJitter",
                    BooleanValue(false),
                    "BeaconInterval",
                    TimeValue(BEACON_INTERVAL));
    }

    /**
     * Let frames wait in best-effort queues without a limit of time.
     *
     * @param devices Devices with the queues.
     */
    static void KeepFrames(const NetDeviceContainer& devices)
    {
        for (auto device = devices.Begin(); device != devices.End(); ++device)
        {
            DynamicCast<WifiNetDevice>(*device)->GetMac()->GetTxopQueue(AC_BE)->SetMaxDelay(
                LONGEST_LIFE);
        }
    }

    /**
     * Wait until all stations are associated; none has sent data yet.
     *
     * @param stations Devices of the stations.
     */
    static void AwaitAssociation(const NetDeviceContainer& stations)
    {
        const auto detached = std::make_shared<uint32_t>(stations.GetN());
        for (uint32_t i = 0; i < stations.GetN(); i++)
        {
            const auto mac = DynamicCast<WifiNetDevice>(stations.Get(i))->GetMac();
            mac->SetAttribute("WaitBeaconTimeout", TimeValue(FIRST_BEACON + i * TURN));
            mac->TraceConnectWithoutContext("Assoc", Callback<void, Mac48Address>([detached](auto) {
                                                if (--*detached == 0)
                                                {
                                                    Simulator::Stop();
                                                }
                                            }));
        }
        const auto limit = Simulator::Stop(LONGEST_WAIT);
        Simulator::Run();
        NS_ABORT_MSG_UNLESS(*detached == 0,
                            *detached << " stations are not associated after "
                                      << LONGEST_WAIT.As(Time::S));
        Simulator::Cancel(limit);
    }
};

} // namespace ns3

#endif // QUIET_INFRASTRUCTURE_H
