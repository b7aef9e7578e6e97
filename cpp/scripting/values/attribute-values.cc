// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-values.h"

#include "attribute-texts.h"
#include "attribute-types.h"
#include "distributions.h"
#include "object-handle.h"
#include "script-place.h"
#include "simple-values.h"

#include "ns3/attribute.h"
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <map>

namespace ns3
{

namespace
{

Ptr<AttributeValue> MakeValue(TypeId tid, const AttributeInfo& info, nb::handle value);

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Value in Python: an object, None, a number for a constant stream, or
 * "ns3::Class[Attribute=value|...]".
 * @return the value
 */
Ptr<AttributeValue>
MakePointer(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    if (value.is_none())
    {
        return Create<PointerValue>(Ptr<Object>());
    }
    if (nb::isinstance<ObjectHandle>(value))
    {
        return Create<PointerValue>(nb::cast<ObjectHandle&>(value).object);
    }
    auto text = ToText(value);
    if (PyNumber_Check(value.ptr()))
    {
        if (!std::isfinite(nb::cast<double>(nb::float_(value))))
        {
            RaiseNotAllowed(tid, info, value);
        }
        text = "ns3::ConstantRandomVariable[Constant=" + text + "]";
    }
    CheckObjectText(tid, info, text, MakeValue);
    // As in C++ programs, each object gets its own stream of the same number.
    return Create<StringValue>(text);
}

/**
 * @param value A value in Python.
 * @return the value in ns-3's notation, with commas between the elements of a list
 */
std::string
ToNotation(nb::handle value)
{
    if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value))
    {
        return ToText(value);
    }
    std::string text;
    for (const auto each : value)
    {
        text += (text.empty() ? "" : ",") + ToText(each);
    }
    return text;
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Value in Python, such as a text in ns-3's notation or a list of elements.
 * @return the value
 */
Ptr<AttributeValue>
MakeFromText(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    const auto text = ToNotation(value);
    if (IsOf("TypeIdValue", info))
    {
        CheckClassName(tid, info, text);
    }
    CheckElements(tid, info, text, MakeValue);
    if (!IsOfNames(info, text))
    {
        RaiseNotAllowed(tid, info, value);
    }
    auto made = info.checker->Create();
    if (!IsReadWhole(info, text) || !made->DeserializeFromString(text, info.checker))
    {
        RaiseNotAllowed(tid, info, value);
    }
    return made;
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Value in Python.
 * @return the number, which the attribute may not allow; null if the attribute is not a number
 */
Ptr<AttributeValue>
MakeNumber(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    if (IsOf("DoubleValue", info))
    {
        return Create<DoubleValue>(nb::cast<double>(nb::float_(value)));
    }
    if (IsOf("IntegerValue", info))
    {
        return Create<IntegerValue>(ToInteger(nb::int_(value)));
    }
    if (IsOf("UintegerValue", info))
    {
        const bool isText = PyUnicode_Check(value.ptr());
        const auto integer = isText ? ToInteger(nb::int_(value)) : ToInteger(value);
        if (integer < 0)
        {
            RaiseNotAllowed(tid, info, value);
        }
        return Create<UintegerValue>(integer);
    }
    return nullptr;
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Value in Python.
 * @return the value, which the attribute may not allow
 */
Ptr<AttributeValue>
MakeUnchecked(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    if (IsOf("PointerValue", info))
    {
        return MakePointer(tid, info, value);
    }
    if (IsOf("TimeValue", info))
    {
        return Create<TimeValue>(ToTime(value));
    }
    if (IsOf("DataRateValue", info))
    {
        return Create<DataRateValue>(ToDataRate(value));
    }
    if (IsOf("AddressValue", info))
    {
        return Create<AddressValue>(ToAddress(value));
    }
    if (IsOf("BooleanValue", info) && !PyUnicode_Check(value.ptr()))
    {
        return Create<BooleanValue>(PyObject_IsTrue(value.ptr()) == 1);
    }
    if (IsOf("StringValue", info))
    {
        return Create<StringValue>(ToText(value));
    }
    const auto number = MakeNumber(tid, info, value);
    return number ? number : MakeFromText(tid, info, value);
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Value in Python.
 * @return the value; raise ValueError if it is not allowed
 */
Ptr<AttributeValue>
MakeValue(TypeId tid, const AttributeInfo& info, nb::handle value)
{
    Ptr<AttributeValue> made;
    try
    {
        made = MakeUnchecked(tid, info, value);
    }
    catch (nb::python_error&)
    {
        RaiseNotAllowed(tid, info, value);
    }
    catch (const nb::cast_error&)
    {
        RaiseNotAllowed(tid, info, value);
    }
    const bool isCreatedLater = IsOf("PointerValue", info) && DynamicCast<StringValue>(made);
    if (!isCreatedLater && !info.checker->Check(*made))
    {
        RaiseNotAllowed(tid, info, value);
    }
    CheckParameter(tid, info.name, *made);
    NoteSetting(tid.GetName() + "'s " + info.name, value);
    return made;
}

/**
 * @param object An object.
 * @return values of its class's own attributes, by name
 */
std::map<std::string, Ptr<AttributeValue>>
ReadValues(const Object& object)
{
    std::map<std::string, Ptr<AttributeValue>> values;
    const auto tid = object.GetInstanceTypeId();
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto info = tid.GetAttribute(i);
        values[info.name] = info.checker->Create();
        object.GetAttribute(info.name, *values[info.name]);
    }
    return values;
}

/**
 * @param value The value of an attribute.
 * @return the value in Python; invalid if it is neither a number nor a truth value
 */
nb::object
FromNumber(const AttributeValue& value)
{
    if (const auto* number = dynamic_cast<const UintegerValue*>(&value))
    {
        return nb::int_(number->Get());
    }
    if (const auto* number = dynamic_cast<const IntegerValue*>(&value))
    {
        return nb::int_(number->Get());
    }
    if (const auto* number = dynamic_cast<const DoubleValue*>(&value))
    {
        return nb::float_(number->Get());
    }
    if (const auto* flag = dynamic_cast<const BooleanValue*>(&value))
    {
        return nb::bool_(flag->Get());
    }
    return nb::object();
}

/**
 * @param value The value of an attribute.
 * @param info The attribute.
 * @return the value in Python
 */
nb::object
FromValue(const AttributeValue& value, const AttributeInfo& info)
{
    if (auto number = FromNumber(value); number.is_valid())
    {
        return number;
    }
    if (const auto* time = dynamic_cast<const TimeValue*>(&value))
    {
        return nb::cast(time->Get());
    }
    if (const auto* rate = dynamic_cast<const DataRateValue*>(&value))
    {
        return nb::cast(rate->Get());
    }
    if (const auto* pointer = dynamic_cast<const PointerValue*>(&value))
    {
        return Wrap(pointer->GetObject());
    }
    if (const auto* address = dynamic_cast<const AddressValue*>(&value))
    {
        return FromAddress(address->Get());
    }
    if (const auto* objects = dynamic_cast<const ObjectPtrContainerValue*>(&value))
    {
        nb::list list;
        for (auto each = objects->Begin(); each != objects->End(); ++each)
        {
            list.append(Wrap(each->second));
        }
        return list;
    }
    return nb::cast(value.SerializeToString(info.checker));
}

} // namespace

Ptr<Object>
CreateByName(const std::string& name, const nb::dict& attributes)
{
    const auto tid = FindConcreteType(name);
    ObjectFactory factory;
    factory.SetTypeId(tid);
    std::map<std::string, Ptr<AttributeValue>> values;
    for (const auto& [key, value] : attributes)
    {
        const auto attribute = nb::cast<std::string>(key);
        const auto info = FindAttribute(tid, attribute);
        values[attribute] = MakeValue(tid, info, value);
        factory.Set(attribute, *values[attribute]);
    }
    CheckDistribution(tid, values);
    return factory.Create<Object>();
}

void
SetAttributeOf(Object& object, const std::string& name, nb::handle value)
{
    const auto tid = object.GetInstanceTypeId();
    const auto info = FindAttribute(tid, name);
    if (!(info.flags & TypeId::ATTR_SET) || !info.accessor->HasSetter())
    {
        Raise(nb::attribute_error,
              tid.GetName() + "'s attribute '" + name + "' cannot be set any more");
    }
    const auto made = MakeValue(tid, info, value);
    if (tid.IsChildOf(RandomVariableStream::GetTypeId()))
    {
        auto values = ReadValues(object);
        values[name] = made;
        CheckDistribution(tid, values);
    }
    if (!object.SetAttributeFailSafe(name, *made))
    {
        RaiseNotAllowed(tid, info, value);
    }
}

nb::object
GetAttributeOf(const Object& object, const std::string& name)
{
    const auto tid = object.GetInstanceTypeId();
    const auto info = FindAttribute(tid, name);
    if (!(info.flags & TypeId::ATTR_GET) || !info.accessor->HasGetter())
    {
        Raise(nb::attribute_error, tid.GetName() + "'s attribute '" + name + "' cannot be read");
    }
    const auto value = info.checker->Create();
    object.GetAttribute(name, *value);
    return FromValue(*value, info);
}

void
SetDefaultOf(const std::string& path, nb::handle value)
{
    const auto [tid, info] = FindDefault(path);
    Config::SetDefault(path, *MakeValue(tid, info, value));
}

nb::object
GetDefaultOf(const std::string& path)
{
    const auto [tid, info] = FindDefault(path);
    return FromValue(*info.initialValue, info);
}

} // namespace ns3
