// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-content.h"

#include "ns3/opengym-builders.h"

namespace ns3
{

Ptr<OpenGymDictContainer>
MakeMessage(Ptr<OpenGymDataContainer> content, const std::string& key)
{
    const auto dict = DynamicCast<OpenGymDictContainer>(content);
    return dict ? dict : MakeDictContainer(key, content);
}

Ptr<OpenGymDataContainer>
GetContent(Ptr<OpenGymDictContainer> message, const std::string& key)
{
    auto content = key.empty() ? nullptr : message->Get(key);
    if (!content && message->GetSize() == 1)
    {
        content = message->GetEntries().begin()->second;
    }
    if (!content)
    {
        content = message;
    }
    return content;
}

std::optional<double>
ToNumber(Ptr<OpenGymDataContainer> container)
{
    if (const auto tensor = DynamicCast<OpenGymTensorContainer>(container))
    {
        return tensor->GetSize() == 1 ? std::optional(tensor->GetAsDouble(0)) : std::nullopt;
    }
    const auto discrete = DynamicCast<OpenGymDiscreteContainer>(container);
    return discrete ? std::optional<double>(discrete->GetValue()) : std::nullopt;
}

} // namespace ns3
