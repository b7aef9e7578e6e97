// SPDX-License-Identifier: GPL-2.0-only

#include "application-start.h"
#include "attribute-types.h"
#include "attribute-values.h"
#include "bindings.h"
#include "object-handle.h"
#include "script-component.h"
#include "simple-values.h"
#include "trace-signatures.h"

#include "ns3/channel-address.h"
#include "ns3/mobility-model.h"
#include "ns3/names.h"

#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>

namespace ns3
{

namespace
{

/// @param bound The class of all objects.
void
BindAttributes(nb::class_<ObjectHandle>& bound)
{
    bound
        .def(
            "__getitem__",
            [](const ObjectHandle& self, const std::string& name) {
                return GetAttributeOf(*self.Get(), name);
            },
            nb::sig("def __getitem__(self, name: str, /) -> typing.Any"),
            "Return an attribute, in Python's type for it.")
        .def(
            "__setitem__",
            [](const ObjectHandle& self, const std::string& name, nb::handle value) {
                SetAttributeOf(*self.Get(), name, value);
            },
            nb::arg("name"),
            nb::arg("value").none(),
            nb::sig("def __setitem__(self, name: str, value: typing.Any) -> None"),
            "Set an attribute.")
        .def(
            "trace",
            [](const ObjectHandle& self, const std::string& source, nb::object function) {
                auto connect = FindTrace(self.Get(), source);
                if (!function.is_none())
                {
                    connect(function);
                    return function;
                }
                return nb::object(nb::cpp_function([connect](nb::object decorated) {
                    connect(decorated);
                    return decorated;
                }));
            },
            nb::arg("source"),
            nb::arg("function") = nb::none(),
            nb::sig("def trace(self, source: str, function: collections.abc.Callable[..., "
                    "typing.Any] | None = None) -> typing.Any"),
            "Call a function, which this may also decorate, whenever a trace source fires. The "
            "function takes all arguments of the trace source, or none.")
        .def(
            "count",
            [](const ObjectHandle& self, const std::string& source) {
                return CountTrace(self.Get(), source);
            },
            nb::arg("source"),
            nb::sig("def count(self, source: str) -> Counter"),
            "Count the reports of a trace source from now on, without a Python function.");
}

/// @param module Module of the class.
void
BindObject(nb::module_& module)
{
    nb::class_<ObjectHandle> bound(module, "Object", "An ns-3 object, of any class.");
    BindAttributes(bound);
    bound
        .def_prop_ro(
            "type",
            [](const ObjectHandle& self) { return self.object->GetInstanceTypeId().GetName(); },
            "The name of its class, such as \"ns3::Node\".")
        .def_prop_ro(
            "trace_sources",
            [](const ObjectHandle& self) { return ListTraceSources(self.object); },
            "The signatures of its trace sources, by name.")
        .def(
            "get",
            [](const ObjectHandle& self, const std::string& type) {
                return Wrap(self.Get()->GetObject<Object>(FindType(type)));
            },
            nb::arg("type"),
            nb::sig("def get(self, type: str) -> typing.Any"),
            "Return the object of a class that is aggregated with this one; None if there is none.")
        .def("__eq__",
             [](const ObjectHandle& self, nb::handle other) {
                 return nb::isinstance<ObjectHandle>(other) &&
                        nb::cast<ObjectHandle&>(other).object == self.object;
             })
        .def(
            "__hash__",
            [](const ObjectHandle& self) { return std::hash<Object*>()(PeekPointer(self.object)); })
        .def("__repr__", [](const ObjectHandle& self) {
            return "<" + self.object->GetInstanceTypeId().GetName() + ">";
        });
}

/**
 * @param node Node of an object; null: none yet. Raise ValueError if the object has one.
 * @param object The object.
 */
void
RefuseSecondNode(Ptr<Node> node, const Object& object)
{
    if (node)
    {
        RaiseValueError("the " + object.GetInstanceTypeId().GetName() + " is on " +
                        DescribeNode(node) + " already");
    }
}

/**
 * Add an object to a node.
 *
 * @param node The node.
 * @param object An application, a device, or an object to aggregate.
 */
void
AddToNode(Ptr<Node> node, Ptr<Object> object)
{
    if (const auto application = DynamicCast<Application>(object))
    {
        RefuseSecondNode(application->GetNode(), *object);
        node->AddApplication(application);
        WatchStart(application);
        return;
    }
    if (const auto device = DynamicCast<NetDevice>(object))
    {
        RefuseSecondNode(device->GetNode(), *object);
        device->SetAddress(Mac48Address::Allocate());
        node->AddDevice(device);
        return;
    }
    const bool moves = object->GetInstanceTypeId().IsChildOf(MobilityModel::GetTypeId());
    const auto kind = moves ? MobilityModel::GetTypeId() : object->GetInstanceTypeId();
    if (const auto other = node->GetObject<Object>(kind))
    {
        RaiseValueError("the node has a " + other->GetInstanceTypeId().GetName() + " already" +
                        (moves ? ": move() comes before place()" : ""));
    }
    node->AggregateObject(object);
}

/**
 * @param node A node.
 * @return its position; raise ValueError if it has none
 */
Ptr<MobilityModel>
FindMobility(Ptr<Node> node)
{
    const auto model = node->GetObject<MobilityModel>();
    if (!model)
    {
        RaiseValueError("the node has no position: give it one by place() or move()");
    }
    return model;
}

/// @param bound The class of nodes.
void
BindPosition(nb::class_<NodeHandle, ObjectHandle>& bound)
{
    bound.def_prop_rw(
        "position",
        [](const NodeHandle& self) {
            const auto position = FindMobility(Unwrap<Node>(self))->GetPosition();
            return nb::make_tuple(position.x, position.y, position.z);
        },
        [](const NodeHandle& self, nb::handle position) {
            FindMobility(Unwrap<Node>(self))->SetPosition(ToPosition(position));
        },
        nb::for_getter(nb::sig("def position(self) -> tuple[float, float, float]")),
        "The position of the node: x, y and z in m.");
}

/**
 * @param name A new name of an object.
 * @return the reason why ns-3 would reject it; empty: ns-3 accepts it
 */
std::string
FindNameFault(const std::string& name)
{
    if (name.empty() || name.find('/') != std::string::npos)
    {
        return "'" + name + "' is not a name: it is empty, or has a slash";
    }
    return Names::Find<Object>(name) ? "another object is called '" + name + "'" : "";
}

/**
 * @param node A node, which may have a name already.
 * @param name The new name; raise ValueError if it is invalid.
 */
void
NameNode(Ptr<Node> node, const std::string& name)
{
    const auto present = Names::FindName(node);
    if (present == name && !name.empty())
    {
        return;
    }
    const auto fault = FindNameFault(name);
    if (!fault.empty())
    {
        RaiseValueError(fault);
    }
    present.empty() ? Names::Add(name, node) : Names::Rename(present, name);
}

/// @param bound The class of nodes.
void
BindName(nb::class_<NodeHandle, ObjectHandle>& bound)
{
    bound.def_prop_rw(
        "name",
        [](const NodeHandle& self) { return Names::FindName(Unwrap<Node>(self)); },
        [](const NodeHandle& self, const std::string& name) { NameNode(Unwrap<Node>(self), name); },
        nb::for_getter(nb::sig("def name(self) -> str")),
        "The node's name in ns3::Names; empty: no name.");
    bound.def("__repr__",
              [](const NodeHandle& self) { return "<" + DescribeNode(Unwrap<Node>(self)) + ">"; });
}

/// @param module Module of the class.
void
BindNode(nb::module_& module)
{
    module.def("begin_episode", [] {
        Names::Clear();
        ++GetEpisode();
    });
    module.def("is_free_name", [](const std::string& name) { return FindNameFault(name).empty(); });
    nb::class_<NodeHandle, ObjectHandle> bound(module, "Node", "A node of the network.");
    BindPosition(bound);
    BindName(bound);
    bound
        .def(
            "__init__",
            [](NodeHandle* self) { new (self) NodeHandle{{CreateObject<Node>()}}; },
            "Create a node.")
        .def_prop_ro(
            "id",
            [](const NodeHandle& self) { return Unwrap<Node>(self)->GetId(); },
            "The number of the node, from 0.")
        .def(
            "add",
            [](const NodeHandle& self, nb::object what, const nb::kwargs& attributes) {
                auto object = what;
                if (PyUnicode_Check(what.ptr()))
                {
                    object = Wrap(CreateByName(nb::cast<std::string>(what), attributes));
                }
                const auto& part = Expect<ObjectHandle>(object, "class name or object");
                AddToNode(Unwrap<Node>(self), part.Get());
                return object;
            },
            nb::arg("type"),
            nb::arg("attributes"),
            nb::sig("def add(self, type: str | Object, **attributes: typing.Any) -> typing.Any"),
            "Create an application, a device or another part of the node, and return it.")
        .def(
            "address",
            [](const NodeHandle& self, int version) {
                if (version != 4 && version != 6)
                {
                    RaiseValueError("there is no IPv" + std::to_string(version));
                }
                const auto node = Unwrap<Node>(self);
                const auto address =
                    version == 6 ? FindDefaultIpv6Address(node) : FindDefaultIpv4Address(node);
                if (address.IsInvalid() || IsLoopback(address))
                {
                    RaiseValueError(DescribeNode(node) +
                                    " has no such address: give it an Internet stack and a link "
                                    "before");
                }
                return FromAddress(address);
            },
            nb::arg("version") = 4,
            nb::sig("def address(self, version: int = 4) -> str"),
            "Return the first address of the node, a text.")
        .def_prop_ro(
            "devices",
            [](const NodeHandle& self) {
                nb::list devices;
                const auto node = Unwrap<Node>(self);
                for (uint32_t i = 0; i < node->GetNDevices(); ++i)
                {
                    devices.append(Wrap(node->GetDevice(i)));
                }
                return devices;
            },
            nb::for_getter(nb::sig("def devices(self) -> list[Device]")),
            "The network devices of the node, including the loopback device.")
        .def_prop_ro(
            "applications",
            [](const NodeHandle& self) {
                nb::list applications;
                const auto node = Unwrap<Node>(self);
                for (uint32_t i = 0; i < node->GetNApplications(); ++i)
                {
                    applications.append(Wrap(node->GetApplication(i)));
                }
                return applications;
            },
            nb::for_getter(nb::sig("def applications(self) -> list[Application]")),
            "The applications of the node.");
}

/// @param module Module of the classes.
void
BindOthers(nb::module_& module)
{
    nb::class_<DeviceHandle, ObjectHandle>(module, "Device", "A network device.")
        .def_prop_ro(
            "node",
            [](const DeviceHandle& self) { return Wrap(Unwrap<NetDevice>(self)->GetNode()); },
            nb::for_getter(nb::sig("def node(self) -> Node")),
            "The node of the device.")
        .def_prop_ro(
            "channel",
            [](const DeviceHandle& self) { return Wrap(Unwrap<NetDevice>(self)->GetChannel()); },
            nb::for_getter(nb::sig("def channel(self) -> Object")),
            "The channel of the device.");
    nb::class_<ApplicationHandle, ObjectHandle>(module, "Application", "An application.")
        .def_prop_ro(
            "node",
            [](const ApplicationHandle& self) {
                return Wrap(Unwrap<Application>(self)->GetNode());
            },
            nb::for_getter(nb::sig("def node(self) -> Node")),
            "The node of the application.")
        .def(
            "run",
            [](const ApplicationHandle& self, nb::handle start, nb::handle stop) {
                const auto application = Unwrap<Application>(self);
                const auto from = ToTime(start);
                const auto to = stop.is_none() ? Time::Max() : ToTime(stop);
                if (from.IsStrictlyNegative() || to < from)
                {
                    RaiseValueError("an application must start at 0s or later, and stop "
                                    "after its start");
                }
                application->SetStartTime(from);
                if (!stop.is_none())
                {
                    application->SetStopTime(to);
                }
            },
            nb::arg("start"),
            nb::arg("stop") = nb::none(),
            nb::sig("def run(self, start: Time | str | float, stop: Time | str | float | None = "
                    "None) -> None"),
            "Run from one time to another; both count from the beginning of the episode.");
    nb::class_<RandomHandle, ObjectHandle>(module, "RandomVariable", "A stream of random numbers.")
        .def(
            "__call__",
            [](const RandomHandle& self) { return Unwrap<RandomVariableStream>(self)->GetValue(); })
        .def(
            "integer",
            [](const RandomHandle& self) {
                return Unwrap<RandomVariableStream>(self)->GetInteger();
            },
            "Return the next number as an int.");
    nb::class_<PacketHandle>(module, "Packet", "A packet from a trace source.")
        .def_prop_ro(
            "size",
            [](const PacketHandle& self) { return self.packet->GetSize(); },
            "Its size in bytes.")
        .def_prop_ro(
            "uid",
            [](const PacketHandle& self) { return self.packet->GetUid(); },
            "Its number in this simulation.");
}

} // namespace

void
BindObjects(nb::module_& module)
{
    BindObject(module);
    BindNode(module);
    BindOthers(module);
    module.def(
        "create",
        [](const std::string& type, const nb::kwargs& attributes) {
            return Wrap(CreateByName(type, attributes));
        },
        nb::arg("type"),
        nb::arg("attributes"),
        nb::sig("def create(type: str, **attributes: typing.Any) -> typing.Any"));
    module.def("is_a", [](const ObjectHandle& object, const std::string& type) {
        const auto tid = object.object->GetInstanceTypeId();
        return tid == FindType(type) || tid.IsChildOf(FindType(type));
    });
    module.def("set_default", &SetDefaultOf, nb::arg("path"), nb::arg("value"));
    module.def("get_default", &GetDefaultOf, nb::arg("path"));
    module.def("on_start", [](const NodeHandle& node, nb::object function) {
        ScriptComponent::CallAtStart(Unwrap<Node>(node), ScriptHook(std::move(function)));
    });
    module.def("trace_signatures",
               &ListTraceSignatures,
               "Return the signatures of trace sources that can call functions.");
    module.def(
        "add_trace_signatures",
        [](const nb::capsule& adapters) {
            AddTraceSignatures(*static_cast<const TraceAdapters*>(adapters.data()));
        },
        nb::arg("adapters"),
        nb::sig("def add_trace_signatures(adapters: object) -> None"),
        "Know further signatures.");
}

} // namespace ns3
