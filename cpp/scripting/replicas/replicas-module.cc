// SPDX-License-Identifier: GPL-2.0-only

// Protocols in Python that testers test: the extension module `_scripting_replicas`.

#include "client-operation.h"
#include "partition-environment.h"
#include "replica-values.h"
#include "script-protocol.h"

#include "ns3/simulator.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace ns3
{

namespace
{

/**
 * @param object A Python object.
 * @param name Name of an attribute that is a function, or None.
 * @return the function
 */
ScriptHook
GetHook(nb::handle object, const char* name)
{
    const nb::object function = object.attr(name);
    return function.is_none() ? ScriptHook() : ScriptHook::Lasting(function);
}

/**
 * @param fields Tuples of name, kind and largest value.
 * @return the fields of a protocol
 */
std::vector<ReplicaField>
ToFields(nb::handle fields)
{
    std::vector<ReplicaField> made;
    for (const auto field : fields)
    {
        made.push_back({nb::cast<std::string>(field[0]),
                        static_cast<ReplicaField::Kind>(nb::cast<int>(field[1])),
                        nb::cast<int64_t>(field[2])});
    }
    return made;
}

/**
 * @param binding Python's description of a protocol, as attributes.
 * @return the protocol
 */
std::shared_ptr<ReplicaProtocol>
MakeProtocol(nb::handle binding)
{
    const nb::object traffic = binding.attr("traffic");
    ScriptFacts facts{.name = nb::cast<std::string>(binding.attr("name")),
                      .painter = nb::cast<std::string>(binding.attr("painter")),
                      .bugs = nb::cast<std::vector<std::string>>(binding.attr("bugs")),
                      .traffic = {.bytes = nb::cast<uint32_t>(traffic[0]),
                                  .datagrams = nb::cast<uint32_t>(traffic[1])},
                      .answers = nb::cast<bool>(binding.attr("answers_clients")),
                      .byzantine = nb::cast<bool>(binding.attr("tolerates_byzantine")),
                      .rotates = nb::cast<bool>(binding.attr("rotates"))};
    ProtocolHooks hooks{.entry = GetHook(binding, "make_entry"),
                        .view = GetHook(binding, "make_view"),
                        .group = GetHook(binding, "make_group"),
                        .takers = GetHook(binding, "find_takers"),
                        .check = GetHook(binding, "find_violations"),
                        .healed = GetHook(binding, "find_unhealed"),
                        .patience = GetHook(binding, "get_healing_ticks"),
                        .progress = GetHook(binding, "get_progress"),
                        .done = GetHook(binding, "is_done")};
    ReplicaHooks replicas{.disk = GetHook(binding, "make_disk"),
                          .process = GetHook(binding, "make_process"),
                          .end = GetHook(binding, "end_process"),
                          .crash = GetHook(binding, "describe_crash"),
                          .describe = GetHook(binding, "describe_message"),
                          .fields = ToFields(binding.attr("fields"))};
    return std::make_shared<ScriptProtocol>(std::move(facts),
                                            std::move(hooks),
                                            std::move(replicas));
}

/**
 * @param port The port of a process.
 * @param event An act of the process, which is reported unless the simulation is over.
 */
void
Note(const ReplicaPort& port, ReplicaEvent event)
{
    if (*port.replica)
    {
        (*port.replica)->NoteEvent(event);
    }
}

} // namespace

} // namespace ns3

NB_MODULE(_scripting_replicas, module)
{
    using namespace ns3;
    nb::set_leak_warnings(false); // a simulation ends without destroying its objects
    nb::class_<ReplicaPort>(module, "Port")
        .def("send",
             [](const ReplicaPort& port, uint32_t to, const nb::bytes& data) {
                 if (*port.replica)
                 {
                     (*port.replica)->SendBytes(to, data);
                 }
             })
        .def("answer",
             [](const ReplicaPort& port, uint32_t request, int64_t value) {
                 Note(port,
                      {.kind = ReplicaEvent::ANSWERS,
                       .height = request,
                       .round = Simulator::Now().GetNanoSeconds(),
                       .value = value});
             })
        .def("note", [](const ReplicaPort& port, int64_t kind, int64_t at, int64_t value) {
            Note(port, {.kind = kind, .height = at, .value = value});
        });
    module.def(
        "environment",
        [](nb::handle binding) {
            auto environment = std::make_unique<PartitionEnvironment>(
                nb::cast<std::string>(binding.attr("name")),
                PartitionEnvironment::Protocols{MakeProtocol(binding)});
            return nb::capsule(static_cast<Environment*>(environment.release()));
        },
        nb::sig("def environment(binding: object) -> object"),
        "For deploy_environment() of _scripting, which owns it from then on.");
    module.def("operation", [](uint32_t request) {
        const auto asked = ClientOperation::Of(request);
        return nb::make_tuple(static_cast<int>(asked.kind), asked.key, asked.expected, asked.value);
    });
    module.def(
        "check_state",
        [](nb::handle state, nb::handle fields, uint32_t replicas) {
            ToReplicaState(state, ToFields(fields), replicas);
        },
        nb::arg("state").none(),
        nb::arg("fields"),
        nb::arg("replicas"));
    module.def("check_answer", &ToTaken, nb::arg("answer").none());
}
