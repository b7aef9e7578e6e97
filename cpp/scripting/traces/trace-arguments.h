// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_ARGUMENTS_H
#define TRACE_ARGUMENTS_H

#include "object-handle.h"
#include "simple-values.h"
#include "trace-signatures.h"

#include "ns3/callback.h"
#include "ns3/queue-item.h"
#include "ns3/sequence-number.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <type_traits>

namespace ns3
{

/**
 * @brief How an argument of a trace source is said in Python: numbers, texts, times, packets,
 * objects; others as ns-3 prints them.
 *
 * @tparam T Type of the argument.
 */
template <typename T>
struct TraceArgument
{
    /**
     * @param value The argument.
     * @return it in Python
     */
    static nb::object ToPython(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
        {
            return nb::bool_(value);
        }
        else if constexpr (std::is_integral_v<T>)
        {
            return nb::int_(value);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            return nb::float_(static_cast<double>(value));
        }
        else if constexpr (std::is_same_v<T, Time> || std::is_same_v<T, DataRate>)
        {
            return nb::cast(value);
        }
        else if constexpr (std::is_same_v<T, Address>)
        {
            return FromAddress(value);
        }
        else if constexpr (std::is_same_v<T, SequenceNumber32>)
        {
            return nb::int_(value.GetValue());
        }
        else if constexpr (std::is_enum_v<T>)
        {
            return nb::int_(static_cast<int64_t>(value));
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            return nb::str(value.c_str(), value.size());
        }
        else
        {
            std::ostringstream text;
            text << value;
            return nb::str(text.str().c_str());
        }
    }
};

/// What ns-3 would print of a pointer tells nothing: those that are no objects have a counterpart
/// each.
template <typename T>
struct TraceArgument<Ptr<T>>
{
    static_assert(std::is_base_of_v<Object, std::remove_const_t<T>>);

    /**
     * @param value An object, or null.
     * @return what Python holds of it
     */
    static nb::object ToPython(const Ptr<T>& value)
    {
        return Wrap(ConstCast<std::remove_const_t<T>>(value));
    }
};

/// Packets, or null.
template <>
struct TraceArgument<Ptr<const Packet>>
{
    /**
     * @param value A packet, or null.
     * @return what Python holds of it
     */
    static nb::object ToPython(const Ptr<const Packet>& value)
    {
        return value ? nb::cast(PacketHandle{value}) : nb::none();
    }
};

/// Packets that may still change.
template <>
struct TraceArgument<Ptr<Packet>> : TraceArgument<Ptr<const Packet>>
{
};

/// Packets with what a queue disc notes of them, of which the packet is told.
template <>
struct TraceArgument<Ptr<const QueueDiscItem>>
{
    /**
     * @param value An item.
     * @return what Python holds of its packet
     */
    static nb::object ToPython(const Ptr<const QueueDiscItem>& value)
    {
        return nb::cast(PacketHandle{value->GetPacket()});
    }
};

/**
 * @tparam Args Types of what trace sources tell, exactly.
 * @return makes a callback that calls a function with them
 */
template <typename... Args>
TraceAdapter
MakeTraceAdapter()
{
    return [](const TraceCall& call) -> CallbackBase {
        return Callback<void, Args...>([call](Args... arguments) {
            const std::array<nb::object, sizeof...(Args)> values{
                TraceArgument<std::decay_t<Args>>::ToPython(arguments)...};
            std::array<PyObject*, sizeof...(Args)> pointers{};
            std::transform(values.begin(),
                           values.end(),
                           pointers.begin(),
                           [](const nb::object& value) { return value.ptr(); });
            call(pointers.data(), pointers.size());
        });
    };
}

} // namespace ns3

#endif /* TRACE_ARGUMENTS_H */
