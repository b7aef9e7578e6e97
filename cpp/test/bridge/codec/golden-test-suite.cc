// SPDX-License-Identifier: GPL-2.0-only

#include "golden-messages.h"
#include "opengym-codec.h"
#include "printing.h"
#include "report-codec.h"

#include "ns3/test.h"

#include <fstream>
#include <sstream>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/**
 * @param name Name of a file in tests/golden.
 * @return its contents
 */
std::string
ReadGolden(const std::string& name)
{
    std::ifstream file(std::string(DEFIANCE_GOLDEN_DIR) + "/" + name, std::ios::binary);
    std::ostringstream contents;
    contents << file.rdbuf();
    return contents.str();
}

} // namespace

/** The golden container belongs to the golden space. */
class GoldenSpaceTestCase : public TestCase
{
  public:
    GoldenSpaceTestCase()
        : TestCase("The golden container belongs to the golden space")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(MakeGoldenSpace()->Contains(MakeGoldenContainer()),
                              true,
                              "It belongs to the space");
    }
};

/** The golden files are what this code writes. */
class GoldenBytesTestCase : public TestCase
{
  public:
    GoldenBytesTestCase()
        : TestCase("Encoding gives the bytes of the golden files")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [name, bytes] : MakeGoldenMessages())
        {
            NS_TEST_EXPECT_MSG_EQ((ReadGolden(name) == bytes),
                                  true,
                                  name << " differs; see tests/golden/README.md");
        }
    }
};

/** The fields of the golden Hello. */
class GoldenHelloTestCase : public TestCase
{
  public:
    GoldenHelloTestCase()
        : TestCase("The golden Hello and description have the documented contents")
    {
    }

