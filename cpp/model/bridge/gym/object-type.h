// SPDX-License-Identifier: GPL-2.0-only

#ifndef OBJECT_TYPE_H
#define OBJECT_TYPE_H

#include "ns3/object.h"

#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @tparam T A class.
 * @tparam Parent Its base.
 * @param name Name of the class.
 * @return its type, to which attributes and trace sources can be added; objects of a class with a
 * default constructor can be created by name
 */
template <typename T, typename Parent>
TypeId
MakeTypeId(const std::string& name)
{
    auto tid = TypeId(name).SetParent<Parent>().SetGroupName("defiance");
    if constexpr (std::is_default_constructible_v<T>)
    {
        tid.template AddConstructor<T>();
    }
    return tid;
}

} // namespace ns3

/// Define GetTypeId() of a class without attributes and trace sources, and register the class.
#define DEFIANCE_OBJECT(Class, Parent)                                                             \
    TypeId Class::GetTypeId()                                                                      \
    {                                                                                              \
        static const TypeId tid = MakeTypeId<Class, Parent>("ns3::" #Class);                       \
        return tid;                                                                                \
    }                                                                                              \
    NS_OBJECT_ENSURE_REGISTERED(Class)

#endif /* OBJECT_TYPE_H */
