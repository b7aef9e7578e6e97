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
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * @brief The conversion of a trace source's argument to Python: numbers, texts, times, packets,
 * objects; others in ns-3's text form.
 *
 * @tparam T Type of the argument.
 */
template <typename T>
struct TraceArgument
{
    /**
     * @param value The argument.
     * @return the argument in Python
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

/// ns-3's text of a pointer has no content: pointers to other classes have their own converters.
template <typename T>
struct TraceArgument<Ptr<T>>
{
    static_assert(std::is_base_of_v<Object, std::remove_const_t<T>>);

    /**
     * @param value An object, or null.
     * @return its Python object
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
     * @return its Python object
     */
    static nb::object ToPython(const Ptr<const Packet>& value)
    {
        return value ? nb::cast(PacketHandle{value}) : nb::none();
    }

    /**
     * @param value A packet, or null.
     * @return the size in bytes
     */
    static uint64_t CountBytes(const Ptr<const Packet>& value)
    {
        return value ? value->GetSize() : 0;
    }
};

/// Packets that may still change.
template <>
struct TraceArgument<Ptr<Packet>> : TraceArgument<Ptr<const Packet>>
{
};

/// Packets with a queue disc's tags, which the packet carries.
template <>
struct TraceArgument<Ptr<const QueueDiscItem>>
{
    /**
     * @param value An item.
     * @return the Python object of its packet
     */
    static nb::object ToPython(const Ptr<const QueueDiscItem>& value)
    {
        return nb::cast(PacketHandle{value->GetPacket()});
    }

    /**
     * @param value An item.
     * @return the size in bytes, with the header still to be added
     */
    static uint64_t CountBytes(const Ptr<const QueueDiscItem>& value)
    {
        return value->GetSize();
    }
};

/// Whether arguments have a size. @tparam T Type of an argument.
template <typename T>
concept HasBytes = requires(const T& value)
{
    TraceArgument<T>::CountBytes(value);
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
 * @return the size in bytes, if it has one
 */
template <typename T>
uint64_t
CountBytes([[maybe_unused]] const T& value)
{
    if constexpr (HasBytes<T>)
    {
        return TraceArgument<T>::CountBytes(value);
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
            counter->Count((CountBytes<std::decay_t<Args>>(arguments) + ...));
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
        const std::array<nb::object, sizeof...(Args)> values{
            TraceArgument<std::decay_t<Args>>::ToPython(arguments)...};
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