  private:
    /** @param space Message of the golden space. */
    void CheckSpace(const wire::Space& space)
    {
        const auto& entries = space.dict().entries();
        NS_TEST_ASSERT_MSG_EQ(entries.size(), 7, "One entry per kind");
        NS_TEST_EXPECT_MSG_EQ(entries[0].key(), "binary", "Keys ascend");
        NS_TEST_EXPECT_MSG_EQ(entries[0].space().multi_binary().shape(1), 2, "2 x 2 bits");
        const auto& box = entries[1].space().box();
        NS_TEST_EXPECT_MSG_EQ(box.dtype(), wire::DTYPE_FLOAT32, "float32");
        NS_TEST_EXPECT_MSG_EQ(box.shape(0), 2, "Rows");
        NS_TEST_EXPECT_MSG_EQ(box.shape(1), 3, "Columns");
        NS_TEST_EXPECT_MSG_EQ(box.low().size(), 24, "A bound per element");
        NS_TEST_EXPECT_MSG_EQ((box.high().substr(20) == std::string("\0\0\x16\x44", 4)),
                              true,
                              "600 as little-endian float32");
        NS_TEST_EXPECT_MSG_EQ(entries[2].space().discrete().n(), 5, "n");
        NS_TEST_EXPECT_MSG_EQ(entries[2].space().discrete().start(), -2, "start");
        const auto& multi = entries[3].space().multi_discrete();
        NS_TEST_EXPECT_MSG_EQ(
            (multi.nvec().data() == std::string("\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16)),
            true,
            "3 and 4 as little-endian int64");
        NS_TEST_EXPECT_MSG_EQ(multi.start().dtype(), wire::DTYPE_INT64, "int64");
        const auto& scalar = entries[4].space().box();
        NS_TEST_EXPECT_MSG_EQ(scalar.shape_size(), 0, "A scalar has no axis");
        NS_TEST_EXPECT_MSG_EQ(scalar.low().size(), 8, "One bound");
        NS_TEST_EXPECT_MSG_EQ(entries[5].space().text().charset(), "abc\xC3\xA9", "Characters");
        NS_TEST_EXPECT_MSG_EQ(entries[5].space().text().max_length(), 8, "Longest text");
        const auto& tuple = entries[6].space().tuple();
        NS_TEST_EXPECT_MSG_EQ(tuple.elements(0).discrete().n(), 2, "First element");
        NS_TEST_EXPECT_MSG_EQ(tuple.elements(1).box().dtype(), wire::DTYPE_UINT8, "Second element");
    }

    /**
     * @param parameter A parameter.
     * @param name Its name.
     * @param type Its type.
     * @param value Its value.
     */
    void CheckParameter(const wire::Parameter& parameter,
                        const std::string& name,
                        wire::ParameterType type,
                        const std::string& value)
    {
        NS_TEST_EXPECT_MSG_EQ(parameter.name(), name, "Name");
        NS_TEST_EXPECT_MSG_EQ(parameter.type(), type, "Type of " << name);
        NS_TEST_EXPECT_MSG_EQ(parameter.value(), value, "Value of " << name);
    }

    void DoRun() override
    {
        wire::SimulationMessage message;
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("hello.bin")), true, "Parses");
        const auto& hello = message.hello();
        NS_TEST_EXPECT_MSG_EQ(hello.protocol(), 2, "protocol");
        NS_TEST_EXPECT_MSG_EQ(hello.scenario(), "golden", "scenario");
        NS_TEST_EXPECT_MSG_EQ(hello.ns3_version(), "3.44", "ns3_version");
        NS_TEST_EXPECT_MSG_EQ(hello.pid(), 4711, "pid");
        NS_TEST_EXPECT_MSG_EQ(hello.token(), "token-1", "token");
        NS_TEST_EXPECT_MSG_EQ(hello.rng_seed(), 42, "rng_seed");
        NS_TEST_EXPECT_MSG_EQ(hello.rng_run(), 7000000000, "rng_run");
        NS_TEST_ASSERT_MSG_EQ(hello.agents_size(), 2, "agents");
        NS_TEST_EXPECT_MSG_EQ(hello.agents(1).agent(), "agent_1", "agent");
        NS_TEST_EXPECT_MSG_EQ(hello.agents(0).action_space().discrete().n(), 2, "action_space");
        CheckSpace(hello.agents(0).observation_space());
        NS_TEST_ASSERT_MSG_EQ(hello.parameters_size(), 7, "parameters");
        CheckParameter(hello.parameters(0), "verbose", wire::PARAMETER_TYPE_BOOLEAN, "true");
        CheckParameter(hello.parameters(1), "carts", wire::PARAMETER_TYPE_INTEGER, "3");
        CheckParameter(hello.parameters(2), "loss", wire::PARAMETER_TYPE_REAL, "0.25");
        CheckParameter(hello.parameters(3), "label", wire::PARAMETER_TYPE_TEXT, "\xC3\xBC");
        CheckParameter(hello.parameters(4), "delay", wire::PARAMETER_TYPE_TIME, "10ms");
        CheckParameter(hello.parameters(5), "rate", wire::PARAMETER_TYPE_DATA_RATE, "100kbps");
        CheckParameter(hello.parameters(6), "transport", wire::PARAMETER_TYPE_TEXT, "tcp");
        NS_TEST_EXPECT_MSG_EQ(hello.parameters(0).has_minimum(), false, "No minimum");
        NS_TEST_EXPECT_MSG_EQ(hello.parameters(1).maximum(), "16", "maximum");
        NS_TEST_EXPECT_MSG_EQ(hello.parameters(6).choices(0), "simple", "choices");
        wire::ScenarioDescription description;
        NS_TEST_ASSERT_MSG_EQ(description.ParseFromString(ReadGolden("scenario_description.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(description.parameters(1).value(), "1", "Defaults");
    }
};

/** The fields of the golden StepRequest. */
class GoldenStepTestCase : public TestCase
{
  public:
    GoldenStepTestCase()
        : TestCase("The golden StepRequest, reply and end have the documented contents")
    {
    }

  private:
    void DoRun() override
    {
        wire::SimulationMessage message;
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("step_request.bin")),
                              true,
                              "Parses");
        const auto& request = message.step_request();
        NS_TEST_EXPECT_MSG_EQ(request.sequence(), 3, "sequence");
        NS_TEST_EXPECT_MSG_EQ(request.sim_time_ns(), 1500000000, "sim_time_ns");
        NS_TEST_EXPECT_MSG_EQ(request.joined(0).action_space().discrete().start(), -1, "joined");
        NS_TEST_EXPECT_MSG_EQ(request.ended(0).terminated(), true, "terminated");
        NS_TEST_EXPECT_MSG_EQ(request.ended(0).truncated(), false, "not truncated");
        NS_TEST_EXPECT_MSG_EQ(request.ended(0).info(0).text(), "fell", "info of the end");
        NS_TEST_EXPECT_MSG_EQ(Print(DecodeStack(request.ended(0).observation(), 1).at(0)),
                              "[1, 2, 3]",
                              "observation of the end");
        NS_TEST_ASSERT_MSG_EQ(request.steps_size(), 2, "steps");
        const auto& step = request.steps(0);
        NS_TEST_EXPECT_MSG_EQ(step.rewards(0), 1.25, "reward");
        NS_TEST_EXPECT_MSG_EQ(Print(DecodeStack(step.observations(), 1).at(0)),
                              "{binary: [1, 0, 0, 1], box: [0.5, -1.5, 2.25, 3, -0.125, 100], "
                              "discrete: -2, multi: [2, -1], scalar: [-9223372036854775807], "
                              "text: \"ab\xC3\xA9\", tuple: (1, [200])}",
                              "observation");
        NS_TEST_EXPECT_MSG_EQ(step.infos(0).info(0).real(), 0.125, "A number in the info");
        NS_TEST_EXPECT_MSG_EQ(step.infos(0).info(1).integer(), -3, "An integer in the info");
        NS_TEST_EXPECT_MSG_EQ(step.infos(0).info(2).text(), "a-b", "A text in the info");
        NS_TEST_EXPECT_MSG_EQ(
            (step.infos(0).info(3).tensor().data() == std::string("\x07\0\xFF\xFF", 4)),
            true,
            "An array in the info");

        const auto others = DecodeStack(request.steps(1).observations(), 2);
        NS_TEST_ASSERT_MSG_EQ(others.size(), 2, "Two agents of equal spaces");
        NS_TEST_EXPECT_MSG_EQ(Print(others[0]) + Print(others[1]), "20", "Their observations");

        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("episode_end.bin")),
                              true,
                              "Parses");
        const auto& end = message.episode_end();
        NS_TEST_EXPECT_MSG_EQ(end.sim_time_ns(), 10000000000, "sim_time_ns of the end");
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).truncated(), true, "truncated");
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).info(0).integer(), 500, "info of the episode's end");
        NS_TEST_EXPECT_MSG_EQ(end.ended(1).has_observation(), false, "never had an observation");

        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("failure.bin")), true, "Parses");
        NS_TEST_EXPECT_MSG_EQ(message.failure().code(),
                              wire::Failure::CODE_INVALID_PARAMETER,
                              "code");
        NS_TEST_EXPECT_MSG_EQ(message.failure().details().at("parameter"), "carts", "details");

        wire::PythonMessage reply;
        NS_TEST_ASSERT_MSG_EQ(reply.ParseFromString(ReadGolden("step_reply.bin")), true, "Parses");
        NS_TEST_EXPECT_MSG_EQ(reply.step_reply().command(), wire::COMMAND_STEP, "command");
        NS_TEST_EXPECT_MSG_EQ(Print(DecodeStack(reply.step_reply().actions(1), 2).at(0)),
                              "[0.75]",
                              "action");
    }
};

