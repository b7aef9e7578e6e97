// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_APPLICATION_HELPER_H
#define RL_APPLICATION_HELPER_H

#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rl-application-container.h"

#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Creates RlApplications of the set type or of any class, and installs them on nodes.
 */
class RlApplicationHelper
{
  public:
    /// Create a helper without a type, for classes that are named at their installation.
    RlApplicationHelper() = default;

    /**
     * @brief Create a helper for a type of application.
     * @param typeId the type
     */
    explicit RlApplicationHelper(TypeId typeId)
    {
        SetTypeId(typeId);
    }

    /**
     * @brief Create a helper for a type of application.
     * @param typeId name of the type
     */
    explicit RlApplicationHelper(const std::string& typeId)
    {
        SetTypeId(typeId);
    }

    /**
     * @brief Switch to another type. Earlier values hold for attributes that both types inherit
     * from one parent, not for other attributes of the same name.
     * @param typeId the type
     */
    void SetTypeId(TypeId typeId)
    {
        m_factory.SetTypeId(typeId);
    }

    /**
     * @brief Switch to another type. Earlier values hold for attributes that both types inherit
     * from one parent, not for other attributes of the same name.
     * @param typeId name of the type
     */
    void SetTypeId(const std::string& typeId)
    {
        m_factory.SetTypeId(typeId);
    }

    /**
     * @brief Set an attribute of applications created from now on.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Install one application.
     * @param node the node
     * @return the application
     */
    RlApplicationContainer Install(Ptr<Node> node) const;

    /**
     * @brief Install one application.
     * @param nodeName name of the node in ns3::Names
     * @return the application
     */
    RlApplicationContainer Install(const std::string& nodeName) const;

    /**
     * @brief Install one application on each node.
     * @param nodes the nodes
     * @return the applications in the order of the nodes
     */
    RlApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * @brief Install one application of a class on each node.
     *
     * Attributes that have been set hold for it. Attributes set with a type hold if both types
     * inherit them from one parent.
     *
     * @tparam T class of the applications, which need not have its own GetTypeId()
     * @param nodes the nodes
     * @param arguments arguments of the constructor
     * @return the applications in the order of the nodes
     */
    template <typename T, typename... Arguments>
    RlApplicationContainer Install(const NodeContainer& nodes, const Arguments&... arguments) const;

  private:
    /// An attribute that has been set.
    struct Setting
    {
        std::string name;                    //!< Name of the attribute
        Ptr<const AttributeValue> value;     //!< Value of the attribute
        Ptr<const AttributeChecker> checker; //!< Checker of the type for which it was set, or null
    };

    /**
     * @brief Set attributes of an application, and install it on a node.
     * @param application the application
     * @param node the node
     */
    void Place(Ptr<RlApplication> application, Ptr<Node> node) const;

    ObjectFactory m_factory;         //!< Creates the applications of the type that is set
    std::vector<Setting> m_settings; //!< Attributes that have been set, in order
};

template <typename T, typename... Arguments>
RlApplicationContainer
RlApplicationHelper::Install(const NodeContainer& nodes, const Arguments&... arguments) const
{
    static_assert(std::is_base_of_v<RlApplication, T>, "T must derive from RlApplication");
    RlApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto application = CreateObject<T>(arguments...);
        Place(application, *node);
        applications.Add(application);
    }
    return applications;
}

} // namespace ns3

#endif /* RL_APPLICATION_HELPER_H */
