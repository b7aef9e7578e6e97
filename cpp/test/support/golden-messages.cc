// SPDX-License-Identifier: GPL-2.0-only

#include "golden-messages.h"

#include "opengym-codec.h"
#include "report-codec.h"

#include "ns3/opengym-builders.h"

#include <cstdint>
#include <limits>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/** @return a 2 x 2 array of bits */
Ptr<OpenGymMultiBinaryContainer>
MakeBits()
{
    auto bits = CreateObject<OpenGymMultiBinaryContainer>(std::vector<uint32_t>{2, 2});
    bits->SetData({1, 0, 0, 1});
    return bits;
}

/** @return a 2 x 3 array of float32 */
Ptr<OpenGymBoxContainer<float>>
MakeMatrix()
{
    auto matrix = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{2, 3});
    matrix->SetData({0.5F, -1.5F, 2.25F, 3.0F, -0.125F, 100.0F});
    return matrix;
}

/** @return a scalar of int64 */
Ptr<OpenGymBoxContainer<int64_t>>
MakeScalar()
{
    auto scalar = CreateObject<OpenGymBoxContainer<int64_t>>(std::vector<uint32_t>{});
    scalar->AddValue(std::numeric_limits<int64_t>::min() + 1);
    return scalar;
}

/** @return two integers of a multi-discrete space */
Ptr<OpenGymMultiDiscreteContainer>
MakeChoices()
{
    auto choices = CreateObject<OpenGymMultiDiscreteContainer>();
    choices->SetData({2, -1});
    return choices;
}

/** @return the space of three unbounded float64 */
Ptr<OpenGymSpace>
MakeUnboundedSpace()
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return MakeBoxSpace<double>(3, -infinity, infinity);
}

/**
 * @param index Index of an agent.
 * @param observations Its observation space.
 * @param actions Its action space.
 * @param spec Message to write to.
 */
void
FillAgent(uint32_t index,
          Ptr<OpenGymSpace> observations,
          Ptr<OpenGymSpace> actions,
          wire::AgentSpec& spec)
{
    spec.set_index(index);
    spec.set_agent("agent_" + std::to_string(index));
    EncodeSpace(*observations, *spec.mutable_observation_space());
    EncodeSpace(*actions, *spec.mutable_action_space());
}

/**
 * @param index Index of an agent.
 * @param terminated Whether it terminated.
 * @param reward Its last reward.
 * @param end Message to write to.
 */
void
FillEnd(uint32_t index, bool terminated, double reward, wire::AgentEnd& end)
{
    end.set_agent(index);
    end.set_reward(reward);
    end.set_terminated(terminated);
    end.set_truncated(!terminated);
}

/** @return the parameters of the golden scenario, with their values */
std::vector<std::pair<RlParameterSpec, std::string>>
MakeParameters()
{
    using Type = RlParameterType;
    return {
        {{"verbose", "Say more", Type::BOOLEAN, "false", {}, {}, {}}, "true"},
        {{"carts", "Number of carts", Type::INTEGER, "1", "1", "16", {}}, "3"},
        {{"loss", "Share of packets lost", Type::REAL, "0", "0", "1", {}}, "0.25"},
        {{"label", "Any text", Type::TEXT, "", {}, {}, {}}, "\xC3\xBC"},
        {{"delay", "One-way delay", Type::TIME, "1ms", "0s", "1s", {}}, "10ms"},
        {{"rate", "Rate of the link", Type::DATA_RATE, "5Mbps", {}, {}, {}}, "100kbps"},
        {{"transport", "How messages travel", Type::TEXT, "udp", {}, {}, {"simple", "udp", "tcp"}},
         "tcp"},
    };
}

/** @return a Hello */
wire::SimulationMessage
MakeHello()
{
    wire::SimulationMessage message;
    auto& hello = *message.mutable_hello();
    hello.set_protocol(PROTOCOL_VERSION);
    hello.set_scenario("golden");
    hello.set_ns3_version("3.44");
    hello.set_pid(4711);
    hello.set_token("token-1");
    hello.set_rng_seed(42);
    hello.set_rng_run(7000000000);
    FillAgent(0, MakeGoldenSpace(), MakeDiscreteSpace(2), *hello.add_agents());
    FillAgent(1, MakeUnboundedSpace(), MakeBoxSpace<float>(1, -1.0F, 1.0F), *hello.add_agents());
    for (const auto& [spec, value] : MakeParameters())
    {
        EncodeParameter(spec, value, *hello.add_parameters());
    }
    return message;
}

/**
 * @param rows Containers.
 * @param message Message to write to.
 */
void
Stack(const std::vector<Ptr<OpenGymDataContainer>>& rows, wire::DataContainer& message)
{
    std::vector<const OpenGymDataContainer*> pointers;
    for (const auto& row : rows)
    {
        pointers.push_back(PeekPointer(row));
    }
    EncodeStack(pointers, message);
}

