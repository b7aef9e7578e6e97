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

/**
 * @brief Makes callbacks for trace sources of one signature.
 */
struct TraceAdapter
{
    std::size_t count{0};                               //!< How many arguments there are
    TraceContent content{TraceContent::EVENTS};         //!< The counted value
    std::function<CallbackBase(const TraceCall&)> call; //!< Calls with all arguments
    std::function<CallbackBase(const TraceCall&)> tell; //!< Calls with none, and makes none
    std::function<CallbackBase(std::shared_ptr<TraceCounter>)> note; //!< Counts
};

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
 * Check a trace source, and find what connects a function with it. An unknown name raises
 * AttributeError or TypeError, and nothing is connected.
 *
 * @param object Whose trace source it is.
 * @param name Its name.
 * @return connects a function, which takes all arguments or none; others raise TypeError
 */
std::function<void(nb::object)> FindTrace(Ptr<Object> object, const std::string& name);

/**
 * Count what a trace source tells, from now on; errors as of FindTrace().
 *
 * @param object Whose trace source it is.
 * @param name Its name.
 * @return the counter
 */
std::shared_ptr<TraceCounter> CountTrace(Ptr<Object> object, const std::string& name);

/** @return adapters for the signatures of ns-3's modules but Wi-Fi */
TraceAdapters MakeCommonAdapters();

} // namespace ns3

#endif /* TRACE_SIGNATURES_H */
