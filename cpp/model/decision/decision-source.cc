// SPDX-License-Identifier: GPL-2.0-only

#include "private/decision-source.h"

#include "fork-server.h"
#include "private/python-decision-source.h"
#include "process-copy.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

/**
 * Prepare the shared part of a fork server's simulations for policies. This runs before the
 * construction of the program's static objects, so that it is torn down last: the tear-down of the
 * runtime takes longer than an episode may, and happens after the simulation's own end.
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
        return MakePolicyFileDecisionSource(options);
    }
    return MakeBuiltInDecisionSource(options);
}

void
DecisionSource::Fail(defiance::v1::Failure::Code code, const std::string& fault)
{
    NS_ABORT_MSG_IF(code == defiance::v1::Failure::CODE_INVALID_OBSERVATION ||
                        code == defiance::v1::Failure::CODE_INVALID_REWARD,
                    fault);
    ReportError(fault);
    EndProcess(1);
}

} // namespace ns3
