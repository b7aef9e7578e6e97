// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-values.h"

#include "ns3/boolean.h"
#include "ns3/box.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/integer.h"
#include "ns3/mac48-address.h"
#include "ns3/object-factory.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/rectangle.h"
#include "ns3/rl-parameter.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/vector.h"

#include <arpa/inet.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

using Attribute = TypeId::AttributeInformation; //!< What is known of an attribute

/**
 * @param tid A class.
 * @return names of its attributes
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
 * @return what is known of it; raise AttributeError if there is none
 */
Attribute
FindAttribute(TypeId tid, const std::string& name)
{
    Attribute info;
    if (!tid.LookupAttributeByName(name, &info, true))
    {
        RaiseUnknown(tid.GetName() + " has no attribute '" + name + "'", name, ListAttributes(tid));
    }
    if (info.supportLevel == TypeId::SupportLevel::OBSOLETE)
    {
        throw nb::attribute_error(
            (tid.GetName() + "'s attribute '" + name + "' is obsolete: " + info.supportMsg)
                .c_str());
    }
    return info;
}

/**
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @return both; raise AttributeError or ValueError if there are no such
 */
std::pair<TypeId, Attribute>
FindDefault(const std::string& path)
{
    const auto colons = path.rfind("::");
    if (colons == std::string::npos || colons == 0)
    {
        throw nb::value_error(
            ("'" + path + "' is no class and attribute, such as ns3::TcpSocket::SegmentSize")
                .c_str());
    }
    const auto tid = FindType(path.substr(0, colons));
    return {tid, FindAttribute(tid, path.substr(colons + 2))};
}

/**
 * @param value A value in Python.
 * @return how messages show it
 */
std::string
Describe(nb::handle value)
{
    return nb::cast<std::string>(nb::repr(value));
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value What it cannot be.
 */
[[noreturn]] void
RaiseNotAllowed(TypeId tid, const Attribute& info, nb::handle value)
{
    const auto form = info.checker->HasUnderlyingTypeInformation()
                          ? " (" + info.checker->GetUnderlyingTypeInformation() + ")"
                          : "";
    throw nb::value_error((tid.GetName() + "'s attribute '" + info.name + "' is a " +
                           info.checker->GetValueTypeName() + form + " and cannot be " +
                           Describe(value))
                              .c_str());
}

/**
 * @param kind Name of a class of attribute values, without "ns3::".
 * @param info An attribute.
 * @return whether it is of that class
 */
bool
IsOf(const char* kind, const Attribute& info)
{
    return info.checker->GetValueTypeName() == std::string("ns3::") + kind;
}

/**
 * @param value A value in Python.
 * @return it in ns-3's notation
 */
std::string
ToText(nb::handle value)
{
    if (PyBool_Check(value.ptr()))
    {
        return value.is(Py_True) ? "true" : "false";
    }
    return nb::cast<std::string>(nb::str(value));
}

/**
 * @param value A number in Python.
 * @return an integer
 */
int64_t
ToInteger(nb::handle value)
{
    if (PyFloat_Check(value.ptr()) &&
        PyFloat_AS_DOUBLE(value.ptr()) == static_cast<int64_t>(PyFloat_AS_DOUBLE(value.ptr())))
    {
        return static_cast<int64_t>(PyFloat_AS_DOUBLE(value.ptr()));
    }
    PyObject* const index = PyNumber_Index(value.ptr());
    if (!index)
    {
        throw nb::python_error();
    }
    return nb::cast<int64_t>(nb::steal(index));
}

/**
 * @param name Name of a class.
 * @return its type; raise LookupError if there is none, ValueError if it is abstract
 */
TypeId
FindConcreteType(const std::string& name)
{
    const auto tid = FindType(name);
    if (!tid.HasConstructor())
    {
        throw nb::value_error((name + " is abstract: name a class that derives from it").c_str());
    }
    return tid;
}

Ptr<AttributeValue> MakeValue(TypeId tid, const Attribute& info, nb::handle value);

/**
 * Raise LookupError, AttributeError or ValueError where ns-3 would end the process, as it does for
 * all texts of objects that it cannot make.
 *
 * @param tid The class that has the attribute.
 * @param info The attribute.
 * @param text "ns3::Class" or "ns3::Class[Attribute=value|...]"; its objects have no others in it.
 */
void
CheckObjectText(TypeId tid, const Attribute& info, const std::string& text)
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
        return;
    }
    if (text.find_first_of("[] \t\n", bracket + 1) != text.size() - 1 || text.back() != ']')
    {
        RaiseNotAllowed(tid, info, nb::str(text.c_str()));
    }
    std::istringstream settings(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string setting; std::getline(settings, setting, '|');)
    {
        const auto equals = setting.find('=');
        if (equals == std::string::npos)
        {
            RaiseNotAllowed(tid, info, nb::str(text.c_str()));
        }
        MakeValue(made,
                  FindAttribute(made, setting.substr(0, equals)),
                  nb::str(setting.substr(equals + 1).c_str()));
    }
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Its value in Python: an object, None, a number for a stream that is constant, or
 *        "ns3::Class[Attribute=value|...]".
 * @return the value
 */
