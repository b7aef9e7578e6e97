// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_SIGNATURES_H
#define TRACE_SIGNATURES_H

#include "trace-counter.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @brief Marks a running trace source, whose model is in an inconsistent state.
 */
class TraceScope
{
  public:
    TraceScope();
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;

    /** @return whether one is running */
    static bool Exists();
};

/// Calls a function of the scenario with `count` arguments.
using TraceCall = std::function<void(PyObject* const* arguments, std::size_t count)>;

/**
 * @brief Makes callbacks for trace sources of one signature.
 */
struct TraceAdapter
{
    std::size_t count{0};                                            //!< Number of arguments
    TraceContent content{TraceContent::EVENTS};                      //!< The counted value
    std::function<CallbackBase(const TraceCall&)> call;              //!< Calls with all arguments
    std::function<CallbackBase(const TraceCall&)> tell;              //!< Calls without arguments
    std::function<CallbackBase(std::shared_ptr<TraceCounter>)> note; //!< Counts events
};

/// Adapters by signature of a TypeId, such as "ns3::TracedValueCallback::Uint32".
using TraceAdapters = std::map<std::string, TraceAdapter>;

/**
 * Allow Python functions for trace sources of further signatures.
 *
 * @param adapters Adapters that make callbacks.
 */
void AddTraceSignatures(TraceAdapters adapters);

/** @return the known signatures */
std::vector<std::string> ListTraceSignatures();

/**
 * @param object An object.
 * @return the signatures of its trace sources, by name
 */
std::map<std::string, std::string> ListTraceSources(Ptr<Object> object);

/**
 * Check a trace source, and return a function that connects callbacks. An unknown name raises
 * AttributeError or TypeError.
 *
 * @param object Object of the trace source.
 * @param name Name of the trace source.
 * @return connects a function with all arguments or none; others raise TypeError
 */
std::function<void(nb::object)> FindTrace(Ptr<Object> object, const std::string& name);

/**
 * Count the reports of a trace source from now on; errors as for FindTrace().
 *
 * @param object Object of the trace source.
 * @param name Name of the trace source.
 * @return the counter
 */
std::shared_ptr<TraceCounter> CountTrace(Ptr<Object> object, const std::string& name);

/** @return adapters for the signatures of all ns-3 modules except Wi-Fi */
TraceAdapters MakeCommonAdapters();

} // namespace ns3

#endif /* TRACE_SIGNATURES_H */
