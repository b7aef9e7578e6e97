// SPDX-License-Identifier: GPL-2.0-only

#include "callable-action-application.h"

#include "private/message-content.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

CallableActionApplication::CallableActionApplication(
    std::function<void(Ptr<OpenGymDataContainer>)> function)
    : m_function(std::move(function))
{
    NS_ABORT_MSG_UNLESS(m_function, "A CallableActionApplication needs a function");
}

void
CallableActionApplication::DoDispose()
{
    m_function = nullptr;
    ActionApplication::DoDispose();
}

void
CallableActionApplication::ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action)
{
    m_function(GetContent(action, "default"));
}

} // namespace ns3
