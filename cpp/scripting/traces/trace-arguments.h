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
#include <concepts>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param value A value of ns-3.
 * @return ns-3's text of the value, or its name
 */
template <typename T>
nb::object
ToPythonText(const T& value)
{
    std::ostringstream text;
    text << value;
    return nb::str(text.str().c_str());
}

/**
 * Convert an argument of a trace source: numbers, texts, times, packets, objects; others in ns-3's
 * text form. Modules add overloads for their types.
 *
 * @tparam T Type of the argument.
 * @param value The argument.
 * @return the argument in Python
 */
template <typename T>
nb::object
ToPython(const T& value)
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
        return ToPythonText(value);
    }
}

/// @param value An object, or null. @return its Python object
template <typename T>
nb::object
ToPython(const Ptr<T>& value)
{
    // ns-3's text of a pointer has no content: pointers to other classes have their own overloads.
    static_assert(std::is_base_of_v<Object, std::remove_const_t<T>>);
    return Wrap(ConstCast<std::remove_const_t<T>>(value));
}

/// @param value A packet, or null. @return its Python object
inline nb::object
ToPython(const Ptr<const Packet>& value)
{
    return value ? nb::cast(PacketHandle{value}) : nb::none();
}

/// @param value A packet that may still change, or null. @return its Python object
inline nb::object
ToPython(const Ptr<Packet>& value)
{
    return ToPython(Ptr<const Packet>(value));
}

/// @param value A packet with a queue disc's tags. @return the packet, which carries the tags
inline nb::object
ToPython(const Ptr<const QueueDiscItem>& value)
{
    return nb::cast(PacketHandle{value->GetPacket()});
}

/// @param value Truth values. @return a list
inline nb::object
ToPython(const std::vector<bool>& value)
{
    nb::list list;
    for (const bool each : value)
    {
        list.append(each);
    }
    return list;
}

/// Arguments have no size, unless there is an overload for their type.
template <typename T>
void
CountBytes(const T&)
{
}

/// @param value A packet, or null. @return the size in bytes
inline uint64_t
CountBytes(const Ptr<const Packet>& value)
{
    return value ? value->GetSize() : 0;
}

/// @param value A packet that may still change, or null. @return the size in bytes
inline uint64_t
CountBytes(const Ptr<Packet>& value)
{
    return CountBytes(Ptr<const Packet>(value));
}

/// @param value An item. @return the size in bytes, with the header still to be added
inline uint64_t
CountBytes(const Ptr<const QueueDiscItem>& value)
{
    return value->GetSize();
}

/// Whether arguments have a size. @tparam T Type of an argument.
template <typename T>
concept HasBytes = requires(const T& value)
{
    {
        CountBytes(value)
        } -> std::same_as<uint64_t>;
};

/**
 * @tparam Args Types of trace sources' arguments.
 * @return the content that a counter uses
 */
template <typename... Args>
constexpr TraceContent
FindContent()
{
    if constexpr ((HasBytes<std::decay_t<Args>> || ...))
    {
        return TraceContent::PACKETS;
    }
    else if constexpr (sizeof...(Args) == 2 && (std::is_arithmetic_v<Args> && ...))
    {
        using First = std::tuple_element_t<0, std::tuple<Args...>>;
        return !(std::is_same_v<First, Args> && ...) ? TraceContent::EVENTS
               : std::is_integral_v<First>           ? TraceContent::INTEGERS
                                                     : TraceContent::NUMBERS;
    }
    else
    {
        return TraceContent::EVENTS;
    }
}

/**
 * @param value An argument.
 * @return the size in bytes; 0: it has none
 */
template <typename T>
uint64_t
CountIfSized([[maybe_unused]] const T& value)
{
    if constexpr (HasBytes<T>)
    {
        return CountBytes(value);
    }
    else
    {
        return 0;
    }
}

/**
 * @tparam Args Exact types of trace sources' arguments.
 * @return a function that makes a counting callback
 */
template <typename... Args>
CallbackBase
MakeCountingCallback(std::shared_ptr<TraceCounter> counter)
{
    return Callback<void, Args...>([counter = std::move(counter)](Args... arguments) {
        constexpr auto content = FindContent<Args...>();
        if constexpr (content == TraceContent::PACKETS)
        {
            counter->Count((CountIfSized<std::decay_t<Args>>(arguments) + ...));
        }
        else if constexpr (content != TraceContent::EVENTS)
        {
            counter->Change(static_cast<double>(arguments)...);
        }
        else
        {
            counter->Count();
        }
    });
}

/**
 * @tparam Args Exact types of trace sources' arguments.
 * @return a function that makes a callback with these arguments
 */
template <typename... Args>
CallbackBase
MakeCallingCallback(const TraceCall& call)
{
    return Callback<void, Args...>([call](Args... arguments) {
        const std::array<nb::object, sizeof...(Args)> values{ToPython(arguments)...};
        std::array<PyObject*, sizeof...(Args)> pointers{};
        std::transform(values.begin(), values.end(), pointers.begin(), [](const nb::object& value) {
            return value.ptr();
        });
        call(pointers.data(), pointers.size());
    });
}

/**
 * @tparam Args Exact types of trace sources' arguments.
 * @param adapters Set to make callbacks of these types.
 * @param signature Name of the types in ns-3, or of a trace source.
 */
template <typename... Args>
void
Add(TraceAdapters& adapters, const std::string& signature)
{
    adapters[signature] = {sizeof...(Args),
                           FindContent<Args...>(),
                           &MakeCallingCallback<Args...>,
                           [](const TraceCall& call) -> CallbackBase {
                               return Callback<void, Args...>(
                                   [call](Args...) { call(nullptr, 0); });
                           },
                           &MakeCountingCallback<Args...>};
}

} // namespace ns3

#endif /* TRACE_ARGUMENTS_H */
