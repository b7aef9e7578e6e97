// SPDX-License-Identifier: GPL-2.0-only

#include "inference-test-support.h"

#include <memory>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Jobs start when a worker is free, in order, exact to the nanosecond.
 */
class TimetableTestCase : public InferenceTestCase
{
  public:
    TimetableTestCase()
        : InferenceTestCase("Timetable of one and of two workers")
    {
    }

  private:
    void DoRun() override
    {
        MakeQueue(1, "7e-9");
        SubmitAt(0, {"a", "b"});
        SubmitAt(3, {"c"});
        SubmitAt(30, {"d"});
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+0 a-7 b+7 b-14 c+14 c-21 d+30 d-37",
                              "One worker serves one job after the other");
        MakeQueue(2, "0.001234567");
        SubmitAt(5, {"a", "b"});
        SubmitAt(6, {"c", "d", "e"});
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+5 b+5 a-1234572 b-1234572 c+1234572 d+1234572 c-2469139 "
                              "d-2469139 e+2469139 e-3703706",
                              "Two workers serve two jobs at a time");
        MakeQueue(1, "0");
        SubmitAt(5, {"a", "b"});
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+5 a-5 b+5 b-5",
                              "Service without duration is in order, too");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The fates of jobs if the buffer is full.
 */
class FullBufferTestCase : public InferenceTestCase
{
  public:
    FullBufferTestCase()
        : InferenceTestCase("Each policy for a full buffer")
    {
    }

  private:
    /**
     * @brief Get the timetable of one worker that needs 10 ns.
     * @param size number of jobs that may wait
     * @param policy policy for a full buffer
     * @param names jobs to submit, one each nanosecond from 0
     * @return the log
     */
    std::string GetLog(uint32_t size,
                       const std::string& policy,
                       const std::vector<std::string>& names)
    {
        MakeQueue(1, "1e-8");
        SetBuffer(size, policy);
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            SubmitAt(i, {names[i]});
        }
        return Run();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(GetLog(2, "DROP_NEWEST", {"a1", "b1", "a2", "c1"}),
                              "a1+0 o/c!BUFFER_FULL@3 a1-10 b1+10 b1-20 a2+20 a2-30",
                              "The newest job is dropped");
        NS_TEST_EXPECT_MSG_EQ(GetLog(2, "DROP_OLDEST", {"a1", "b1", "a2", "c1"}),
                              "a1+0 o/b!DISPLACED@3 a1-10 a2+10 a2-20 c1+20 c1-30",
                              "The oldest job is dropped");
        NS_TEST_EXPECT_MSG_EQ(
            GetLog(2, "KEEP_LATEST_PER_SOURCE", {"a1", "b1", "b2", "a2", "c1", "b3"}),
            "a1+0 o/b!REPLACED@2 o/c!BUFFER_FULL@4 o/b!REPLACED@5 a1-10 b3+10 b3-20 a2+20 a2-30",
            "The waiting job of the same source is replaced at its place");
        NS_TEST_EXPECT_MSG_EQ(GetLog(2, "BLOCK", {"a1", "b1", "a2", "c1", "d1"}),
                              "a1+0 a1-10 b1+10 c1?10 b1-20 a2+20 d1?20 a2-30 c1+30 c1-40 d1+40 "
                              "d1-50",
                              "Blocked jobs enter in order");
        for (const auto* policy : {"DROP_NEWEST", "DROP_OLDEST", "KEEP_LATEST_PER_SOURCE"})
        {
            NS_TEST_EXPECT_MSG_EQ(GetLog(0, policy, {"a1", "b1"}),
                                  "a1+0 o/b!BUFFER_FULL@1 a1-10",
                                  "Without a buffer, jobs that cannot start are dropped");
        }
        NS_TEST_EXPECT_MSG_EQ(GetLog(0, "BLOCK", {"a1", "b1", "c1"}),
                              "a1+0 a1-10 b1+10 b1?10 b1-20 c1+20 c1?20 c1-30",
                              "or blocked until a worker is free");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Each owner is blocked and cancelled separately.
 */
class OwnerTestCase : public InferenceTestCase
{
  public:
    OwnerTestCase()
        : InferenceTestCase("Several owners")
    {
    }

  private:
    void DoRun() override
    {
        MakeQueue(1, "1e-8");
        SetBuffer(1, "BLOCK");
        At(NanoSeconds(0), [this] {
            Submit("a1", "p");
            Submit("b1", "p");
            Submit("c1", "q");
            Submit("d1", "p");
            Submit("e1", "r");
            NS_TEST_EXPECT_MSG_EQ(m_queue->IsBlocked("p") && m_queue->IsBlocked("q"),
                                  true,
                                  "An owner with a job outside of the buffer is blocked");
        });
        At(NanoSeconds(3), [this] {
            m_queue->Cancel("p");
            NS_TEST_EXPECT_MSG_EQ(m_queue->GetQueueLength(), 1, "The next blocked job enters");
            NS_TEST_EXPECT_MSG_EQ(m_queue->IsBlocked("p") || m_queue->IsBlocked("q"),
                                  false,
                                  "Cancelled jobs block no owner");
            NS_TEST_EXPECT_MSG_EQ(m_queue->IsBlocked("r"), true, "Others stay blocked");
            NS_TEST_EXPECT_MSG_EQ(m_queue->GetDropCount(),
                                  0,
                                  "A cancelled job is not a dropped one");
        });
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a1+0 d1?3 c1?3 a1-10 c1+10 e1?10 c1-20 e1+20 e1-30",
                              "A job in service is not cancelled");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Trace sources and utilisation.
 */
class QueueTraceTestCase : public InferenceTestCase
{
  public:
    QueueTraceTestCase()
        : InferenceTestCase("Trace sources and utilisation")
    {
    }

