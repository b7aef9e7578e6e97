// SPDX-License-Identifier: GPL-2.0-only

#include "private/decision-source.h"

#include "fork-server.h"
#include "private/built-in-decision-source.h"
#include "private/policy-file-decision-source.h"
#include "private/python-decision-source.h"
#include "sibling-process.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

/**
 * Prepare for policies what a fork server's simulations share. Before the program's own static
 * objects are constructed, as what is constructed last is torn down first: what the runtime has
 * made, which takes longer than an episode may, is left for when a simulation has ended itself.
 */
[[gnu::constructor]] void
PrepareForkServer()
{
    if (ForkServer::IsAskedFor())
    {
        PrepareOnnxRuntime(AwaitSingleThread);
    }
}

} // namespace

std::unique_ptr<DecisionSource>
MakeDecisionSource(const BridgeOptions& options)
{
    if (!options.endpoint.empty())
    {
        return std::make_unique<PythonDecisionSource>(options);
    }
    if (options.HasPolicyFiles())
    {
        return std::make_unique<PolicyFileDecisionSource>(options);
    }
    return std::make_unique<BuiltInDecisionSource>(options);
}

void
DecisionSource::RefuseObservation(const std::string& fault)
{
    NS_ABORT_MSG(fault);
}

void
DecisionSource::RefuseReward(const std::string& fault)
{
    NS_ABORT_MSG(fault);
}

void
DecisionSource::FailScenario(const std::string& fault)
{
    ReportError(fault);
    EndProcess(1);
}

void
DecisionSource::FailRealTime(const std::string& fault)
{
    ReportError(fault);
    EndProcess(1);
}

} // namespace ns3