/** @return a StepRequest */
wire::SimulationMessage
MakeStepRequest()
{
    wire::SimulationMessage message;
    auto& request = *message.mutable_step_request();
    request.set_sequence(3);
    request.set_sim_time_ns(1500000000);
    FillAgent(2, MakeDiscreteSpace(3), MakeDiscreteSpace(4, -1), *request.add_joined());
    auto& end = *request.add_ended();
    FillEnd(1, true, -0.5, end);
    Stack({MakeBoxContainer<double>(3, 1.0, 2.0, 3.0)}, *end.mutable_observation());
    EncodeInfo({{"reason", std::string("fell")}}, *end.mutable_info());
    auto& step = *request.add_steps();
    step.add_agents(0);
    step.add_rewards(1.25);
    Stack({MakeGoldenContainer()}, *step.mutable_observations());
    auto& info = *step.add_infos();
    info.set_row(0);
    EncodeInfo(MakeGoldenInfo(), *info.mutable_info());
    auto& others = *request.add_steps();
    others.add_agents(2);
    others.add_agents(4);
    others.add_rewards(0);
    others.add_rewards(-1);
    Stack({MakeDiscreteContainer(2), MakeDiscreteContainer(0)}, *others.mutable_observations());
    return message;
}

/** @return an EpisodeEnd */
wire::SimulationMessage
MakeEpisodeEnd()
{
    wire::SimulationMessage message;
    auto& episodeEnd = *message.mutable_episode_end();
    episodeEnd.set_sim_time_ns(10000000000);
    FillAgent(3, MakeDiscreteSpace(2), MakeDiscreteSpace(2), *episodeEnd.add_joined());
    auto& end = *episodeEnd.add_ended();
    FillEnd(0, false, 2.0, end);
    Stack({MakeGoldenContainer()}, *end.mutable_observation());
    EncodeInfo({{"steps", int64_t{500}}}, *end.mutable_info());
    FillEnd(3, false, 0.0, *episodeEnd.add_ended());
    return message;
}

/** @return a Failure */
wire::SimulationMessage
MakeFailure()
{
    wire::SimulationMessage message;
    message.mutable_failure()->set_code(wire::Failure::CODE_INVALID_PARAMETER);
    message.mutable_failure()->set_message("carts is 99, but must be an integer from 1 to 16");
    (*message.mutable_failure()->mutable_details())["parameter"] = "carts";
    return message;
}

/** @return a StepReply with an action of each kind that the agents of these messages take */
wire::PythonMessage
MakeStepReply()
{
    wire::PythonMessage message;
    auto& reply = *message.mutable_step_reply();
    reply.set_sequence(3);
    reply.set_command(wire::COMMAND_STEP);
    Stack({MakeDiscreteContainer(1)}, *reply.add_actions());
    Stack({MakeBoxContainer<float>(1, 0.75F), MakeBoxContainer<float>(1, 0.25F)},
          *reply.add_actions());
    Stack({MakeGoldenContainer(), MakeGoldenContainer()}, *reply.add_actions());
    return message;
}

/** @return a StepReply that requests a copy */
wire::PythonMessage
MakeSnapshotReply()
{
    wire::PythonMessage message;
    auto& reply = *message.mutable_step_reply();
    reply.set_sequence(3);
    reply.set_command(wire::COMMAND_SNAPSHOT);
    reply.set_snapshot_address("/tmp/golden/snapshot");
    return message;
}

/** @return a StepReply that orders transfers */
wire::PythonMessage
MakeTransferReply()
{
    wire::PythonMessage message;
    auto& reply = *message.mutable_step_reply();
    reply.set_sequence(3);
    reply.set_command(wire::COMMAND_STEP);
    Stack({MakeDiscreteContainer(1)}, *reply.add_actions());
    auto& update = *reply.add_transfers();
    update.set_number(7);
    update.set_sender("server_0");
    update.set_receiver("agent_0");
    update.set_kind("model_update");
    update.set_bytes(5000000);
    auto& experience = *reply.add_transfers();
    experience.set_number(8);
    experience.set_sender("agent_1");
    experience.set_receiver("server_0");
    experience.set_kind("experience");
    experience.set_bytes(1);
    return message;
}

/**
 * @param reports List to write a report of each outcome to.
 */
void
FillReports(google::protobuf::RepeatedPtrField<wire::TransferReport>& reports)
{
    EncodeTransfers({{7, TransferOutcome::DELIVERED, "", NanoSeconds(1250000000)},
                     {8, TransferOutcome::LOST, "LOSS", NanoSeconds(1300000000)},
                     {9, TransferOutcome::REFUSED, "no channel", NanoSeconds(1400000000)}},
                    reports);
}