  private:
    /**
     * @brief Note a time.
     * @param what name of the duration
     * @param time the duration
     */
    void NoteTime(std::string what, Time time)
    {
        Note(what + std::to_string(time.GetNanoSeconds()) + "@");
    }

    /**
     * @brief Note how many workers are busy.
     * @param before number of busy workers before
     * @param now number of busy workers now
     */
    void NoteBusy(uint32_t before, uint32_t now)
    {
        Note("busy" + std::to_string(now) + "@");
    }

    /**
     * @brief Note the length of the queue; when it is 2, submit another job within the trace.
     * @param before length before
     * @param now length now
     */
    void NoteLength(uint32_t before, uint32_t now)
    {
        Note("length" + std::to_string(now) + "@");
        if (now == 2)
        {
            Submit("z");
        }
    }

    void DoRun() override
    {
        MakeQueue(2, "1e-8");
        SetBuffer(2, "DROP_NEWEST");
        const auto noteTime = MakeCallback(&QueueTraceTestCase::NoteTime, this);
        m_queue->TraceConnect("Waiting", "waited", noteTime);
        m_queue->TraceConnect("Service", "served", noteTime);
        m_queue->TraceConnectWithoutContext("BusyWorkers",
                                            MakeCallback(&QueueTraceTestCase::NoteBusy, this));
        m_queue->TraceConnectWithoutContext("QueueLength",
                                            MakeCallback(&QueueTraceTestCase::NoteLength, this));
        NS_TEST_EXPECT_MSG_EQ(m_queue->GetUtilisation(), 0, "There was no job yet");
        SubmitAt(100, {"a"});
        SubmitAt(104, {"b", "c", "d"});
        At(NanoSeconds(140), [this] {
            // One worker is busy for 4 ns, both for 16 ns, and one for 4 ns.
            NS_TEST_EXPECT_MSG_EQ_TOL(m_queue->GetUtilisation(),
                                      40. / 80,
                                      1e-12,
                                      "Utilisation since the first job");
            NS_TEST_EXPECT_MSG_EQ(m_queue->GetDropCount(), 1, "z was dropped");
        });
        NS_TEST_EXPECT_MSG_EQ(
            Run(),
            "busy1@100 waited0@100 a+100 busy2@104 length1@104 length2@104 o/z!BUFFER_FULL@104 "
            "waited0@104 b+104 length1@110 served10@110 a-110 waited6@110 c+110 length0@114 "
            "served10@114 b-114 waited10@114 d+114 busy1@120 served10@120 c-120 busy0@124 "
            "served10@124 d-124",
            "Each change is traced once");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Callbacks may use the queue; its end leaves nothing behind.
 */
class QueueLifeTestCase : public InferenceTestCase
{
  public:
    QueueLifeTestCase()
        : InferenceTestCase("Use by callbacks, misuse and end")
    {
    }

  private:
    void DoRun() override
    {
        MakeQueue(1, "1e-8");
        SetBuffer(1, "DROP_NEWEST");
        InferenceJob job{.source = {"o", "a"}};
        job.started = [this](Time) {
            Submit("b");
            m_queue->Cancel("o");
            Submit("c");
        };
        job.finished = [this] { m_queue->SetAttribute("Workers", UintegerValue(2)); };
        At(NanoSeconds(1), [&] { m_queue->Submit(job); });
        At(NanoSeconds(12), [this] { Submit("d"); });
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "c+11 d+12 c-21 d-22",
                              "Callbacks submit, cancel and change jobs");

        const auto token = std::make_shared<int>(0);
        MakeQueue(1, "1e-8");
        job.started = [token](Time) {};
        job.finished = job.unblocked = [token] {};
        At(NanoSeconds(0), [&] {
            for (int i = 0; i < 3; ++i)
            {
                m_queue->Submit(job);
            }
        });
        Simulator::Stop(NanoSeconds(15));
        Run();
        job = {};
        m_queue = nullptr;
        NS_TEST_EXPECT_MSG_EQ(token.use_count(), 1, "Jobs inside at the end are freed");

        MakeQueue(1, "1e-8");
        SubmitAt(0, {"a", "b"});
        At(NanoSeconds(10), [this] { m_queue->Dispose(); });
        NS_TEST_EXPECT_MSG_EQ(Run(), "a+0", "After Dispose() there are no callbacks");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([this] { Submit("a"); }, "no job of o/a after"),
                              true,
                              "and no job is accepted");

        MakeQueue(1, "-1");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([this] { Submit("a"); }, "cannot take -1 s"),
                              true,
                              "Service cannot take negative time");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of InferenceQueue: order, buffer, traces and life.
 */
class InferenceQueueTestSuite : public TestSuite
{
  public:
    InferenceQueueTestSuite()
        : TestSuite("defiance-inference-queue", Type::UNIT)
    {
        AddTestCase(new TimetableTestCase);
        AddTestCase(new FullBufferTestCase);
        AddTestCase(new OwnerTestCase);
        AddTestCase(new QueueTraceTestCase);
        AddTestCase(new QueueLifeTestCase);
    }
};

static InferenceQueueTestSuite g_inferenceQueueTestSuite; //!< Registers the suite