/** The fields of the golden messages about snapshots. */
class GoldenSnapshotTestCase : public TestCase
{
  public:
    GoldenSnapshotTestCase()
        : TestCase("The golden messages about snapshots have the documented contents")
    {
    }

  private:
    void DoRun() override
    {
        wire::PythonMessage reply;
        NS_TEST_ASSERT_MSG_EQ(reply.ParseFromString(ReadGolden("snapshot_reply.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(reply.step_reply().command(), wire::COMMAND_SNAPSHOT, "command");
        NS_TEST_EXPECT_MSG_EQ(reply.step_reply().snapshot_address(),
                              "/tmp/golden/snapshot",
                              "snapshot_address");
        wire::SimulationMessage message;
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("resumed.bin")), true, "Parses");
        NS_TEST_EXPECT_MSG_EQ(message.resumed().token(), "token-2", "token");
        NS_TEST_EXPECT_MSG_EQ(message.resumed().refusal(), "it has threads", "refusal");
    }
};

/** The fields of the golden messages about transfers. */
class GoldenTransferTestCase : public TestCase
{
  public:
    GoldenTransferTestCase()
        : TestCase("The golden messages about transfers have the documented contents")
    {
    }

  private:
    /** @param reports Reports in a golden message. */
    void CheckReports(const google::protobuf::RepeatedPtrField<wire::TransferReport>& reports)
    {
        NS_TEST_ASSERT_MSG_EQ(reports.size(), 3, "One of each outcome");
        NS_TEST_EXPECT_MSG_EQ(reports[0].number(), 7, "number");
        NS_TEST_EXPECT_MSG_EQ(reports[0].outcome(), wire::TRANSFER_OUTCOME_DELIVERED, "outcome");
        NS_TEST_EXPECT_MSG_EQ(reports[0].time_ns(), 1250000000, "time_ns");
        NS_TEST_EXPECT_MSG_EQ(reports[0].reason(), "", "no reason");
        NS_TEST_EXPECT_MSG_EQ(reports[1].outcome(), wire::TRANSFER_OUTCOME_LOST, "outcome");
        NS_TEST_EXPECT_MSG_EQ(reports[2].outcome(), wire::TRANSFER_OUTCOME_REFUSED, "outcome");
        NS_TEST_EXPECT_MSG_EQ(reports[2].reason(), "no channel", "reason");
    }

