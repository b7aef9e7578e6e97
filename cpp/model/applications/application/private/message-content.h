// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_CONTENT_H
#define MESSAGE_CONTENT_H

#include "ns3/opengym-builders.h"
#include "ns3/opengym-containers.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief Make a message from its content.
 * @param content a dict, which is the message itself, or a container of another kind
 * @param key the key for a container of another kind
 * @return the message
 */
inline Ptr<OpenGymDictContainer>
MakeMessage(Ptr<OpenGymDataContainer> content, const std::string& key)
{
    const auto dict = DynamicCast<OpenGymDictContainer>(content);
    return dict ? dict : MakeDictContainer(key, content);
}

/**
 * @brief Get the content of a message: the entry of a key, else the only entry, else the message.
 * @param message the message
 * @param key the key of the preferred entry; empty: none
 * @return the content
 */
inline Ptr<OpenGymDataContainer>
GetContent(Ptr<OpenGymDictContainer> message, const std::string& key = {})
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

/**
 * @brief Get the number in a container.
 * @param container any container
 * @return the integer of a Discrete, or the element of an array of one; nothing for others
 */
inline std::optional<double>
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

#endif // MESSAGE_CONTENT_H