/** @return a StepRequest that reports transfers */
wire::SimulationMessage
MakeTransferRequest()
{
    wire::SimulationMessage message;
    auto& request = *message.mutable_step_request();
    request.set_sequence(4);
    request.set_sim_time_ns(1500000000);
    auto& step = *request.add_steps();
    step.add_agents(0);
    step.add_rewards(0);
    Stack({MakeDiscreteContainer(2)}, *step.mutable_observations());
    FillReports(*request.mutable_transfers());
    return message;
}

/** @return a StepReply that orders a fragment */
wire::PythonMessage
MakeFragmentReply()
{
    wire::PythonMessage message;
    auto& reply = *message.mutable_step_reply();
    reply.set_sequence(3);
    reply.set_command(wire::COMMAND_PLAY);
    auto& fragment = *reply.mutable_fragment();
    fragment.set_policy("a model");
    fragment.set_rounds(2);
    fragment.set_runtime("/tmp/golden/libonnxruntime.so");
    auto noise = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{2, 1, 2});
    for (const auto number : {0.5F, 1.5F, 2.5F, 3.5F})
    {
        noise->AddValue(number);
    }
    EncodeTensor(*noise, *fragment.mutable_noise());
    return message;
}

/** @return a StepRequest that reports the decisions of a fragment */
wire::SimulationMessage
MakeTrajectoryRequest()
{
    wire::SimulationMessage message;
    auto& request = *message.mutable_step_request();
    request.set_sequence(4);
    request.set_sim_time_ns(1500000000);
    auto& step = *request.add_steps();
    step.add_agents(0);
    step.add_rewards(4);
    Stack({MakeDiscreteContainer(2)}, *step.mutable_observations());
    auto& trajectory = *request.mutable_trajectory();
    for (const int64_t time : {1000000000, 1250000000})
    {
        trajectory.add_times_ns(time);
    }
    for (const uint32_t agent : {0, 2, 0})
    {
        trajectory.add_agents(agent);
        trajectory.add_rewards(1.5 * agent);
    }
    trajectory.add_sizes(2);
    trajectory.add_sizes(1);
    Stack({MakeDiscreteContainer(0), MakeDiscreteContainer(1), MakeDiscreteContainer(2)},
          *trajectory.mutable_observations());
    Stack({MakeDiscreteContainer(1), MakeDiscreteContainer(0), MakeDiscreteContainer(1)},
          *trajectory.mutable_actions());
    return message;
}

/** @return an EpisodeEnd that reports transfers */
wire::SimulationMessage
MakeTransferEnd()
{
    wire::SimulationMessage message;
    message.mutable_episode_end()->set_sim_time_ns(10000000000);
    FillReports(*message.mutable_episode_end()->mutable_transfers());
    return message;
}

/** @return a Resumed */
wire::SimulationMessage
MakeResumed()
{
    wire::SimulationMessage message;
    message.mutable_resumed()->set_token("token-2");
    message.mutable_resumed()->set_refusal("it has threads");
    return message;
}

/**
 * @param report Empty message for the report.
 */
