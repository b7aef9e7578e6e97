// SPDX-License-Identifier: GPL-2.0-only

// LTE for scenarios in Python: the extension module `_scripting_lte`.

#include "containers.h"
#include "handover-monitor.h"
#include "lte-network.h"
#include "lte-probe.h"
#include "object-handle.h"
#include "report-parameters.h"
#include "script-hook.h"

#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/simulator.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

namespace ns3
{

namespace
{

/**
 * @param values Values of LteNetworkParameters, by their names in sc.lte().
 * @return the parameters
 */
LteNetworkParameters
ToParameters(const nb::dict& values)
{
    LteNetworkParameters parameters;
    parameters.resourceBlocks = nb::cast<uint32_t>(values["resource_blocks"]);
    parameters.pathLossExponent = nb::cast<double>(values["path_loss_exponent"]);
    parameters.noiseFigure = nb::cast<double>(values["noise_figure"]);
    parameters.power = nb::cast<double>(values["power"]);
    parameters.algorithm = nb::cast<std::string>(values["algorithm"]);
    parameters.scheduler = nb::cast<std::string>(values["scheduler"]);
    parameters.handover = true;
    return parameters;
}

/// @param fault The fault; raise ValueError unless it is empty.
void
RaiseFault(const std::string& fault)
{
    if (!fault.empty())
    {
        RaiseValueError(fault);
    }
}

/**
 * @brief A network in Python, with its measurements.
 */
struct ScriptNetwork
{
    /**
     * @param parameters Properties of cells and users.
     * @param reports Reports of users.
     * @param cells Nodes of cells.
     * @param users Nodes of users.
     * @param firstCells The first cell of each user; none: the cell that the user receives best.
     */
    ScriptNetwork(const LteNetworkParameters& parameters,
                  const ReportParameters& reports,
                  const NodeContainer& cells,
                  const NodeContainer& users,
                  const std::vector<std::optional<uint32_t>>& firstCells)
        : network(parameters, cells, users),
          probe(network)
    {
        for (uint32_t user = 0; user < network.CountUsers(); user++)
        {
            network.Attach(user, firstCells[user] ? *firstCells[user] : network.FindBestCell(user));
        }
        monitor.emplace(network, reports);
    }

    /// @param function Called with a user, and RSRP and RSRQ of the cells, on each report.
    void WatchReports(const nb::object& function) const
    {
        const ScriptHook hook(function);
        for (uint32_t cell = 0; cell < network.CountCells(); cell++)
        {
            monitor->GetCellPort(cell)->TraceConnectWithoutContext(
                "Report",
                Callback<void, uint32_t>([this, hook](uint32_t user) {
                    const auto& report = monitor->GetUser(user).report;
                    hook(user, report.rsrp, report.rsrq);
                }));
        }
    }

    LteNetwork network;                     //!< Cells and users
    LteProbe probe;                         //!< Bytes that users receive
    std::optional<HandoverMonitor> monitor; //!< The serving cell of each user
};

/// Networks of this simulation: trace sources call them until the end of the simulation.
std::vector<std::shared_ptr<ScriptNetwork>> g_networks;

/**
 * Build the network of a simulation.
 *
 * @param cells Nodes of cells.
 * @param users Nodes of users.
 * @param firstCells See ScriptNetwork.
 * @param values See ToParameters().
 * @param interval Interval between two measurement reports of a user, in ms.
 * @return the network; raise ValueError if there is one, or if the values contradict each other
 */
std::shared_ptr<ScriptNetwork>
BuildNetwork(const Nodes& cells,
             const Nodes& users,
             const std::vector<std::optional<uint32_t>>& firstCells,
             const nb::dict& values,
             uint32_t interval)
{
    const auto parameters = ToParameters(values);
    ReportParameters reports;
    reports.interval = interval;
    RaiseFault(parameters.FindContradiction());
    RaiseFault(reports.FindContradiction(false));
    RaiseFault(g_networks.empty() ? "" : "an episode has one LTE network, which exists already");
    const auto cellNodes = ToNodes(cells);
    for (auto node = cellNodes.Begin(); node != cellNodes.End(); ++node)
    {
        RaiseFault((*node)->GetNApplications() == 0 // else ns-3's helper ends the process
                       ? ""
                       : "a cell has applications: call lte() before you add any to its node");
    }
    Simulator::ScheduleDestroy([] { g_networks.clear(); });
    g_networks.push_back(std::make_shared<ScriptNetwork>(parameters,
                                                         reports,
                                                         cellNodes,
                                                         ToNodes(users),
                                                         firstCells));
    return g_networks.back();
}

/// @param bound Class to extend by the functions of users.
void
BindUsers(nb::class_<ScriptNetwork>& bound)
{
    bound
        .def("serving",
             [](const ScriptNetwork& self, uint32_t user) {
                 return self.monitor->GetUser(user).serving;
             })
        .def("handovers",
             [](const ScriptNetwork& self, uint32_t user) {
                 return self.monitor->GetUser(user).handovers;
             })
        .def("failures",
             [](const ScriptNetwork& self, uint32_t user) {
                 return self.monitor->GetUser(user).failures;
             })
        .def("report",
             [](const ScriptNetwork& self, uint32_t user) {
                 const auto& report = self.monitor->GetUser(user).report;
                 return nb::make_tuple(report.rsrp, report.rsrq);
             })
        .def("sinr",
             [](const ScriptNetwork& self, uint32_t user) { return self.probe.GetSinr(user); })
        .def("rsrp",
             [](const ScriptNetwork& self, uint32_t user) { return self.probe.GetRsrp(user); })
        .def("hand_over",
             [](const ScriptNetwork& self, uint32_t user, uint32_t cell) {
                 self.monitor->HandOver(user, cell);
             })
        .def("add_bearer",
             [](ScriptNetwork& self, uint32_t user, uint8_t qci, uint64_t rate, uint16_t port) {
                 EpsBearer bearer(static_cast<EpsBearer::Qci>(qci));
                 bearer.gbrQosInfo.gbrDl = rate;
                 bearer.gbrQosInfo.mbrDl = rate;
                 self.network.AddBearer(user, bearer, port);
             });
}

/// @param bound Class to extend by the functions of cells.
void
BindCells(nb::class_<ScriptNetwork>& bound)
{
    bound
        .def("busy",
             [](const ScriptNetwork& self, uint32_t cell) { return self.probe.CountBusy(cell); })
        .def("set_power", [](ScriptNetwork& self, uint32_t cell, double power) {
            self.network.GetCell(cell)->GetPhy()->SetTxPower(power);
        });
}

} // namespace

} // namespace ns3

NB_MODULE(_scripting_lte, module)
{
    using ns3::ScriptNetwork;
    nanobind::set_leak_warnings(false);
    nanobind::class_<ScriptNetwork> bound(module, "Network");
    bound.def_prop_ro("gateway", [](ScriptNetwork& self) {
        return ns3::NodeHandle{{self.network.GetGateway()}};
    });
    bound.def("watch_reports", &ScriptNetwork::WatchReports);
    ns3::BindUsers(bound);
    ns3::BindCells(bound);
    module.def("build", &ns3::BuildNetwork);
    module.attr("MOST_USERS") = ns3::LteNetwork::MOST_USERS;
}
