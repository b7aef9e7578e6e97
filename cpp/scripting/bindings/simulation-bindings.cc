// SPDX-License-Identifier: GPL-2.0-only

#include "application-start.h"
#include "bindings.h"
#include "bridge-options.h"
#include "communication-session.h"
#include "deployment.h"
#include "environment-program.h"
#include "object-handle.h"
#include "process-copy.h"
#include "real-time-clock.h"
#include "script-environment.h"
#include "script-hook.h"
#include "script-parameters.h"
#include "simple-values.h"

#include "ns3/global-value.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"

#include <dlfcn.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>

namespace ns3
{

namespace
{

/**
 * @brief Run control of a scenario in Python.
 */
class ScriptSimulation
{
  public:
    /// @param name Name of the scenario.
    explicit ScriptSimulation(const std::string& name)
        : m_simulation(name)
    {
    }

    /// @param parameter The declaration.
    void Declare(const ScriptParameter& parameter)
    {
        m_readers[parameter.name] = DeclareParameter(m_simulation, parameter);
    }

    /**
     * Use the shared deployment.
     *
     * @param options The choices.
     * @param hooks Functions of the scenario.
     * @param duration Default of the simulated time of an episode.
     */
    void Deploy(DeploymentOptions options, ScriptEnvironment::Hooks hooks, Time duration)
    {
        Deploy(std::make_unique<ScriptEnvironment>(std::move(options), std::move(hooks), duration));
    }

    /// @param environment The deployment.
    void Deploy(std::unique_ptr<Environment> environment)
    {
        m_environment = std::move(environment);
        m_environment->DeclareAll(m_simulation);
        WarmUpAccess(m_simulation, m_environment->GetDeployment().GetOptions());
    }

    /// @param build Builds a network once, before episodes are forked.
    void AddWarmUp(nb::object build)
    {
        m_simulation.AddWarmUp([build = std::move(build)] { Guarded([&] { build(); }); });
    }

    /// @param arguments Arguments of the program, its name first.
    void Parse(std::vector<std::string> arguments)
    {
        ReportAborts();
        m_simulation.Parse(std::move(arguments));
    }

    /// @return values of the parameters, by name
    nb::dict GetValues() const
    {
        nb::dict values;
        for (const auto& [name, read] : m_readers)
        {
            values[name.c_str()] = read();
        }
        return values;
    }

    /// @return placement of agents in this episode
    nb::dict GetPlacement() const
    {
        const auto& deployment = m_environment->GetDeployment();
        nb::dict values;
        values["placement"] = deployment.placement;
        values["transport"] = deployment.transport;
        values["access"] = deployment.access;
        return values;
    }

    /// Play an episode with the shared deployment. @return the exit status
    int RunDeployed()
    {
        RequireConsistency(m_simulation, *m_environment);
        Deployment deployment(*m_environment);
        return m_simulation.Run(Simulator::Now() + m_environment->GetDeployment().duration);
    }

    /// @param message The fault of the parameters.
    [[noreturn]] void Refuse(const std::string& message)
    {
        m_simulation.Refuse(message);
    }

    /// @param duration The longest simulated time. @return the exit status
    int Run(nb::handle duration)
    {
        return m_simulation.Run(duration.is_none() ? Time::Max() : ToTime(duration));
    }

  private:
    RlSimulation m_simulation;                        //!< Run control
    std::unique_ptr<Environment> m_environment;       //!< The deployment; null: nothing
    std::map<std::string, ParameterReader> m_readers; //!< Readers of values
};

/**
 * Run Python's hooks before and after forks, and at the end of this process.
 *
 * @param isCurrent Returns whether the imported files are unchanged.
 * @param end Completes the files of the scenario.
 */
void
SetHooks(nb::object isCurrent, nb::object end)
{
    GetForkHooks() = {
        [isCurrent] { return Guarded([&] { return nb::cast<bool>(isCurrent()); }); },
        &PyOS_BeforeFork,
        &PyOS_AfterFork_Parent,
        &PyOS_AfterFork_Child,
    };
    GetEndHook() = [end] {
        const nb::error_scope scope; // an exception may be the reason of the end
        Guarded([&] { end(); });
    };
}

/**
 * @param path Path of a shared library with ns-3 classes to register.
 */
void
LoadLibrary(const std::string& path)
{
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
    {
        PyErr_SetString(PyExc_OSError, dlerror());
        throw nb::python_error();
    }
}

/**
 * Run in real time; call this before building anything.
 *
 * @param maxLag Largest lag of events before the episode fails.
 */
void
UseRealTime(nb::handle maxLag)
{
    Simulator::Destroy(); // a process prepared for episodes has a simulator in virtual time
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
    RealTimeClock::SetMaxLag(ToTime(maxLag));
}

/// @return the library of ns-3's core, in the folder of the modules' libraries
std::string
FindCore()
{
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&Simulator::Now), &info);
    return info.dli_fname ? info.dli_fname : "";
}

