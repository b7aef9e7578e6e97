// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_SIGNATURES_H
#define TRACE_SIGNATURES_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @brief While it exists, a trace source calls a function: the model that fires it is half done.
 */
class TraceScope
{
  public:
    TraceScope();
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;

    /** @return whether there is one */
    static bool Exists();
};

/// Calls a function of the scenario with so many arguments.
using TraceCall = std::function<void(PyObject* const* arguments, std::size_t count)>;

/// Makes a callback for trace sources of one signature.
using TraceAdapter = std::function<CallbackBase(const TraceCall& call)>;

/// Adapters by signature, as a TypeId has it, such as "ns3::TracedValueCallback::Uint32".
using TraceAdapters = std::map<std::string, TraceAdapter>;

/**
 * Let trace sources of further signatures call functions of Python.
 *
 * @param adapters Make callbacks.
 */
void AddTraceSignatures(TraceAdapters adapters);

/** @return the signatures that are known */
std::vector<std::string> ListTraceSignatures();

/**
 * @param object An object.
 * @return the signatures of its trace sources, by name
 */
std::map<std::string, std::string> ListTraceSources(Ptr<Object> object);

/**
 * Check a trace source, and find what connects a function with it. What is not known raises
 * AttributeError or TypeError, and nothing is connected.
 *
 * @param object Whose trace source it is.
 * @param name Its name.
 * @return connects a function
 */
std::function<void(nb::object)> FindTrace(Ptr<Object> object, const std::string& name);

/** @return adapters for the signatures of ns-3's modules but Wi-Fi */
TraceAdapters MakeCommonAdapters();

} // namespace ns3

#endif /* TRACE_SIGNATURES_H */
