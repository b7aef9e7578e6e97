// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_SIGNATURES_H
#define TRACE_SIGNATURES_H

#include "script-hook.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

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

/// Makes a callback for trace sources of one signature.
using TraceAdapter = std::function<CallbackBase(const ScriptHook& hook)>;

/**
 * Let trace sources of a signature call functions of Python.
 *
 * @param signature As a TypeId has it, such as "ns3::TracedValueCallback::Uint32".
 * @param adapter Makes a callback.
 */
void AddTraceSignature(const std::string& signature, TraceAdapter adapter);

/** @return the signatures that are known */
std::vector<std::string> ListTraceSignatures();

/**
 * Check a trace source, and find what connects a function with it. What is not known raises
 * AttributeError or TypeError, and nothing is connected.
 *
 * @param object Whose trace source it is.
 * @param name Its name.
 * @return connects a function
 */
std::function<void(nb::object)> FindTrace(Ptr<Object> object, const std::string& name);

/// Know the signatures of ns-3's modules but Wi-Fi.
void AddCommonSignatures();

} // namespace ns3

#endif /* TRACE_SIGNATURES_H */