/**
 * @param applications The Python object.
 * @return the applications
 */
RlApplicationContainer
ToApplications(const std::vector<ApplicationHandle>& applications)
{
    RlApplicationContainer container;
    for (const auto& each : applications)
    {
        container.Add(Unwrap<RlApplication>(each));
    }
    return container;
}

using Applications = std::vector<ApplicationHandle>; //!< Applications in Python

/// @param module Module of the functions.
void
BindConnections(nb::module_& module)
{
    module.def(
        "connect_simple",
        [](const Applications& clients,
           const Applications& servers,
           nb::handle delay,
           double loss,
           nb::object jitter,
           bool synchronous) {
            CommunicationAttributes how{ToTime(delay), loss, nullptr, synchronous};
            if (how.delay.IsStrictlyNegative())
            {
                RaiseValueError("delay=" + Describe(delay) + " is negative");
            }
            if (!jitter.is_none())
            {
                how.jitter = Unwrap<RandomVariableStream>(nb::cast<ObjectHandle&>(jitter));
            }
            CommunicationSession::Get().Connect(ToApplications(clients),
                                                ToApplications(servers),
                                                how);
        },
        nb::arg("clients"),
        nb::arg("servers"),
        nb::arg("delay").none(), // for our own message
        nb::arg("loss"),
        nb::arg("jitter").none(),
        nb::arg("synchronous"));
    module.def("connect_sockets",
               [](const Applications& clients,
                  const Applications& servers,
                  bool tcp,
                  nb::handle connectTime) {
                   SocketCommunicationAttributes how;
                   how.protocol =
                       tcp ? TcpSocketFactory::GetTypeId() : UdpSocketFactory::GetTypeId();
                   how.connectTime = ToTime(connectTime);
                   CommunicationSession::Get().Connect(ToApplications(clients),
                                                       ToApplications(servers),
                                                       how);
               });
    module.def("configure", [] { CommunicationSession::Get().Configure(); });
}

} // namespace

void
BindSimulation(nb::module_& module)
{
    nb::class_<ScriptSimulation>(module, "Simulation")
        .def(nb::init<const std::string&>())
        .def(
            "declare",
            [](ScriptSimulation& self,
               const std::string& name,
               const std::string& help,
               nb::object value,
               nb::object range,
               const std::vector<std::string>& choices,
               bool perAgent) {
                self.Declare({name, help, value, range, choices, perAgent});
            },
            nb::arg("name"),
            nb::arg("help"),
            nb::arg("value"),
            nb::arg("range").none(),
            nb::arg("choices"),
            nb::arg("per_agent"))
        .def("deploy",
             [](ScriptSimulation& self,
                const std::string& scenario,
                const std::string& device,
                nb::handle interval,
                const std::vector<std::string>& accesses,
                const nb::list& hooks,
                nb::handle duration) {
                 DeploymentOptions options;
                 options.scenario = scenario;
                 options.device = device;
                 options.interval = ToTime(interval);
                 options.accesses = accesses;
                 const auto at = [&](std::size_t i) {
                     return ScriptHook::Lasting(nb::object(hooks[i]));
                 };
                 self.Deploy(options, {at(0), at(1), at(2), at(3), at(4), at(5)}, ToTime(duration));
             })
        .def(
            "deploy_environment",
            [](ScriptSimulation& self, const nb::capsule& environment) {
                self.Deploy(
                    std::unique_ptr<Environment>(static_cast<Environment*>(environment.data())));
            },
            nb::sig("def deploy_environment(self, environment: object) -> None"))
        .def("placement", &ScriptSimulation::GetPlacement)
        .def("run_deployed", &ScriptSimulation::RunDeployed)
        .def("add_warm_up", &ScriptSimulation::AddWarmUp)
        .def("parse", &ScriptSimulation::Parse)
        .def("values", &ScriptSimulation::GetValues)
        .def("refuse", &ScriptSimulation::Refuse)
        .def("run", &ScriptSimulation::Run, nb::arg("duration").none());
    BindConnections(module);
    module.def("use_real_time", &UseRealTime);
    module.def("is_in_real_time", &RealTimeClock::IsPresent);
    module.def("set_hooks", &SetHooks);
    module.def("fail", &RlSimulation::Fail);
    module.def("fail_without_hosts", &RlSimulation::FailWithoutHosts);
    module.def("warn", &RlSimulation::Warn);
    module.def("note_event", &RlSimulation::NoteEvent);
    module.def("end_process", &EndProcess);
    module.def("load_library", &LoadLibrary);
    module.def("find_core", &FindCore);
    module.def("end_episode", [] { OpenGymMultiAgentInterface::Get()->NotifySimulationEnd(); });
    module.def("simulation_number", [] {
        return ReadVariable<uint32_t>("DEFIANCE_SIMULATION", "a number").value_or(0);
    });
    module.def("seed",
               [] { return nb::make_tuple(RngSeedManager::GetSeed(), RngSeedManager::GetRun()); });
}

} // namespace ns3
