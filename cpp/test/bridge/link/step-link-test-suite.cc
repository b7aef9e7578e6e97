// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "test-scenario.h"

#include "ns3/rl-simulation.h"
#include "ns3/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

using namespace ns3;

/** No process listens. */
class NobodyListensTestCase : public TestCase
{
  public:
    NobodyListensTestCase()
        : TestCase("A simulation gives up if its endpoint is unanswered or invalid")
    {
    }

  private:
    void DoRun() override
    {
        auto end = RunProgram(RunTestScenario,
                              {"--endpoint=ipc:///tmp/defiance-nobody"},
                              {{"DEFIANCE_CONNECT_TIMEOUT", "0.2"}});
        NS_TEST_EXPECT_MSG_EQ(end.exited, true, "It exits");
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "with status 1");
        NS_TEST_EXPECT_MSG_EQ(
            end.errors,
            "defiance: nobody answered at 'ipc:///tmp/defiance-nobody' within 0.2 s\n",
            "with the reason");
        end = RunProgram(RunTestScenario, {"--endpoint=pigeon://roof"});
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "Exit status");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("cannot connect to 'pigeon://roof'"),
                              std::string::npos,
                              end.errors);
    }
};

/** Invalid environment variables. */
class EnvironmentTestCase : public TestCase
{
  public:
    EnvironmentTestCase()
        : TestCase("An invalid environment variable is refused by name")
    {
    }

  private:
    void DoRun() override
    {
        auto end = RunProgram(RunTestScenario, {}, {{"DEFIANCE_CONNECT_TIMEOUT", "never"}});
        NS_TEST_EXPECT_MSG_EQ(end.status, 2, "Exit status");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("DEFIANCE_CONNECT_TIMEOUT is 'never'"),
                              std::string::npos,
                              end.errors);
        end = RunProgram(RunTestScenario, {}, {{"DEFIANCE_LIFELINE", "987"}});
        NS_TEST_EXPECT_MSG_EQ(end.status, 2, "Exit status");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("file descriptor 987"),
                              std::string::npos,
                              end.errors);
    }
};

/** Encryption. */
class CurveTestCase : public TestCase
{
  public:
    CurveTestCase()
        : TestCase(
              "With Python's public key the connection is encrypted, with another key it fails")
    {
    }

  private:
    void DoRun() override
    {
        FakePython python(true);
        ForkedSimulation process(WithArguments(RunTestScenario, {}),
                                 {{"DEFIANCE_ENDPOINT", python.GetEndpoint()},
                                  {"DEFIANCE_CURVE_SERVER_KEY", python.GetPublicKey()}});
        NS_TEST_EXPECT_MSG_EQ(python.Receive().has_hello(), true, "Python can read it");
        const auto other = FakePython(true).GetPublicKey();
        const auto end = RunProgram(RunTestScenario,
                                    {},
                                    {{"DEFIANCE_ENDPOINT", python.GetEndpoint()},
                                     {"DEFIANCE_CONNECT_TIMEOUT", "0.5"},
                                     {"DEFIANCE_CURVE_SERVER_KEY", other}});
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "Exit status");
        NS_TEST_EXPECT_MSG_NE(end.errors.find("do the keys match?"), std::string::npos, end.errors);
        const auto broken = RunProgram(
            RunTestScenario,
            {},
            {{"DEFIANCE_ENDPOINT", python.GetEndpoint()}, {"DEFIANCE_CURVE_SERVER_KEY", "short"}});
        NS_TEST_EXPECT_MSG_NE(broken.errors.find("but a Z85 key has 40"),
                              std::string::npos,
                              broken.errors);
    }
};

/** The end of Python. */
class LifelineTestCase : public TestCase
{
  public:
    LifelineTestCase()
        : TestCase("A simulation ends within a second of the process that holds its lifeline, also "
                   "when it computes or waits")
    {
    }

  private:
    /** A program that computes endlessly without an event. */
    static int Compute(int argc, char** argv)
    {
        RlSimulation simulation("busy");
        simulation.Parse(argc, argv);
        volatile uint64_t turns = 0;
        while (true)
        {
            turns = turns + 1;
        }
    }

