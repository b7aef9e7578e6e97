// SPDX-License-Identifier: GPL-2.0-only

#include "wifi-arguments.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/**
 * @param psdu Frames.
 * @param [in,out] list List to extend.
 */
void
AppendFrames(const WifiPsdu& psdu, nb::list& list)
{
    for (const auto& mpdu : psdu)
    {
        list.append(TraceArgument<Ptr<const WifiMpdu>>::ToPython(mpdu));
    }
}

} // namespace

nb::object
TraceArgument<WifiMacDropReason>::ToPython(WifiMacDropReason value)
{
    switch (value)
    {
    case WIFI_MAC_DROP_FAILED_ENQUEUE:
        return nb::str("FAILED_ENQUEUE");
    case WIFI_MAC_DROP_EXPIRED_LIFETIME:
        return nb::str("EXPIRED_LIFETIME");
    case WIFI_MAC_DROP_REACHED_RETRY_LIMIT:
        return nb::str("REACHED_RETRY_LIMIT");
    default:
        return nb::str("QOS_OLD_PACKET");
    }
}

nb::object
TraceArgument<Ptr<const WifiMpdu>>::ToPython(const Ptr<const WifiMpdu>& value)
{
    const auto& header = value->GetHeader();
    nb::dict made;
    made["packet"] = TraceArgument<Ptr<const Packet>>::ToPython(value->GetPacket());
    made["type"] = header.GetTypeString();
    made["sender"] = TraceArgument<Mac48Address>::ToPython(header.GetAddr2());
    made["receiver"] = TraceArgument<Mac48Address>::ToPython(header.GetAddr1());
    made["sequence"] = header.GetSequenceNumber();
    made["retry"] = header.IsRetry();
    made["size"] = value->GetSize();
    return made;
}

nb::object
TraceArgument<Ptr<const WifiPsdu>>::ToPython(const Ptr<const WifiPsdu>& value)
{
    nb::list frames;
    AppendFrames(*value, frames);
    return frames;
}

nb::object
TraceArgument<WifiConstPsduMap>::ToPython(const WifiConstPsduMap& value)
{
    nb::list frames;
    for (const auto& [receiver, psdu] : std::map(value.begin(), value.end()))
    {
        AppendFrames(*psdu, frames);
    }
    return frames;
}

nb::object
TraceArgument<Ptr<const WifiPpdu>>::ToPython(const Ptr<const WifiPpdu>& value)
{
    return TraceArgument<Ptr<const WifiPsdu>>::ToPython(value->GetPsdu());
}

uint64_t
TraceArgument<Ptr<const WifiMpdu>>::CountBytes(const Ptr<const WifiMpdu>& value)
{
    return value->GetSize();
}

uint64_t
TraceArgument<Ptr<const WifiPsdu>>::CountBytes(const Ptr<const WifiPsdu>& value)
{
    return value->GetSize();
}

uint64_t
TraceArgument<WifiConstPsduMap>::CountBytes(const WifiConstPsduMap& value)
{
    uint64_t bytes = 0;
    for (const auto& [receiver, psdu] : value)
    {
        bytes += psdu->GetSize();
    }
    return bytes;
}

uint64_t
TraceArgument<Ptr<const WifiPpdu>>::CountBytes(const Ptr<const WifiPpdu>& value)
{
    return value->GetPsdu()->GetSize();
}

nb::object
TraceArgument<WifiTxVector>::ToPython(const WifiTxVector& value)
{
    nb::dict made;
    made["mode"] = value.GetModeInitialized() && !value.IsMu()
                       ? TraceArgument<WifiMode>::ToPython(value.GetMode())
                       : nb::none();
    made["preamble"] = TraceArgument<WifiPreamble>::ToPython(value.GetPreambleType());
    made["width_mhz"] = value.GetChannelWidth();
    made["streams"] = value.GetNssMax();
    made["power_level"] = value.GetTxPowerLevel();
    return made;
}

nb::object
TraceArgument<SignalNoiseDbm>::ToPython(const SignalNoiseDbm& value)
{
    nb::dict made;
    made["signal_dbm"] = value.signal;
    made["noise_dbm"] = value.noise;
    return made;
}

nb::object
TraceArgument<RxSignalInfo>::ToPython(const RxSignalInfo& value)
{
    nb::dict made;
    made["snr"] = value.snr;
    made["rssi_dbm"] = value.rssi;
    return made;
}

nb::object
TraceArgument<MpduInfo>::ToPython(const MpduInfo& value)
{
    return nb::int_(value.mpduRefNumber);
}

nb::object
TraceArgument<std::vector<bool>>::ToPython(const std::vector<bool>& value)
{
    nb::list list;
    for (const bool each : value)
    {
        list.append(each);
    }
    return list;
}

nb::object
TraceArgument<RxPowerWattPerChannelBand>::ToPython(const RxPowerWattPerChannelBand& value)
{
    Watt_u most = 0;
    for (const auto& [band, power] : value)
    {
        most = std::max(most, power);
    }
    return nb::float_(most);
}

} // namespace ns3
