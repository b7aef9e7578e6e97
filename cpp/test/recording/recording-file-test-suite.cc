// SPDX-License-Identifier: GPL-2.0-only

#include "json-text.h"
#include "recording-file.h"
#include "sample-clock.h"
#include "temporary-directory.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <fstream>
#include <iterator>
#include <limits>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Lines are written to the file completely, in order, and quoted like tables of text.
 */
class RecordingFileTestCase : public TestCase
{
  public:
    RecordingFileTestCase()
        : TestCase("Lines of a recording")
    {
    }

  private:
    void DoRun() override
    {
        TemporaryDirectory directory;
        const auto path = directory.GetPath("lines.csv");
        RecordingFile file(path);
        NS_TEST_EXPECT_MSG_EQ(Read(path), "", "The file is there from the beginning");
        file.WriteText("a,b,c\n");
        file.WriteLine(int64_t{-1}, 0.1, "plain");
        file.WriteLine(uint32_t{2}, "", "a \"b\", c\nd");
        file.Flush();
        const std::string lines = "a,b,c\n-1,0.1,plain\n2,,\"a \"\"b\"\", c\nd\"\n";
        NS_TEST_EXPECT_MSG_EQ(Read(path), lines, "Quoted where necessary");
        for (int i = 0; i < 100000; ++i)
        {
            file.WriteLine(i);
        }
        const auto unflushed = Read(path);
        NS_TEST_EXPECT_MSG_GT(unflushed.size(), 1 << 16, "Many lines are written early");
        NS_TEST_EXPECT_MSG_EQ(unflushed.back(), '\n', "The lines are complete");
        file.Close();
        file.WriteLine("late");
        file.Flush();
        NS_TEST_EXPECT_MSG_EQ(Read(path).ends_with("\n99999\n"),
                              true,
                              "Nothing is written afterwards");
    }

    /**
     * @param path Path of a file.
     * @return its contents
     */
    static std::string Read(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

/**
 * @ingroup defiance-tests
 * @brief Samples are taken at multiples of the interval, before any later event.
 */
class SampleClockTestCase : public TestCase
{
  public:
    SampleClockTestCase()
        : TestCase("Samples without events")
    {
    }

  private:
    void DoRun() override
    {
        int state = 0;
        std::vector<std::pair<int64_t, int>> samples;
        SampleClock clock(MilliSeconds(10),
                          [&](Time time) { samples.emplace_back(time.GetMicroSeconds(), state); });
        for (const auto time : {0, 3000, 10000, 10001, 47000})
        {
            Simulator::Schedule(MicroSeconds(time), [&clock, &state] {
                clock.Advance();
                ++state;
            });
        }
        Simulator::Run();
        clock.Finish();
        Simulator::Destroy();
        const std::vector<std::pair<int64_t, int>> expected{{0, 1},
                                                            {10000, 3},
                                                            {20000, 4},
                                                            {47000, 5}};
        NS_TEST_EXPECT_MSG_EQ((samples == expected),
                              true,
                              "Values at 0, 10 and 20 ms, and at the end");
        CheckLongInterval();
    }

    /// No simulation lasts until the second multiple of the longest interval.
    void CheckLongInterval()
    {
        std::vector<int64_t> samples;
        SampleClock clock(Time::Max(),
                          [&](Time time) { samples.push_back(time.GetMicroSeconds()); });
        for (const auto time : {2, 3})
        {
            Simulator::Schedule(MicroSeconds(time), [&clock] { clock.Advance(); });
        }
        Simulator::Run();
        clock.Finish();
        Simulator::Destroy();
        const std::vector<int64_t> expected{0, 3};
        NS_TEST_EXPECT_MSG_EQ((samples == expected), true, "Values at 0, and at the end");
    }
};

/**
 * @ingroup defiance-tests
 * @brief topology.json is valid JSON for any names.
 */
class JsonTextTestCase : public TestCase
{
  public:
    JsonTextTestCase()
        : TestCase("Values as JSON")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(ToJson("a \"b\" \\ \n</script>"),
                              "\"a \\\"b\\\" \\\\ \\u000a</script>\"",
                              "Text");
        NS_TEST_EXPECT_MSG_EQ(ToJson("caf\xC3\xA9 \xE9t\xC3"),
                              "\"caf\xC3\xA9 \\ufffdt\\ufffd\"",
                              "Bytes that are not UTF-8");
        NS_TEST_EXPECT_MSG_EQ(ToJson(0.25), "0.25", "Number");
        NS_TEST_EXPECT_MSG_EQ(ToJson(std::numeric_limits<double>::infinity()),
                              "null",
                              "Infinity is not a number of JSON");
        NS_TEST_EXPECT_MSG_EQ(ToJson(std::optional<int64_t>()), "null", "Nothing");
        NS_TEST_EXPECT_MSG_EQ(ToJsonArray({"1", "null"}), "[1,null]", "Array");
        NS_TEST_EXPECT_MSG_EQ(ToJsonArray({}, "\n"), "[]", "Empty array");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Files of recordings.
 */
class RecordingFileTestSuite : public TestSuite
{
  public:
    RecordingFileTestSuite()
        : TestSuite("defiance-recording-file", Type::UNIT)
    {
        AddTestCase(new RecordingFileTestCase, Duration::QUICK);
        AddTestCase(new SampleClockTestCase, Duration::QUICK);
        AddTestCase(new JsonTextTestCase, Duration::QUICK);
    }
};

static RecordingFileTestSuite g_recordingFileTestSuite; //!< Registers the suite