Ptr<AttributeValue>
MakePointer(TypeId tid, const Attribute& info, nb::handle value)
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
    CheckObjectText(tid, info, text);
    // As programs in C++ have it: each object gets a stream of its own, of the same number.
    return Create<StringValue>(text);
}

/**
 * @tparam T Type of a value.
 * @param text A text.
 * @return whether all of it is a value, which ns-3 aborts without
 */
template <typename T>
bool
IsWhole(const std::string& text)
{
    std::istringstream stream(text);
    T value;
    stream >> value;
    return stream.eof() && !stream.fail();
}

/**
 * @param info An attribute whose value is read from a stream.
 * @param text A text.
 * @return whether ns-3 reads all of it, rather than abort
 */
bool
IsReadWhole(const Attribute& info, const std::string& text)
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
    // All others are one word, but lists of values.
    const auto name = info.checker->GetValueTypeName();
    const bool isList = name.starts_with("ns3::AttributeContainerValue") ||
                        name.starts_with("ns3::TupleValue") || name.starts_with("ns3::EnumValue");
    return isList || text.find_first_of(" \t\n") == std::string::npos;
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Its value in Python, a text of ns-3's own notation among others.
 * @return the value
 */
Ptr<AttributeValue>
MakeFromText(TypeId tid, const Attribute& info, nb::handle value)
{
    const auto text = ToText(value);
    const auto allowed = info.checker->HasUnderlyingTypeInformation()
                             ? info.checker->GetUnderlyingTypeInformation()
                             : "";
    if (info.checker->GetValueTypeName().starts_with("ns3::EnumValue") &&
        ("|" + allowed + "|").find("|" + text + "|") == std::string::npos)
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
 * @param value Its value in Python.
 * @return the value, which the attribute may not allow
 */
Ptr<AttributeValue>
MakeUnchecked(TypeId tid, const Attribute& info, nb::handle value)
{
    const bool isText = PyUnicode_Check(value.ptr());
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
    if (IsOf("BooleanValue", info) && !isText)
    {
        return Create<BooleanValue>(PyObject_IsTrue(value.ptr()) == 1);
    }
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
        const auto integer = isText ? ToInteger(nb::int_(value)) : ToInteger(value);
        if (integer < 0)
        {
            RaiseNotAllowed(tid, info, value);
        }
        return Create<UintegerValue>(integer);
    }
    if (IsOf("StringValue", info))
    {
        return Create<StringValue>(ToText(value));
    }
    return MakeFromText(tid, info, value);
}

/**
 * @param tid The class.
 * @param info The attribute.
 * @param value Its value in Python.
 * @return the value; raise ValueError if it is not allowed
 */
Ptr<AttributeValue>
MakeValue(TypeId tid, const Attribute& info, nb::handle value)
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
    return made;
}

/**
 * @param value The value of an attribute.
 * @param info The attribute.
 * @return it in Python
 */
nb::object
FromValue(const AttributeValue& value, const Attribute& info)
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

/**
 * @param family Of addresses.
 * @param text An address.
 * @return whether it is one of that family
 */
bool
Parses(int family, const std::string& text)
{
    unsigned char bytes[sizeof(in6_addr)];
    return inet_pton(family, text.c_str(), bytes) == 1;
}

/**
 * @param text An address.
 * @return whether it is six bytes of two hexadecimal digits each, with colons between them
 */
bool
IsMacAddress(const std::string& text)
{
    bool isMac = text.size() == 17;
    for (std::size_t i = 0; isMac && i < text.size(); ++i)
    {
        isMac = i % 3 == 2 ? text[i] == ':' : std::isxdigit(static_cast<unsigned char>(text[i]));
    }
    return isMac;
}

} // namespace

