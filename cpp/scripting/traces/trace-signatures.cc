// SPDX-License-Identifier: GPL-2.0-only

#include "trace-signatures.h"

#include "object-handle.h"
#include "script-hook.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ns3
{

namespace
{

int g_scopes{0}; //!< Number of nested trace calls of Python functions

/** @return the known adapters, by signature */
TraceAdapters&
GetAdapters()
{
    static TraceAdapters adapters = MakeCommonAdapters();
    return adapters;
}

/**
 * @param function A function, or another callable object.
 * @param count Number of available arguments.
 * @return the number of arguments to pass: `count`, unless a Python function needs more, or has
 * fewer parameters
 */
std::size_t
CountParameters(nb::handle function, std::size_t count)
{
    const bool isBound = PyMethod_Check(function.ptr());
    PyObject* const plain = isBound ? PyMethod_GET_FUNCTION(function.ptr()) : function.ptr();
    if (!PyFunction_Check(plain))
    {
        return count;
    }
    const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(plain));
    PyObject* const defaults = PyFunction_GET_DEFAULTS(plain);
    const Py_ssize_t own = isBound ? 1 : 0; // self
    const Py_ssize_t most = std::max<Py_ssize_t>(code->co_argcount - own, 0);
    const Py_ssize_t least =
        std::max<Py_ssize_t>(most - (defaults ? PyTuple_GET_SIZE(defaults) : 0), 0);
    const auto given = static_cast<Py_ssize_t>(count);
    if (least > given)
    {
        return least;
    }
    return (code->co_flags & CO_VARARGS) ? given : std::min(given, most);
}

/**
 * @param tid A class.
 * @param source Name of one of its trace sources.
 * @return the source's signature, or its own name if it has its own signature
 */
std::string
FindSignature(TypeId tid, const TypeId::TraceSourceInformation& source)
{
    for (auto type = tid;; type = type.GetParent())
    {
        const auto own = type.GetName() + "/" + source.name;
        if (GetAdapters().contains(own))
        {
            return own;
        }
        if (!type.HasParent() || type.GetParent() == type)
        {
            return source.callback;
        }
    }
}

/**
 * @param object An object.
 * @param name Possible name of a trace source.
 * @return the adapter of the source; raise AttributeError or TypeError if there is none
 */
TraceAdapter
FindAdapter(Ptr<Object> object, const std::string& name)
{
    const auto tid = object->GetInstanceTypeId();
    TypeId::TraceSourceInformation info;
    if (!tid.LookupTraceSourceByName(name, &info))
    {
        std::vector<std::string> names;
        for (const auto& [known, signature] : ListTraceSources(object))
        {
            names.push_back(known);
        }
        RaiseUnknown(tid.GetName() + " has no trace source '" + name + "'", name, names);
    }
    const auto signature = FindSignature(tid, info);
    const auto found = GetAdapters().find(signature);
    if (found == GetAdapters().end())
    {
        Raise(nb::type_error,
              "trace source '" + name + "' of " + tid.GetName() + " has the signature " +
                  signature + ", whose arguments are not known in Python");
    }
    return found->second;
}

/**
 * @param object An object.
 * @param name Name of a trace source of the object.
 * @param count Number of the source's arguments.
 * @param function A function with another number of parameters.
 */
[[noreturn]] void
RaiseParameters(Ptr<Object> object, const std::string& name, std::size_t count, nb::handle function)
{
    const auto what = nb::cast<std::string>(function.attr("__name__"));
    Raise(nb::type_error,
          "trace source '" + name + "' of " + object->GetInstanceTypeId().GetName() + " reports " +
              std::to_string(count) + (count == 1 ? " argument" : " arguments") + ": " + what +
              "() must take as many, or none");
}

} // namespace

TraceScope::TraceScope()
{
    ++g_scopes;
}

TraceScope::~TraceScope()
{
    --g_scopes;
}

bool
TraceScope::Exists()
{
    return g_scopes > 0;
}

void
AddTraceSignatures(TraceAdapters adapters)
{
    GetAdapters().merge(adapters);
}

std::vector<std::string>
ListTraceSignatures()
{
    std::vector<std::string> signatures;
    for (const auto& [signature, adapter] : GetAdapters())
    {
        signatures.push_back(signature);
    }
    return signatures;
}

std::map<std::string, std::string>
ListTraceSources(Ptr<Object> object)
{
    const auto tid = object->GetInstanceTypeId();
    std::map<std::string, std::string> signatures;
    for (auto type = tid;; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetTraceSourceN(); ++i)
        {
            const auto source = type.GetTraceSource(i);
            signatures.emplace(source.name, FindSignature(tid, source));
        }
        if (!type.HasParent() || type.GetParent() == type)
        {
            return signatures;
        }
    }
}

std::function<void(nb::object)>
FindTrace(Ptr<Object> object, const std::string& name)
{
    const auto adapter = FindAdapter(object, name);
    return [object, name, adapter](nb::object function) {
        const auto taken = CountParameters(function, adapter.count);
        if (taken != 0 && taken != adapter.count)
        {
            RaiseParameters(object, name, adapter.count, function);
        }
        const auto call = [hook = ScriptHook(std::move(function))](PyObject* const* arguments,
                                                                   std::size_t count) {
            const TraceScope scope;
            hook.CallWith(arguments, count);
        };
        object->TraceConnectWithoutContext(name,
                                           taken == 0 ? adapter.tell(call) : adapter.call(call));
    };
}

std::shared_ptr<TraceCounter>
CountTrace(Ptr<Object> object, const std::string& name)
{
    const auto adapter = FindAdapter(object, name);
    auto counter = std::make_shared<TraceCounter>(adapter.content);
    object->TraceConnectWithoutContext(name, adapter.note(counter));
    return counter;
}

} // namespace ns3
