// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-texts.h"

#include "distributions.h"
#include "simple-values.h"

#include "ns3/attribute-container.h"
#include "ns3/attribute.h"
#include "ns3/box.h"
#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/rectangle.h"
#include "ns3/vector.h"

#include <map>
#include <sstream>

namespace ns3
{

void
CheckObjectText(TypeId tid,
                const AttributeInfo& info,
                const std::string& text,
                const AttributeMaker& make)
{
    const auto bracket = text.find('[');
    const auto made = FindConcreteType(text.substr(0, bracket));
    const auto pointer = DynamicCast<const PointerChecker>(info.checker);
    const auto needed = pointer ? pointer->GetPointeeTypeId() : made;
    if (made != needed && !made.IsChildOf(needed))
    {
        RaiseNotAllowed(tid, info, nb::str(text.c_str()));
    }
    if (bracket == std::string::npos)
    {
        CheckDistribution(made, {});
        return;
    }
    if (text.find_first_of("[] \t\n", bracket + 1) != text.size() - 1 || text.back() != ']')
    {
        RaiseNotAllowed(tid, info, nb::str(text.c_str()));
    }
    std::map<std::string, Ptr<AttributeValue>> values;
    std::istringstream settings(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string setting; std::getline(settings, setting, '|');)
    {
        const auto equals = setting.find('=');
        if (equals == std::string::npos)
        {
            RaiseNotAllowed(tid, info, nb::str(text.c_str()));
        }
        const auto attribute = FindAttribute(made, setting.substr(0, equals));
        values[attribute.name] = make(made, attribute, nb::str(setting.substr(equals + 1).c_str()));
    }
    CheckDistribution(made, values);
}

void
CheckClassName(TypeId tid, const AttributeInfo& info, const std::string& text)
{
    const auto named = FindType(text);
    const auto* const usual = dynamic_cast<const TypeIdValue*>(PeekPointer(info.initialValue));
    if (!usual || usual->Get() == TypeId())
    {
        return;
    }
    auto family = usual->Get();
    while (family.HasParent() && family.GetParent() != Object::GetTypeId() &&
           family.GetParent() != ObjectBase::GetTypeId())
    {
        family = family.GetParent();
    }
    if (named != family && !named.IsChildOf(family))
    {
        RaiseValueError(tid.GetName() + "'s attribute '" + info.name + "' is a class of " +
                        family.GetName() + ", which '" + text + "' is not");
    }
}

void
CheckElements(TypeId tid,
              const AttributeInfo& info,
              const std::string& text,
              const AttributeMaker& make)
{
    const auto list = DynamicCast<const AttributeContainerChecker>(info.checker);
    if (!list)
    {
        return;
    }
    auto element = info;
    element.checker = ConstCast<AttributeChecker>(list->GetItemChecker());
    if (!IsOf("UintegerValue", element) && !IsOf("IntegerValue", element) &&
        !IsOf("DoubleValue", element) && !IsOf("TimeValue", element))
    {
        return;
    }
    std::istringstream elements(text);
    for (std::string each; std::getline(elements, each, ',');)
    {
        make(tid, element, nb::str(each.c_str()));
    }
}

bool
IsReadWhole(const AttributeInfo& info, const std::string& text)
{
    if (IsOf("VectorValue", info) || IsOf("Vector3DValue", info))
    {
        return IsWhole<Vector>(text);
    }
    if (IsOf("Vector2DValue", info))
    {
        return IsWhole<Vector2D>(text);
    }
    if (IsOf("BoxValue", info))
    {
        return IsWhole<Box>(text);
    }
    if (IsOf("RectangleValue", info))
    {
        return IsWhole<Rectangle>(text);
    }
    // All other types are one word, except lists of values.
    const auto name = info.checker->GetValueTypeName();
    const bool isList = name.starts_with("ns3::AttributeContainerValue") ||
                        name.starts_with("ns3::TupleValue") || name.starts_with("ns3::EnumValue");
    return isList || text.find_first_of(" \t\n") == std::string::npos;
}

bool
IsOfNames(const AttributeInfo& info, const std::string& text)
{
    if (!info.checker->GetValueTypeName().starts_with("ns3::EnumValue"))
    {
        return true;
    }
    const auto names = info.checker->HasUnderlyingTypeInformation()
                           ? info.checker->GetUnderlyingTypeInformation()
                           : "";
    return ("|" + names + "|").find("|" + text + "|") != std::string::npos;
}

} // namespace ns3
