// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application-helper.h"

#include "ns3/abort.h"
#include "ns3/names.h"

namespace ns3
{

void
RlApplicationHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation information;
    if (m_factory.IsTypeIdSet())
    {
        m_factory.Set(name, value); // aborts unless the type has this attribute
        m_factory.GetTypeId().LookupAttributeByName(name, &information);
    }
    m_settings.push_back({name, value.Copy(), information.checker});
}

RlApplicationContainer
RlApplicationHelper::Install(Ptr<Node> node) const
{
    NS_ABORT_MSG_IF(!node, "There is no node to install an application on: null was passed");
    NS_ABORT_MSG_UNLESS(
        m_factory.IsTypeIdSet(),
        "There is no type to install: name a class with Install<T>(), or a type with SetTypeId()");
    NS_ABORT_MSG_UNLESS(m_factory.GetTypeId().IsChildOf(RlApplication::GetTypeId()) &&
                            m_factory.GetTypeId().HasConstructor(),
                        m_factory.GetTypeId().GetName()
                            << " is not an RlApplication that can be created: its GetTypeId() "
                               "needs SetParent<> and AddConstructor<>");
    const auto application = m_factory.Create<RlApplication>();
    node->AddApplication(application);
    return RlApplicationContainer(application);
}

RlApplicationContainer
RlApplicationHelper::Install(const std::string& nodeName) const
{
    const auto node = Names::Find<Node>(nodeName);
    NS_ABORT_MSG_IF(!node, "There is no node named '" << nodeName << "'");
    return Install(node);
}

RlApplicationContainer
RlApplicationHelper::Install(const NodeContainer& nodes) const
{
    RlApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(Install(*node));
    }
    return applications;
}

void
RlApplicationHelper::Place(Ptr<RlApplication> application, Ptr<Node> node) const
{
    const auto type = application->GetInstanceTypeId();
    for (const auto& [name, value, checker] : m_settings)
    {
        TypeId::AttributeInformation information;
        const auto isKnown = type.LookupAttributeByName(name, &information);
        if (checker && (!isKnown || information.checker != checker))
        {
            continue;
        }
        NS_ABORT_MSG_UNLESS(isKnown && application->SetAttributeFailSafe(name, *value),
                            type.GetName() << " has no attribute '" << name
                                           << "' that takes the value set: use another helper for "
                                              "applications with other attributes");
    }
    node->AddApplication(application);
}

} // namespace ns3
