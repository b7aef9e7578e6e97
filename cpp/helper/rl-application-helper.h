// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_APPLICATION_HELPER_H
#define RL_APPLICATION_HELPER_H

#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rl-application-container.h"

#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Creates RlApplications of one type and installs them on nodes.
 */
class RlApplicationHelper
{
  public:
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

  private:
    ObjectFactory m_factory; //!< Creates the applications
};

} // namespace ns3

#endif /* RL_APPLICATION_HELPER_H */
