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
 * @brief Creates RlApplications and installs them on nodes: those of the type that is set, or of
 * any class.
 */
class RlApplicationHelper
{
  public:
    /// Create a helper without a type, for classes that are named where they are installed.
    RlApplicationHelper() = default;

    /**
     * @brief Create a helper for a type of application.
     * @param typeId the type
     */
    explicit RlApplicationHelper(TypeId typeId);

    /**
     * @brief Create a helper for a type of application.
     * @param typeId name of the type
     */
    explicit RlApplicationHelper(const std::string& typeId);

    /**
     * @brief Switch to another type. Values set before hold for attributes that both types inherit
     * from one parent, not for others of the same name.
     * @param typeId the type
     */
    void SetTypeId(TypeId typeId);

    /**
     * @brief Switch to another type. Values set before hold for attributes that both types inherit
     * from one parent, not for others of the same name.
     * @param typeId name of the type
     */
    void SetTypeId(const std::string& typeId);

    /**
     * @brief Set an attribute of the applications that are created from now on.
     * @param name its name
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Install one application.
     * @param node where
     * @return the application
     */
    RlApplicationContainer Install(Ptr<Node> node) const;

    /**
     * @brief Install one application.
     * @param nodeName where, by the name that Names has
     * @return the application
     */
    RlApplicationContainer Install(const std::string& nodeName) const;

    /**
     * @brief Install one application on each node.
     * @param nodes where
     * @return the applications in the order of the nodes
     */
    RlApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * @brief Install one application of a class on each node.
     *
     * Attributes that have been set hold for it. Attributes that are set together with a type hold
     * if both inherit them from one parent.
     *
     * @tparam T its class, which need not have its own GetTypeId()
     * @param nodes where
     * @param arguments what its constructor takes
     * @return the applications in the order of the nodes
     */
    template <typename T, typename... Arguments>
    RlApplicationContainer Install(const NodeContainer& nodes, const Arguments&... arguments) const;

  private:
    /// An attribute that has been set.
    struct Setting
    {
        std::string name;                    //!< Its name
        Ptr<const AttributeValue> value;     //!< Its value
        Ptr<const AttributeChecker> checker; //!< That of the type for which it was set, or null
    };

    /**
     * @brief Set attributes of an application, and put it on a node.
     * @param application the application
     * @param node where
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
