// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_ARGUMENTS_H
#define TRACE_ARGUMENTS_H

#include "attribute-values.h"
#include "object-handle.h"
#include "script-hook.h"
#include "trace-signatures.h"

#include "ns3/callback.h"

#include <sstream>
#include <type_traits>

namespace ns3
{

/**
 * @tparam T Type of an argument of a trace source.
 * @param value The argument.
 * @return it in Python: numbers, texts, times, packets, objects; others as text
 */
template <typename T>
nb::object
FromArgument(const T& value)
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
    else if constexpr (std::is_same_v<T, Ptr<const Packet>>)
    {
        return value ? nb::cast(PacketHandle{value}) : nb::none();
    }
    else if constexpr (std::is_same_v<T, Address>)
    {
        return FromAddress(value);
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

/**
 * @tparam T Class of an object.
 * @param value An object, or null.
 * @return what Python holds of it
 */
template <typename T>

requires std::is_base_of_v<Object, std::remove_const_t<T>>

    nb::object
    FromArgument(const Ptr<T>& value)
{
    return Wrap(ConstCast<std::remove_const_t<T>>(value));
}

/**
 * @tparam Args Types of what trace sources tell, exactly.
 * @return makes a callback that calls a function with them
 */
template <typename... Args>
TraceAdapter
MakeTraceAdapter()
{
    return [](const ScriptHook& hook) -> CallbackBase {
        return Callback<void, Args...>([hook](Args... arguments) {
            const TraceScope scope;
            hook(FromArgument<std::decay_t<Args>>(arguments)...);
        });
    };
}

} // namespace ns3

#endif /* TRACE_ARGUMENTS_H */
