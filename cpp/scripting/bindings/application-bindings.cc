// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-values.h"
#include "bindings.h"
#include "communication-session.h"
#include "gym-values.h"
#include "object-handle.h"
#include "reordering-receiver.h"
#include "script-action-application.h"
#include "script-agent-application.h"
#include "script-collector.h"
#include "script-place.h"
#include "simple-values.h"
#include "split-header.h"
#include "tcp-downloads.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace ns3
{

namespace
{

/// Creation of applications.
constexpr const char* CONSTRUCTOR =
    "def __init__(self, node: Node | None, **attributes: typing.Any) -> None";

/// The Python objects of RL applications.
struct ObserverHandle : ApplicationHandle
{
};

/// The Python objects of reward applications.
struct RewarderHandle : ApplicationHandle
{
};

/// The Python objects of action applications.
struct ActorHandle : ApplicationHandle
{
};

/// The Python objects of agents.
struct AgentHandle : ApplicationHandle
{
};

/**
 * Send a packet of traffic on demand.
 *
 * @param receiver Receiver of the traffic.
 * @param bytes Payload.
 * @param onDelivery Called when the packet is delivered; may be empty.
 */
void
SendPacket(ReorderingReceiver& receiver, int64_t bytes, ScriptHook onDelivery)
{
    const auto sender = receiver.GetSender();
    if (!sender->IsRunning())
    {
        RaiseValueError("packets can be sent from the start of the simulation on: call "
                        "send() in a function, such as one for sc.after(0, ...)");
    }
    if (bytes < SplitHeader::BYTES || bytes > SplitSender::LARGEST_SIZE)
    {
        RaiseValueError("a packet has " + std::to_string(SplitHeader::BYTES) + " to " +
                        std::to_string(SplitSender::LARGEST_SIZE) + " bytes, not " +
                        std::to_string(bytes));
    }
    const auto number = sender->SendOne(bytes);
    if (onDelivery)
    {
        receiver.CallAtDelivery(number, std::move(onDelivery));
    }
}

/**
 * @param receiver Receiver of the traffic.
 * @return for each path: packets and bytes sent, packets and bytes received, the sum of their
 * delays in s, and lost packets. Then packets and bytes delivered, the sum of their delays in s,
 * and late packets
 */
std::vector<double>
CountTraffic(const ReorderingReceiver& receiver)
{
    std::vector<double> counts;
    for (std::size_t path = 0; path < SplitSender::PATHS; ++path)
    {
        const auto& sent = receiver.GetSender()->GetSent(path);
        const auto& arrived = receiver.GetArrived(path);
        counts.insert(counts.end(),
                      {static_cast<double>(sent.packets),
                       static_cast<double>(sent.bytes),
                       static_cast<double>(arrived.count),
                       static_cast<double>(arrived.bytes),
                       arrived.delay.GetSeconds(),
                       static_cast<double>(receiver.GetLost(path))});
    }
    const auto& delivered = receiver.GetDelivered();
    counts.insert(counts.end(),
                  {static_cast<double>(delivered.count),
                   static_cast<double>(delivered.bytes),
                   delivered.delay.GetSeconds(),
                   static_cast<double>(receiver.GetLate())});
    return counts;
}

/**
 * @tparam H The Python object.
 * @param type Name of the class of the application.
 * @return a function that creates it on a node, with attributes
 */
template <typename H>
auto
MakeConstructor(const char* type)
{
    return [type](H* self, nb::handle node, const nb::kwargs& attributes) {
        const auto application = CreateByName(type, attributes);
        NotePlace(application);
        if (!node.is_none())
        {
            const auto place = Unwrap<Node>(Expect<NodeHandle>(node, "node"));
            place->AddApplication(DynamicCast<Application>(application));
            CommunicationSession::Get().Note(DynamicCast<RlApplication>(application));
        }
        new (self) H{};
        self->object = application;
    };
}

/**
 * @tparam H The Python object.
 * @param bound The class of applications of one kind, to extend by common methods.
 * @param type Name of the class of the application.
 */
template <typename H>
void
BindCommon(nb::class_<H, ApplicationHandle>& bound, const char* type)
{
    bound
        .def("__init__",
             MakeConstructor<H>(type),
             nb::arg("node").none(),
             nb::arg("attributes"),
             nb::sig(CONSTRUCTOR))
        .def_prop_ro(
            "number",
            [](const H& self) { return Unwrap<RlApplication>(self)->GetId().applicationId; },
            "The number of the application among applications of its kind, once it is connected.")
        .def_prop_ro("running",
                     [](const H& self) { return Unwrap<RlApplication>(self)->IsRunning(); })
        .def(
            "move_to",
            [](const H& self, const NodeHandle& node) {
                Unwrap<RlApplication>(self)->MoveTo(Unwrap<Node>(node));
            },
            nb::arg("node"),
            "Continue on another node; all channels follow.");
}

/**
 * @tparam H The Python object.
 * @tparam A Class of the applications.
 * @param module The module of the class.
 * @param name Name of the class in Python.
 * @param type Name of the class of the application.
 */
template <typename H, typename A>
void
BindCollector(nb::module_& module, const char* name, const char* type)
{
    nb::class_<H, ApplicationHandle> bound(module, name);
    BindCommon(bound, type);
    bound

        .def("send",
             [](const H& self, nb::handle message) {
                 static_cast<A*>(PeekPointer(self.Get()))->SendMessage(message);
             })
        .def("sample", [](const H& self, nb::handle interval, nb::object function) {
            const auto time = ToTime(interval);
            if (!time.IsStrictlyPositive())
            {
                RaiseValueError("sampling at an interval of 0s would never end");
            }
            static_cast<A*>(PeekPointer(self.Get()))
                ->SetSample(time, ScriptHook(std::move(function)));
        });
}

/**
 * @param self The Python object.
 * @return the agent
 */
ScriptAgentApplication&
GetAgent(const AgentHandle& self)
{
    return *static_cast<ScriptAgentApplication*>(PeekPointer(self.Get()));
}

/**
 * @param hooks The functions of an agent.
 * @param name Name of a function.
 * @return the function
 */
ScriptHook&
FindHook(ScriptAgentApplication::Hooks& hooks, const std::string& name)
{
    return name == "observation" ? hooks.observation
           : name == "reward"    ? hooks.reward
           : name == "message"   ? hooks.message
           : name == "action"    ? hooks.action
           : name == "observe"   ? hooks.observe
                                 : hooks.info;
}

/**
 * @param message A dict, or a value for the entry "default".
 * @return the message
 */
Ptr<OpenGymDictContainer>
ToMessage(nb::handle message)
{
    const auto content = ToContainer(message);
    if (const auto dict = DynamicCast<OpenGymDictContainer>(content))
    {
        return dict;
    }
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    dict->Add("default", content);
    return dict;
}

/// @param bound The class of agents, to extend by methods of decisions.
void
BindDecisions(nb::class_<AgentHandle, ApplicationHandle>& bound)
{
    bound
        .def("set_spaces",
             [](const AgentHandle& self,
                const ObjectHandle& observations,
                const ObjectHandle& actions) {
                 GetAgent(self).SetSpaces(Unwrap<OpenGymSpace>(observations),
                                          Unwrap<OpenGymSpace>(actions));
             })
        .def("hook",
             [](const AgentHandle& self, const std::string& name, nb::object function) {
                 FindHook(GetAgent(self).GetHooks(), name) = ScriptHook(std::move(function));
             })
        .def(
            "decide",
            [](const AgentHandle& self, nb::handle observation, std::optional<uint32_t> action) {
                GetAgent(self).Decide(observation, action);
            },
            nb::arg("observation").none() = nb::none(),
            nb::arg("number") = nb::none(),
            "Request an action, for all action applications or for one.")
        .def(
            "request",
            [](const AgentHandle& self, nb::handle observation) {
                return GetAgent(self).Request(observation);
            },
            nb::arg("observation").none() = nb::none(),
            nb::sig("def request(self, observation: typing.Any = None) -> typing.Any"),
            "Request an action and return it: no event occurs in between. None: the agent has "
            "ended.")
        .def_prop_rw(
            "arrays",
            [](const AgentHandle& self) { return GetAgent(self).GetHooks().takesArrays; },
            [](const AgentHandle& self, bool takes) {
                GetAgent(self).GetHooks().takesArrays = takes;
            },
            "Whether on_observation() gets NumPy's arrays instead of lists.")
        .def_prop_rw(
            "reward",
            [](const AgentHandle& self) { return GetAgent(self).GetReward(); },
            [](const AgentHandle& self, double reward) { GetAgent(self).SetReward(reward); },
            "The reward since the last decision.")
        .def_prop_rw(
            "observation",
            [](const AgentHandle& self) { return GetAgent(self).GetObservation(); },
            [](const AgentHandle& self, nb::handle observation) {
                GetAgent(self).SetObservation(observation);
            },
            nb::for_getter(nb::sig("def observation(self) -> typing.Any")),
            "The observation; None: no observation yet.")
        .def_prop_ro("ended", [](const AgentHandle& self) { return GetAgent(self).HasEnded(); })
        .def("terminate", [](const AgentHandle& self) { GetAgent(self).Terminate(); })
        .def("truncate", [](const AgentHandle& self) { GetAgent(self).Truncate(); })
        .def(
            "send_action",
            [](const AgentHandle& self, nb::handle action, std::optional<uint32_t> number) {
                GetAgent(self).SendAction(ToMessage(action), number);
            },
            nb::arg("action"),
            nb::arg("number") = nb::none())
        .def(
            "send",
            [](const AgentHandle& self, nb::handle content, std::optional<uint32_t> number) {
                GetAgent(self).SendToAgent(ToMessage(content), number);
            },
            nb::arg("message"),
            nb::arg("number") = nb::none());
}

} // namespace

void
BindApplications(nb::module_& module)
{
    BindCollector<ObserverHandle, ScriptObservationApplication>(
        module,
        "Observation",
        "ns3::ScriptObservationApplication");
    BindCollector<RewarderHandle, ScriptRewardApplication>(module,
                                                           "Reward",
                                                           "ns3::ScriptRewardApplication");
    nb::class_<ActorHandle, ApplicationHandle> actor(module, "Action");
    BindCommon(actor, "ns3::ScriptActionApplication");
    actor

        .def("execute", [](const ActorHandle& self, nb::object function) {
            static_cast<ScriptActionApplication*>(PeekPointer(self.Get()))
                ->SetExecute(ScriptHook(std::move(function)));
        });
    nb::class_<AgentHandle, ApplicationHandle> agent(module, "Agent");
    BindCommon(agent, "ns3::ScriptAgentApplication");
    BindDecisions(agent);
    module.def("space", [](const std::string& kind, const nb::args& arguments) {
        return ObjectHandle{MakeSpace(kind, nb::borrow<nb::tuple>(arguments))};
    });
    module.def("download",
               [](const NodeHandle& server,
                  const NodeHandle& client,
                  uint64_t bytes,
                  nb::object onDone,
                  bool persistent) {
                   TcpDownloads::Obtain(Unwrap<Node>(server), Unwrap<Node>(client), persistent)
                       ->Order(bytes, ScriptHook(std::move(onDone)));
               });
    module.def(
        "send_packet",
        [](const ObjectHandle& receiver, int64_t bytes, nb::object onDelivery) {
            SendPacket(*Unwrap<ReorderingReceiver>(receiver),
                       bytes,
                       ScriptHook(std::move(onDelivery)));
        },
        nb::arg("receiver"),
        nb::arg("size"),
        nb::arg("on_delivery").none());
    module.def("count_traffic", [](const ObjectHandle& receiver) {
        return CountTraffic(*Unwrap<ReorderingReceiver>(receiver));
    });
    module.def("name_elements",
               [](const ObjectHandle& space, const std::vector<std::string>& names) {
                   const auto tensor = Unwrap<OpenGymTensorSpace>(space);
                   if (names.size() != tensor->GetFlatSize())
                   {
                       RaiseValueError("there are " + std::to_string(names.size()) + " names for " +
                                       std::to_string(tensor->GetFlatSize()) + " elements");
                   }
                   tensor->SetElementNames(names);
               });
}

} // namespace ns3