    /**
     * @param main A program that never ends.
     * @param python Receives Hello and a request, and never answers; null: there is no peer.
     * @param stopped Whether the program is stopped, as by SIGSTOP, before that.
     * @return how it ended after its lifeline's holder was killed
     */
    ProcessEnd Cut(const std::function<int(int, char**)>& main, FakePython* python, bool stopped)
    {
        int ends[2];
        NS_TEST_EXPECT_MSG_EQ(pipe2(ends, O_CLOEXEC), 0, "A pipe");
        const auto run = [&] {
            close(ends[1]);
            signal(SIGTERM, SIG_IGN); // like careless programs
            return WithArguments(main, {})();
        };
        ForkedSimulation process(run,
                                 {{"DEFIANCE_LIFELINE", std::to_string(ends[0])},
                                  {"DEFIANCE_ENDPOINT", python ? python->GetEndpoint() : ""}});
        const pid_t holder = fork();
        if (holder == 0)
        {
            pause();
            _exit(0);
        }
        close(ends[0]);
        close(ends[1]);
        if (python)
        {
            NS_TEST_EXPECT_MSG_EQ(python->Receive().has_hello(), true, "It says Hello");
            NS_TEST_EXPECT_MSG_EQ(python->Receive().has_step_request(),
                                  true,
                                  "and sends a request");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        NS_TEST_EXPECT_MSG_EQ(kill(process.GetPid(), 0), 0, "It lives as long as the holder");
        if (stopped)
        {
            kill(process.GetPid(), SIGSTOP);
        }
        kill(holder, SIGKILL);
        waitpid(holder, nullptr, 0);
        return process.Wait();
    }

    /** @param end How the simulation ended. */
    void Check(const ProcessEnd& end)
    {
        NS_TEST_EXPECT_MSG_EQ(end.exited, false, "A signal ends it: " << end.errors);
        NS_TEST_EXPECT_MSG_EQ(end.status, SIGKILL, "The signal");
        NS_TEST_EXPECT_MSG_LT(end.duration.count(), 1000, "Within a second");
    }

    void DoRun() override
    {
        Check(Cut(Compute, nullptr, false));
        Check(Cut(Compute, nullptr, true));
        FakePython python;
        Check(Cut(RunTestScenario, &python, false));
    }
};

/** A lifeline that is cut before the start. */
class CutLifelineTestCase : public TestCase
{
  public:
    CutLifelineTestCase()
        : TestCase("A simulation whose lifeline is already cut does not start")
    {
    }

  private:
    void DoRun() override
    {
        int ends[2];
        NS_TEST_ASSERT_MSG_EQ(pipe(ends), 0, "A pipe");
        close(ends[1]);
        const auto end =
            RunProgram(RunTestScenario, {}, {{"DEFIANCE_LIFELINE", std::to_string(ends[0])}});
        close(ends[0]);
        NS_TEST_EXPECT_MSG_EQ(end.status, 1, "Exit status");
        NS_TEST_EXPECT_MSG_EQ(end.errors,
                              "defiance: the Python process has ended\n",
                              "It reports the reason");
    }
};

/** Several simulations with one lifeline. */
class SharedLifelineTestCase : public TestCase
{
  public:
    SharedLifelineTestCase()
        : TestCase("Simulations that inherit the same pipe all end with it")
    {
    }

  private:
    void DoRun() override
    {
        int ends[2];
        NS_TEST_ASSERT_MSG_EQ(pipe(ends), 0, "A pipe");
        FakePython python; // no process answers
        const std::map<std::string, std::string> environment{
            {"DEFIANCE_LIFELINE", std::to_string(ends[0])},
            {"DEFIANCE_ENDPOINT", python.GetEndpoint()}};
        const auto run = [&ends] {
            close(ends[1]);
            return WithArguments(RunTestScenario, {})();
        };
        ForkedSimulation first(run, environment);
        ForkedSimulation second(run, environment);
        for (int i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((python.Receive().ByteSizeLong() > 0),
                                  true,
                                  "They send Hello and a request");
        }
        close(ends[0]);
        close(ends[1]);
        NS_TEST_EXPECT_MSG_EQ(first.Wait().status, SIGKILL, "The first simulation");
        NS_TEST_EXPECT_MSG_EQ(second.Wait().status, SIGKILL, "The second simulation");
    }
};

/** The connection to Python and its end. */
class StepLinkTestSuite : public TestSuite
{
  public:
    StepLinkTestSuite()
        : TestSuite("defiance-step-link")
    {
        AddTestCase(new NobodyListensTestCase);
        AddTestCase(new EnvironmentTestCase);
        AddTestCase(new CurveTestCase);
        AddTestCase(new LifelineTestCase);
        AddTestCase(new CutLifelineTestCase);
        AddTestCase(new SharedLifelineTestCase);
    }
};

static StepLinkTestSuite g_stepLinkTestSuite; //!< Registers the suite