    void DoRun() override
    {
        wire::SimulationMessage message;
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("transfer_request.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(message.step_request().sequence(), 4, "sequence");
        CheckReports(message.step_request().transfers());
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("transfer_end.bin")),
                              true,
                              "Parses");
        CheckReports(message.episode_end().transfers());

        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("late_reward_end.bin")),
                              true,
                              "Parses");
        const auto& late = message.episode_end().late_rewards(0);
        NS_TEST_EXPECT_MSG_EQ(late.agent(), 1, "agent");
        NS_TEST_EXPECT_MSG_EQ(late.count(), 3, "count");
        NS_TEST_EXPECT_MSG_EQ(late.first_time_ns(), 1'250'000'000, "first_time_ns");

        wire::PythonMessage reply;
        NS_TEST_ASSERT_MSG_EQ(reply.ParseFromString(ReadGolden("transfer_reply.bin")),
                              true,
                              "Parses");
        const auto orders = DecodeTransfers(reply.step_reply().transfers());
        NS_TEST_ASSERT_MSG_EQ(orders.size(), 2, "Two orders");
        NS_TEST_EXPECT_MSG_EQ(orders[0].number, 7, "number");
        NS_TEST_EXPECT_MSG_EQ(orders[0].sender, "server_0", "sender");
        NS_TEST_EXPECT_MSG_EQ(orders[0].receiver, "agent_0", "receiver");
        NS_TEST_EXPECT_MSG_EQ(orders[0].kind, "model_update", "kind");
        NS_TEST_EXPECT_MSG_EQ(orders[0].bytes, 5000000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(orders[1].sender, "agent_1", "sender");
        NS_TEST_EXPECT_MSG_EQ(orders[1].kind, "experience", "kind");
    }
};

/** The fields of the golden messages about fragments. */
class GoldenFragmentTestCase : public TestCase
{
  public:
    GoldenFragmentTestCase()
        : TestCase("The golden messages about fragments have the documented contents")
    {
    }

