// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DATA_CONTAINER_H
#define OPENGYM_DATA_CONTAINER_H

#include "ns3/object.h"
#include "ns3/ptr.h"

#include <ostream>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymSpace: an observation, an action or a part of one.
 */
class OpenGymDataContainer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return a new container with equal contents, including nested containers
     */
    virtual Ptr<OpenGymDataContainer> Copy() const = 0;

    /**
     * @param where Output stream.
     */
    virtual void Print(std::ostream& where) const = 0;
};

/**
 * Make an empty container by copying an existing one, which takes a third of the time that
 * constructing an object with its attributes takes.
 *
 * @tparam T Class of the container.
 * @return a new container
 */
template <typename T>
Ptr<T>
MakeEmptyContainer()
{
    static const Ptr<T> prototype = CreateObject<T>();
    return CopyObject(prototype);
}

/**
 * @param where Stream to write to.
 * @param container The container to write; may be null.
 * @return the stream
 */
template <typename T>

requires std::is_convertible_v<T*, const OpenGymDataContainer*> std::ostream&
operator<<(std::ostream& where, const Ptr<T>& container)
{
    if (!container)
    {
        return where << "none";
    }
    container->Print(where);
    return where;
}

} // namespace ns3

#endif /* OPENGYM_DATA_CONTAINER_H */
