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
#include <sstream>

namespace ns3
{

/**
 * @brief Values of Wi-Fi's trace sources with a name in ns-3, a text in Python.
 *
 * @tparam T Type of the argument.
 */
template <typename T>
struct NamedArgument
{
    /**
     * @param value The argument.
     * @return the name
     */
    static nb::object ToPython(const T& value)
    {
        std::ostringstream text;
        text << value;
        return nb::str(text.str().c_str());
    }
};

/// State of a PHY, such as "CCA_BUSY".
template <>
struct TraceArgument<WifiPhyState> : NamedArgument<WifiPhyState>
{
};

/// Reason of a PHY's failed reception, such as "PREAMBLE_DETECT_FAILURE".
template <>
struct TraceArgument<WifiPhyRxfailureReason> : NamedArgument<WifiPhyRxfailureReason>
{
};

/// Preamble, such as "HE_SU".
template <>
struct TraceArgument<WifiPreamble> : NamedArgument<WifiPreamble>
{
};

/// Reason of a dropped frame.
template <>
struct TraceArgument<WifiMacDropReason>
{
    /**
     * @param value The reason.
     * @return "FAILED_ENQUEUE" and so on
     */
    static nb::object ToPython(WifiMacDropReason value)
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
};

/// Frames: their packet, addresses, kind, number and size.
template <>
struct TraceArgument<Ptr<const WifiMpdu>>
{
    /**
     * @param value A frame.
     * @return a dict with `packet`, `type`, `sender`, `receiver`, `sequence`, `retry` and `size`
     */
    static nb::object ToPython(const Ptr<const WifiMpdu>& value)
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

    /// @param value A frame. @return its size in bytes, with headers
    static uint64_t CountBytes(const Ptr<const WifiMpdu>& value)
    {
        return value->GetSize();
    }
};

/**
 * @param psdu Frames.
 * @param [in,out] list List to extend.
 */
inline void
AppendFrames(const WifiPsdu& psdu, nb::list& list)
{
    for (const auto& mpdu : psdu)
    {
        list.append(TraceArgument<Ptr<const WifiMpdu>>::ToPython(mpdu));
    }
}

/// Frames sent to one receiver together.
template <>
struct TraceArgument<Ptr<const WifiPsdu>>
{
    /**
     * @param value Frames.
     * @return a list of the frames
     */
    static nb::object ToPython(const Ptr<const WifiPsdu>& value)
    {
        nb::list frames;
        AppendFrames(*value, frames);
        return frames;
    }

    /// @param value Frames. @return their size in bytes, with headers
    static uint64_t CountBytes(const Ptr<const WifiPsdu>& value)
    {
        return value->GetSize();
    }
};

/// Frames sent together.
template <>
struct TraceArgument<WifiConstPsduMap>
{
    /**
     * @param value Frames by number of the receiver.
     * @return a list of the frames, in the order of the numbers
     */
    static nb::object ToPython(const WifiConstPsduMap& value)
    {
        nb::list frames;
        for (const auto& [receiver, psdu] : std::map(value.begin(), value.end()))
        {
            AppendFrames(*psdu, frames);
        }
        return frames;
    }

    /// @param value Frames. @return their size in bytes, with headers
    static uint64_t CountBytes(const WifiConstPsduMap& value)
    {
        uint64_t bytes = 0;
        for (const auto& [receiver, psdu] : value)
        {
            bytes += psdu->GetSize();
        }
        return bytes;
    }
};

/// The frames of a PHY.
template <>
struct TraceArgument<Ptr<const WifiPpdu>>
{
    /**
     * @param value The frames of a PHY.
     * @return a list of its frames
     */
    static nb::object ToPython(const Ptr<const WifiPpdu>& value)
    {
        return TraceArgument<Ptr<const WifiPsdu>>::ToPython(value->GetPsdu());
    }

    /// @param value The frames of a PHY. @return the size of its frames in bytes, with headers
    static uint64_t CountBytes(const Ptr<const WifiPpdu>& value)
    {
        return value->GetPsdu()->GetSize();
    }
};

/// Parameters of a transmission.
template <>
struct TraceArgument<WifiTxVector>
{
    /**
     * @param value Parameters of a transmission.
     * @return a dict with `mode`, `preamble`, `width_mhz`, `streams` and `power_level`
     */
    static nb::object ToPython(const WifiTxVector& value)
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
};

/// Signal and noise.
template <>
struct TraceArgument<SignalNoiseDbm>
{
    /**
     * @param value Signal and noise.
     * @return a dict with `signal_dbm` and `noise_dbm`
     */
    static nb::object ToPython(const SignalNoiseDbm& value)
    {
        nb::dict made;
        made["signal_dbm"] = value.signal;
        made["noise_dbm"] = value.noise;
        return made;
    }
};

/// Quality of a reception.
template <>
struct TraceArgument<RxSignalInfo>
{
    /**
     * @param value Signal of a reception.
     * @return a dict with `snr`, a ratio, and `rssi_dbm`
     */
    static nb::object ToPython(const RxSignalInfo& value)
    {
        nb::dict made;
        made["snr"] = value.snr;
        made["rssi_dbm"] = value.rssi;
        return made;
    }
};

/// A frame's part of an aggregate.
template <>
struct TraceArgument<MpduInfo>
{
    /**
     * @param value Kind of the frame, and number of the aggregate.
     * @return the number
     */
    static nb::object ToPython(const MpduInfo& value)
    {
        return nb::int_(value.mpduRefNumber);
    }
};

/// Received frames of an aggregate.
template <>
struct TraceArgument<std::vector<bool>>
{
    /**
     * @param value Whether each frame was received.
     * @return a list
     */
    static nb::object ToPython(const std::vector<bool>& value)
    {
        nb::list list;
        for (const bool each : value)
        {
            list.append(each);
        }
        return list;
    }
};

/// Received power by band.
template <>
struct TraceArgument<RxPowerWattPerChannelBand>
{
    /**
     * @param value Power by band.
     * @return the power of the widest band in W, a float
     */
    static nb::object ToPython(const RxPowerWattPerChannelBand& value)
    {
        Watt_u most = 0;
        for (const auto& [band, power] : value)
        {
            most = std::max(most, power);
        }
        return nb::float_(most);
    }
};

} // namespace ns3

#endif /* WIFI_ARGUMENTS_H */
