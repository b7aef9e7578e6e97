// SPDX-License-Identifier: GPL-2.0-only

#include "private/decision-source.h"

#include "private/built-in-decision-source.h"
#include "private/policy-file-decision-source.h"
#include "private/python-decision-source.h"

#include "ns3/abort.h"

namespace ns3
{

void
PrepareDecisionSources()
{
    PreloadOnnxRuntime();
}

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
DecisionSource::FailScenario(const std::string& fault)
{
    ReportError(fault);
    EndProcess(1);
}

} // namespace ns3