  private:
    void DoRun() override
    {
        wire::PythonMessage reply;
        NS_TEST_ASSERT_MSG_EQ(reply.ParseFromString(ReadGolden("fragment_reply.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(reply.step_reply().command(), wire::COMMAND_PLAY, "command");
        const auto& fragment = reply.step_reply().fragment();
        NS_TEST_EXPECT_MSG_EQ(fragment.policy(), "a model", "policy");
        NS_TEST_EXPECT_MSG_EQ(fragment.rounds(), 2, "rounds");
        NS_TEST_EXPECT_MSG_EQ(fragment.noise().shape_size(), 3, "Rounds, agents, numbers");
        NS_TEST_EXPECT_MSG_EQ(fragment.noise().data().size(), 4 * sizeof(float), "noise");
        NS_TEST_EXPECT_MSG_EQ(fragment.runtime(), "/tmp/golden/libonnxruntime.so", "runtime");

        wire::SimulationMessage message;
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("trajectory_request.bin")),
                              true,
                              "Parses");
        const auto& trajectory = message.step_request().trajectory();
        NS_TEST_ASSERT_MSG_EQ(trajectory.times_ns_size(), 2, "Two rounds");
        NS_TEST_EXPECT_MSG_EQ(trajectory.times_ns(1), 1250000000, "time");
        NS_TEST_EXPECT_MSG_EQ(trajectory.sizes(0), 2, "size");
        NS_TEST_ASSERT_MSG_EQ(trajectory.agents_size(), 3, "Three decisions");
        NS_TEST_EXPECT_MSG_EQ(trajectory.agents(1), 2, "agent");
        NS_TEST_EXPECT_MSG_EQ(trajectory.rewards(1), 3, "reward");
        NS_TEST_EXPECT_MSG_EQ(DecodeStack(trajectory.observations(), 3).size(), 3, "observations");
        NS_TEST_EXPECT_MSG_EQ(DecodeStack(trajectory.actions(), 3).size(), 3, "actions");
    }
};

/** The fields of the golden messages about communication. */
class GoldenCommunicationTestCase : public TestCase
{
  public:
    GoldenCommunicationTestCase()
        : TestCase("The golden messages about communication equal the encoded ones")
    {
    }

  private:
    void DoRun() override
    {
        CommunicationReport report;
        report.flows.push_back(
            {{500, 20000, 22000, 450, 18000, 19800, 3, 132, MilliSeconds(1), MilliSeconds(90)},
             "observation_0",
             "agent_0",
             "observation",
             0.0625,
             MilliSeconds(60),
             MilliSeconds(80),
             MilliSeconds(85)});
        report.paths.push_back({"observation_0", "agent_0", 510, 36280, 37300});
        report.links.push_back({"node_0/device_1",
                                {"observation_0", "action_0"},
                                10000000,
                                600,
                                50000,
                                510,
                                37300,
                                MilliSeconds(40),
                                Seconds(10)});
        wire::SimulationMessage message;
        EncodeCommunication(report, Seconds(10), *message.mutable_communication_report());
        NS_TEST_EXPECT_MSG_EQ(
            (message.SerializeAsString() == ReadGolden("communication_report.bin")),
            true,
            "The same bytes");
        NS_TEST_ASSERT_MSG_EQ(message.ParseFromString(ReadGolden("communication_end.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(message.episode_end().communication().flows_size(), 1, "A flow");
        wire::PythonMessage reply;
        NS_TEST_ASSERT_MSG_EQ(reply.ParseFromString(ReadGolden("report_reply.bin")),
                              true,
                              "Parses");
        NS_TEST_EXPECT_MSG_EQ(reply.step_reply().command(), wire::COMMAND_REPORT, "command");
    }
};

/** The golden messages that both languages read. */
class GoldenTestSuite : public TestSuite
{
  public:
    GoldenTestSuite()
        : TestSuite("defiance-golden")
    {
        AddTestCase(new GoldenSpaceTestCase);
        AddTestCase(new GoldenBytesTestCase);
        AddTestCase(new GoldenHelloTestCase);
        AddTestCase(new GoldenStepTestCase);
        AddTestCase(new GoldenSnapshotTestCase);
        AddTestCase(new GoldenFragmentTestCase);
        AddTestCase(new GoldenTransferTestCase);
        AddTestCase(new GoldenCommunicationTestCase);
    }
};

static GoldenTestSuite g_goldenTestSuite; //!< Registers the suite