void
FillCommunication(wire::CommunicationReport& report)
{
    report.set_sim_time_ns(10'000'000'000);
    auto& flow = *report.add_flows();
    flow.set_sender("observation_0");
    flow.set_receiver("agent_0");
    flow.set_kind("observation");
    flow.set_tx_messages(500);
    flow.set_tx_payload_bytes(20000);
    flow.set_tx_bytes(22000);
    flow.set_rx_messages(450);
    flow.set_rx_payload_bytes(18000);
    flow.set_rx_bytes(19800);
    flow.set_dropped_messages(3);
    flow.set_dropped_bytes(132);
    flow.set_mean_latency_s(0.0625);
    flow.set_min_latency_ns(1000000);
    flow.set_max_latency_ns(90000000);
    flow.set_p50_latency_ns(60000000);
    flow.set_p95_latency_ns(80000000);
    flow.set_p99_latency_ns(85000000);
    auto& path = *report.add_paths();
    path.set_sender("observation_0");
    path.set_receiver("agent_0");
    path.set_packets(510);
    path.set_ip_bytes(36280);
    path.set_wire_bytes(37300);
    auto& link = *report.add_links();
    link.set_name("node_0/device_1");
    link.add_applications("observation_0");
    link.add_applications("action_0");
    link.set_data_rate_bps(10'000'000);
    link.set_frames(600);
    link.set_bytes(50000);
    link.set_rl_frames(510);
    link.set_rl_bytes(37300);
    link.set_busy_ns(40'000'000);
    link.set_counted_ns(10'000'000'000);
}

/** @return a StepReply that requests the communication report */
wire::PythonMessage
MakeReportReply()
{
    wire::PythonMessage message;
    auto& reply = *message.mutable_step_reply();
    reply.set_sequence(3);
    reply.set_command(wire::COMMAND_REPORT);
    return message;
}

/** @return a CommunicationReport */
wire::SimulationMessage
MakeCommunicationReport()
{
    wire::SimulationMessage message;
    FillCommunication(*message.mutable_communication_report());
    return message;
}

/** @return an EpisodeEnd that reports rewards after the end of agents */
wire::SimulationMessage
MakeLateRewardEnd()
{
    wire::SimulationMessage message;
    auto& end = *message.mutable_episode_end();
    end.set_sim_time_ns(10'000'000'000);
    auto& late = *end.add_late_rewards();
    late.set_agent(1);
    late.set_count(3);
    late.set_first_time_ns(1'250'000'000);
    return message;
}

/** @return an EpisodeEnd with the communication report */
wire::SimulationMessage
MakeCommunicationEnd()
{
    wire::SimulationMessage message;
    message.mutable_episode_end()->set_sim_time_ns(10'000'000'000);
    FillCommunication(*message.mutable_episode_end()->mutable_communication());
    return message;
}

/** @return a ScenarioDescription */
wire::ScenarioDescription
MakeScenarioDescription()
{
    wire::ScenarioDescription description;
    description.set_protocol(PROTOCOL_VERSION);
    description.set_scenario("golden");
    description.set_ns3_version("3.44");
    for (const auto& [spec, value] : MakeParameters())
    {
        EncodeParameter(spec, spec.defaultValue, *description.add_parameters());
    }
    description.set_forks(true);
    return description;
}

} // namespace

Ptr<OpenGymSpace>
MakeGoldenSpace()
{
    auto box =
        OpenGymBoxSpace::Create<float>({-1, -2, -3, -4, -5, -6}, {1, 2, 3, 4, 5, 600}, {2, 3});
    auto scalar = OpenGymBoxSpace::Create<int64_t>({std::numeric_limits<int64_t>::min()},
                                                   {std::numeric_limits<int64_t>::max()},
                                                   {});
    return MakeDictSpace("binary",
                         CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 2}),
                         "box",
                         box,
                         "discrete",
                         MakeDiscreteSpace(5, -2),
                         "multi",
                         CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{3, 4},
                                                                 std::vector<int64_t>{0, -1}),
                         "scalar",
                         scalar,
                         "text",
                         CreateObject<OpenGymTextSpace>(8, 1, "abc\xC3\xA9"),
                         "tuple",
                         MakeTupleSpace(MakeDiscreteSpace(2), MakeBoxSpace<uint8_t>(1, 0, 255)));
}

Ptr<OpenGymDataContainer>
MakeGoldenContainer()
{
    return MakeDictContainer(
        "binary",
        MakeBits(),
        "box",
        MakeMatrix(),
        "discrete",
        MakeDiscreteContainer(-2),
        "multi",
        MakeChoices(),
        "scalar",
        MakeScalar(),
        "text",
        CreateObject<OpenGymTextContainer>("ab\xC3\xA9"),
        "tuple",
        MakeTupleContainer(MakeDiscreteContainer(1), MakeBoxContainer<uint8_t>(1, 200)));
}

OpenGymInfo
MakeGoldenInfo()
{
    return {{"delay", 0.125},
            {"hops", int64_t{-3}},
            {"path", std::string("a-b")},
            {"queue", Ptr<OpenGymBoxContainerBase>(MakeBoxContainer<uint16_t>(2, 7, 65535))}};
}

std::map<std::string, std::string>
MakeGoldenMessages()
{
    return {{"communication_end.bin", MakeCommunicationEnd().SerializeAsString()},
            {"communication_report.bin", MakeCommunicationReport().SerializeAsString()},
            {"episode_end.bin", MakeEpisodeEnd().SerializeAsString()},
            {"failure.bin", MakeFailure().SerializeAsString()},
            {"fragment_reply.bin", MakeFragmentReply().SerializeAsString()},
            {"hello.bin", MakeHello().SerializeAsString()},
            {"late_reward_end.bin", MakeLateRewardEnd().SerializeAsString()},
            {"report_reply.bin", MakeReportReply().SerializeAsString()},
            {"resumed.bin", MakeResumed().SerializeAsString()},
            {"scenario_description.bin", MakeScenarioDescription().SerializeAsString()},
            {"snapshot_reply.bin", MakeSnapshotReply().SerializeAsString()},
            {"step_reply.bin", MakeStepReply().SerializeAsString()},
            {"step_request.bin", MakeStepRequest().SerializeAsString()},
            {"trajectory_request.bin", MakeTrajectoryRequest().SerializeAsString()},
            {"transfer_end.bin", MakeTransferEnd().SerializeAsString()},
            {"transfer_reply.bin", MakeTransferReply().SerializeAsString()},
            {"transfer_request.bin", MakeTransferRequest().SerializeAsString()}};
}
