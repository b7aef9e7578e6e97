// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_ARGUMENTS_H
#define WIFI_ARGUMENTS_H

#include "trace-arguments.h"

#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-phy-common.h"
#include "ns3/wifi-phy-state.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-ppdu.h"
#include "ns3/wifi-psdu.h"
#include "ns3/wifi-tx-vector.h"

#include <algorithm>
#include <map>

namespace ns3
{

/// @param value State of a PHY. @return its name, such as "CCA_BUSY"
inline nb::object
ToPython(WifiPhyState value)
{
    return ToPythonText(value);
}

/// @param value Reason of a failed reception. @return such as "PREAMBLE_DETECT_FAILURE"
inline nb::object
ToPython(WifiPhyRxfailureReason value)
{
    return ToPythonText(value);
}

/// @param value Preamble. @return its name, such as "HE_SU"
inline nb::object
ToPython(WifiPreamble value)
{
    return ToPythonText(value);
}

/// @param value Reason of a dropped frame. @return "FAILED_ENQUEUE" and so on
inline nb::object
ToPython(WifiMacDropReason value)
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

/**
 * @param value A frame.
 * @return a dict with `packet`, `type`, `sender`, `receiver`, `sequence`, `retry` and `size`
 */
inline nb::object
ToPython(const Ptr<const WifiMpdu>& value)
{
    const auto& header = value->GetHeader();
    nb::dict made;
    made["packet"] = ToPython(value->GetPacket());
    made["type"] = header.GetTypeString();
    made["sender"] = ToPython(header.GetAddr2());
    made["receiver"] = ToPython(header.GetAddr1());
    made["sequence"] = header.GetSequenceNumber();
    made["retry"] = header.IsRetry();
    made["size"] = value->GetSize();
    return made;
}

/**
 * @param psdu Frames.
 * @param [in,out] list List to extend.
 */
inline void
AppendFrames(const WifiPsdu& psdu, nb::list& list)
{
    for (const auto& mpdu : psdu)
    {
        list.append(ToPython(Ptr<const WifiMpdu>(mpdu)));
    }
}

/// @param value Frames sent to one receiver together. @return a list of the frames
inline nb::object
ToPython(const Ptr<const WifiPsdu>& value)
{
    nb::list frames;
    AppendFrames(*value, frames);
    return frames;
}

/// @param value Frames sent together. @return a list of them, in the order of receivers' numbers
inline nb::object
ToPython(const WifiConstPsduMap& value)
{
    nb::list frames;
    for (const auto& [receiver, psdu] : std::map(value.begin(), value.end()))
    {
        AppendFrames(*psdu, frames);
    }
    return frames;
}

/// @param value The frames of a PHY. @return a list of its frames
inline nb::object
ToPython(const Ptr<const WifiPpdu>& value)
{
    return ToPython(value->GetPsdu());
}

/// @param value A frame. @return its size in bytes, with headers
inline uint64_t
CountBytes(const Ptr<const WifiMpdu>& value)
{
    return value->GetSize();
}

/// @param value Frames. @return their size in bytes, with headers
inline uint64_t
CountBytes(const Ptr<const WifiPsdu>& value)
{
    return value->GetSize();
}

/// @param value Frames. @return their size in bytes, with headers
inline uint64_t
CountBytes(const WifiConstPsduMap& value)
{
    uint64_t bytes = 0;
    for (const auto& [receiver, psdu] : value)
    {
        bytes += psdu->GetSize();
    }
    return bytes;
}

/// @param value The frames of a PHY. @return the size of its frames in bytes, with headers
inline uint64_t
CountBytes(const Ptr<const WifiPpdu>& value)
{
    return value->GetPsdu()->GetSize();
}

/**
 * @param value Parameters of a transmission.
 * @return a dict with `mode`, `preamble`, `width_mhz`, `streams` and `power_level`
 */
inline nb::object
ToPython(const WifiTxVector& value)
{
    nb::dict made;
    made["mode"] =
        value.GetModeInitialized() && !value.IsMu() ? ToPython(value.GetMode()) : nb::none();
    made["preamble"] = ToPython(value.GetPreambleType());
    made["width_mhz"] = value.GetChannelWidth();
    made["streams"] = value.GetNssMax();
    made["power_level"] = value.GetTxPowerLevel();
    return made;
}

/// @param value Signal and noise. @return a dict with `signal_dbm` and `noise_dbm`
inline nb::object
ToPython(const SignalNoiseDbm& value)
{
    nb::dict made;
    made["signal_dbm"] = value.signal;
    made["noise_dbm"] = value.noise;
    return made;
}

/// @param value Quality of a reception. @return a dict with `snr`, a ratio, and `rssi_dbm`
inline nb::object
ToPython(const RxSignalInfo& value)
{
    nb::dict made;
    made["snr"] = value.snr;
    made["rssi_dbm"] = value.rssi;
    return made;
}

/// @param value A frame's part of an aggregate. @return the number of the aggregate
inline nb::object
ToPython(const MpduInfo& value)
{
    return nb::int_(value.mpduRefNumber);
}

/// @param value Received power by band. @return the power of the widest band in W, a float
inline nb::object
ToPython(const RxPowerWattPerChannelBand& value)
{
    Watt_u most = 0;
    for (const auto& [band, power] : value)
    {
        most = std::max(most, power);
    }
    return nb::float_(most);
}

} // namespace ns3

#endif /* WIFI_ARGUMENTS_H */
