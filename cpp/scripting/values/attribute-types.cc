// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-types.h"

#include "object-handle.h"
#include "simple-values.h"

#include "ns3/attribute.h"

#include <optional>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param tid A class.
 * @return names of the attributes of the class
 */
std::vector<std::string>
ListAttributes(TypeId tid)
{
    std::vector<std::string> names;
    for (auto type = tid;; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            names.push_back(type.GetAttribute(i).name);
        }
        if (!type.HasParent() || type.GetParent() == type)
        {
            return names;
        }
    }
}

/**
 * @param tid A class.
 * @param name Name of an attribute.
 * @return the attribute; none: the class has no such attribute
 */
std::optional<AttributeInfo>
SearchAttribute(TypeId tid, const std::string& name)
{
    for (auto type = tid;; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            if (auto info = type.GetAttribute(i); info.name == name)
            {
                return info;
            }
        }
        if (!type.HasParent() || type.GetParent() == type)
        {
            return std::nullopt;
        }
    }
}

} // namespace

TypeId
FindType(const std::string& name)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid))
    {
        std::vector<std::string> names;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            names.push_back(TypeId::GetRegistered(i).GetName());
        }
        RaiseUnknown("no loaded module of ns-3 has a class '" + name + "' (see load_module())",
                     name,
                     names);
    }
    return tid;
}

TypeId
FindConcreteType(const std::string& name)
{
    const auto tid = FindType(name);
    if (!tid.HasConstructor())
    {
        RaiseValueError(name + " is abstract: name a class that derives from it");
    }
    if (name == "ns3::EmpiricalRandomVariable" || name == "ns3::DeterministicRandomVariable")
    {
        RaiseValueError(name + " draws from values that only C++ can set: draw by Python's "
                               "random.choices(), or name another class");
    }
    return tid;
}

AttributeInfo
FindAttribute(TypeId tid, const std::string& name)
{
    // ns-3's own search ends the process for an obsolete attribute.
    const auto found = SearchAttribute(tid, name);
    if (!found)
    {
        RaiseUnknown(tid.GetName() + " has no attribute '" + name + "'", name, ListAttributes(tid));
    }
    const auto& info = *found;
    if (info.supportLevel == TypeId::SupportLevel::OBSOLETE)
    {
        Raise(nb::attribute_error,
              tid.GetName() + "'s attribute '" + name + "' is obsolete: " + info.supportMsg);
    }
    return info;
}

std::pair<TypeId, AttributeInfo>
FindDefault(const std::string& path)
{
    const auto colons = path.rfind("::");
    if (colons == std::string::npos || colons == 0)
    {
        RaiseValueError("'" + path +
                        "' is not a class and attribute, such as ns3::TcpSocket::SegmentSize");
    }
    const auto tid = FindType(path.substr(0, colons));
    return {tid, FindAttribute(tid, path.substr(colons + 2))};
}

bool
IsOf(const char* kind, const AttributeInfo& info)
{
    return info.checker->GetValueTypeName() == std::string("ns3::") + kind;
}

void
RaiseNotAllowed(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    const auto form = info.checker->HasUnderlyingTypeInformation()
                          ? " (" + info.checker->GetUnderlyingTypeInformation() + ")"
                          : "";
    RaiseValueError(tid.GetName() + "'s attribute '" + info.name + "' is a " +
                    info.checker->GetValueTypeName() + form + " and cannot be " + Describe(value));
}

} // namespace ns3
