// SPDX-License-Identifier: GPL-2.0-only

#include "trace-signatures.h"

#include "object-handle.h"
#include "script-hook.h"

#include <utility>

namespace ns3
{

namespace
{

int g_scopes{0}; //!< How many trace sources call functions, one within the other

/** @return what is known, by signature */
TraceAdapters&
GetAdapters()
{
    static TraceAdapters adapters = MakeCommonAdapters();
    return adapters;
}

/**
 * @param tid A class.
 * @return names of its trace sources
 */
std::vector<std::string>
ListTraceSources(TypeId tid)
{
    std::vector<std::string> names;
    for (auto type = tid;; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetTraceSourceN(); ++i)
        {
            names.push_back(type.GetTraceSource(i).name);
        }
        if (!type.HasParent() || type.GetParent() == type)
        {
            return names;
        }
    }
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

std::function<void(nb::object)>
FindTrace(Ptr<Object> object, const std::string& name)
{
    const auto tid = object->GetInstanceTypeId();
    TypeId::TraceSourceInformation info;
    if (!tid.LookupTraceSourceByName(name, &info))
    {
        RaiseUnknown(tid.GetName() + " has no trace source '" + name + "'",
                     name,
                     ListTraceSources(tid));
    }
    auto found = GetAdapters().end();
    for (auto type = tid; found == GetAdapters().end(); type = type.GetParent())
    {
        found = GetAdapters().find(type.GetName() + "/" + name); // of this one alone
        if (!type.HasParent() || type.GetParent() == type)
        {
            break;
        }
    }
    if (found == GetAdapters().end())
    {
        found = GetAdapters().find(info.callback);
    }
    if (found == GetAdapters().end())
    {
        throw nb::type_error(("trace source '" + name + "' of " + tid.GetName() +
                              " has the signature " + info.callback +
                              ", whose arguments are not known in Python")
                                 .c_str());
    }
    const auto adapter = found->second;
    return [object, name, adapter](nb::object function) {
        const auto call = [hook = ScriptHook(std::move(function))](PyObject* const* arguments,
                                                                   std::size_t count) {
            const TraceScope scope;
            hook.CallWith(arguments, count);
        };
        object->TraceConnectWithoutContext(name, adapter(call));
    };
}

} // namespace ns3