Time
ToTime(nb::handle value)
{
    Time time;
    if (nb::isinstance<Time>(value))
    {
        return nb::cast<Time>(value);
    }
    if (PyUnicode_Check(value.ptr()))
    {
        if (ParseText(nb::cast<std::string>(value), time))
        {
            return time;
        }
    }
    else if (PyNumber_Check(value.ptr()))
    {
        const auto seconds = nb::cast<double>(nb::float_(value));
        if (std::abs(seconds) < Time::Max().GetSeconds())
        {
            return Seconds(seconds);
        }
    }
    throw nb::value_error((Describe(value) + " is no time, such as \"10ms\" or 0.01").c_str());
}

DataRate
ToDataRate(nb::handle value)
{
    DataRate rate;
    if (nb::isinstance<DataRate>(value))
    {
        return nb::cast<DataRate>(value);
    }
    if (PyUnicode_Check(value.ptr()))
    {
        if (ParseText(nb::cast<std::string>(value), rate))
        {
            return rate;
        }
    }
    else if (PyNumber_Check(value.ptr()))
    {
        uint64_t bits = 0;
        if (nb::try_cast<uint64_t>(nb::int_(value), bits))
        {
            return DataRate(bits);
        }
    }
    throw nb::value_error((Describe(value) + " is no data rate, such as \"5Mbps\"").c_str());
}

QueueSize
ToQueueSize(const std::string& text)
{
    if (!IsWhole<QueueSize>(text))
    {
        throw nb::value_error(
            ("'" + text + "' is no size of a queue, such as \"100p\" or \"64kB\"").c_str());
    }
    return QueueSize(text);
}

Address
ToAddress(nb::handle value)
{
    if (nb::isinstance<nb::tuple>(value) && nb::len(value) == 2)
    {
        const auto host = nb::cast<std::string>(nb::str(value[0]));
        const auto port = nb::cast<uint16_t>(value[1]);
        if (Parses(AF_INET, host))
        {
            return InetSocketAddress(Ipv4Address(host.c_str()), port);
        }
        if (Parses(AF_INET6, host))
        {
            return Inet6SocketAddress(Ipv6Address(host.c_str()), port);
        }
    }
    else if (PyUnicode_Check(value.ptr()))
    {
        const auto text = nb::cast<std::string>(value);
        if (Parses(AF_INET, text))
        {
            return Ipv4Address(text.c_str());
        }
        if (Parses(AF_INET6, text))
        {
            return Ipv6Address(text.c_str());
        }
        if (IsMacAddress(text))
        {
            return Mac48Address(text.c_str());
        }
    }
    throw nb::value_error(
        (Describe(value) + " is no address, such as \"10.0.0.1\" or (\"10.0.0.1\", 9)").c_str());
}

nb::object
FromAddress(const Address& address)
{
    std::ostringstream text;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto socket = InetSocketAddress::ConvertFrom(address);
        text << socket.GetIpv4();
        return nb::make_tuple(text.str(), socket.GetPort());
    }
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto socket = Inet6SocketAddress::ConvertFrom(address);
        text << socket.GetIpv6();
        return nb::make_tuple(text.str(), socket.GetPort());
    }
    if (Ipv4Address::IsMatchingType(address))
    {
        text << Ipv4Address::ConvertFrom(address);
    }
    else if (Ipv6Address::IsMatchingType(address))
    {
        text << Ipv6Address::ConvertFrom(address);
    }
    else if (Mac48Address::IsMatchingType(address))
    {
        text << Mac48Address::ConvertFrom(address);
    }
    else
    {
        text << address;
    }
    return nb::cast(text.str());
}

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
        RaiseUnknown("no class of ns-3 is called '" + name +
                         "' among those of the modules that are loaded (see load_module())",
                     name,
                     names);
    }
    return tid;
}

Ptr<Object>
CreateByName(const std::string& name, const nb::dict& attributes)
{
    const auto tid = FindConcreteType(name);
    ObjectFactory factory;
    factory.SetTypeId(tid);
    for (const auto& [key, value] : attributes)
    {
        const auto attribute = nb::cast<std::string>(key);
        const auto info = FindAttribute(tid, attribute);
        factory.Set(attribute, *MakeValue(tid, info, value));
    }
    return factory.Create<Object>();
}

void
SetAttributeOf(Object& object, const std::string& name, nb::handle value)
{
    const auto tid = object.GetInstanceTypeId();
    const auto info = FindAttribute(tid, name);
    if (!(info.flags & TypeId::ATTR_SET) || !info.accessor->HasSetter())
    {
        throw nb::attribute_error(
            (tid.GetName() + "'s attribute '" + name + "' cannot be set any more").c_str());
    }
    const auto made = MakeValue(tid, info, value);
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
        throw nb::attribute_error(
            (tid.GetName() + "'s attribute '" + name + "' cannot be read").c_str());
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
