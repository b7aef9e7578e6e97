// SPDX-License-Identifier: GPL-2.0-only

#include "inference-test-support.h"

#include <cmath>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Workers that slow each other down.
 */
class SlowdownTestCase : public InferenceTestCase
{
  public:
    SlowdownTestCase()
        : InferenceTestCase("Slowdown")
    {
    }

  private:
    /**
     * @brief Start with another queue of three workers.
     * @param seconds constant service time
     * @param slowdown slowdown by each other worker
     */
    void MakeSlowQueue(const std::string& seconds, double slowdown)
    {
        MakeQueue(3, seconds);
        m_queue->SetAttribute("Slowdown", DoubleValue(slowdown));
    }

    void DoRun() override
    {
        // a has 6 ms left at 4 ms, for which it needs 12; b has 4 ms left at 16 ms.
        MakeSlowQueue("0.01", 1);
        SubmitAt(0, {"a"});
        SubmitAt(4000000, {"b"});
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+0 b+4000000 a-16000000 b-20000000",
                              "Two jobs share the processor while they overlap");
        MakeSlowQueue("0.01", 0.5);
        SubmitAt(0, {"a", "b", "c", "d"});
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+0 b+0 c+0 a-20000000 b-20000000 c-20000000 d+20000000 d-30000000",
                              "With three busy workers, each takes 1 + 2 / 2 times as long");
        // a has 7 ns left at 3 ns, which take 10.5 ns; b has 3 ns left then, at 16.5 ns.
        MakeSlowQueue("1e-8", 0.5);
        SubmitAt(0, {"a"});
        SubmitAt(3, {"b"});
        NS_TEST_EXPECT_MSG_EQ(Run(), "a+0 b+3 a-14 b-17", "No job ends early");
        // Each has 7 ns left at 6 ns, and 6 ns at 9 ns, which take 12 ns, ...
        MakeSlowQueue("1e-8", 1);
        SubmitAt(0, {"a", "b"});
        At(NanoSeconds(6), [this] { m_queue->SetAttribute("Slowdown", DoubleValue(2)); });
        At(NanoSeconds(9), [this] { m_queue->SetAttribute("Slowdown", DoubleValue(1)); });
        // ... until they are independent at 11 ns with 5 ns left.
        At(NanoSeconds(11), [this] { m_queue->SetAttribute("Slowdown", DoubleValue(0)); });
        NS_TEST_EXPECT_MSG_EQ(Run(), "a+0 b+0 a-16 b-16", "The slowdown may change at any time");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Attributes that change while there are jobs.
 */
class ChangeTestCase : public InferenceTestCase
{
  public:
    ChangeTestCase()
        : InferenceTestCase("Changes at run time")
    {
    }

  private:
    void DoRun() override
    {
        MakeQueue(1, "1e-8");
        SubmitAt(0, {"a", "b", "c"});
        At(NanoSeconds(4), [this] { m_queue->SetAttribute("Workers", UintegerValue(3)); });
        At(NanoSeconds(6), [this] { m_queue->SetAttribute("Workers", UintegerValue(1)); });
        SubmitAt(7, {"d"});
        At(NanoSeconds(12), [this] {
            NS_TEST_EXPECT_MSG_EQ(m_queue->GetBusyWorkers(),
                                  2,
                                  "Removed workers finish their jobs");
        });
        At(NanoSeconds(34), [this] {
            // Busy for 4 + 6 * 3 + 4 * 2 + 10 ns over all workers; then one idles for 10 ns.
            NS_TEST_EXPECT_MSG_EQ_TOL(m_queue->GetUtilisation(),
                                      40. / 50,
                                      1e-12,
                                      "Removed workers count until they have finished");
        });
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a+0 b+4 c+4 a-10 b-14 c-14 d+14 d-24",
                              "New workers start immediately, removed ones finish");

        MakeQueue(1, "1e-8");
        SetBuffer(3, "DROP_NEWEST");
        SubmitAt(0, {"a1", "b1", "b2", "d1"});
        At(NanoSeconds(1), [this] { SetBuffer(2, "DROP_NEWEST"); });
        At(NanoSeconds(2), [this] { SetBuffer(2, "BLOCK"); });
        SubmitAt(3, {"e1", "b3"});
        At(NanoSeconds(4), [this] { SetBuffer(1, "BLOCK"); });
        At(NanoSeconds(5), [this] { SetBuffer(3, "BLOCK"); });
        At(NanoSeconds(6), [this] { SetBuffer(3, "KEEP_LATEST_PER_SOURCE"); });
        NS_TEST_EXPECT_MSG_EQ(Run(),
                              "a1+0 o/d!BUFFER_FULL@1 b2?5 e1?5 o/b!REPLACED@6 o/b!REPLACED@6 b3?6 "
                              "a1-10 b3+10 b3-20 e1+20 e1-30",
                              "Waiting jobs are admitted again, in order");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Mean times of Poisson arrivals, compared with closed formulas.
 *
 * Arrivals come at a rate of 1 per ms, from separate streams. The mean over all jobs is compared
 * with the formula; its standard error comes from the means of 40 batches of consecutive jobs.
 * 3.56 standard errors are the 99.9 % interval of Student's t with 39 degrees of freedom.
 */
class FormulaTestCase : public InferenceTestCase
{
  public:
    /**
     * @brief Create a test.
     * @param name name of the system
     * @param service service times in seconds
     * @param workers number of workers
     * @param slowdown slowdown by each other worker
     * @param mean expected mean in ms
     */
    FormulaTestCase(const std::string& name,
                    const std::string& service,
                    uint32_t workers,
                    double slowdown,
                    double mean)
        : InferenceTestCase("Mean time in " + name),
          m_service(service),
          m_workers(workers),
          m_slowdown(slowdown),
          m_mean(mean)
    {
    }

  private:
    static constexpr uint32_t BATCHES{40};           //!< Number of batches
    static constexpr uint32_t BATCH{4000};           //!< Number of jobs in a batch
    static constexpr uint32_t JOBS{BATCHES * BATCH}; //!< Number of jobs

    /**
     * @brief Submit a job and plan the next one.
     * @param number number of the job
     */
    void Arrive(uint32_t number)
    {
        const auto arrival = Simulator::Now();
        InferenceJob job;
        if (m_slowdown > 0)
        {
            job.finished = [=, this] { Count(number, Simulator::Now() - arrival); };
        }
        else
        {
            job.started = [=, this](Time waited) { Count(number, waited); };
        }
        m_queue->Submit(job);
        if (number + 1 < JOBS)
        {
            Simulator::Schedule(Seconds(m_gaps->GetValue()),
                                &FormulaTestCase::Arrive,
                                this,
                                number + 1);
        }
    }

    /**
     * @brief Count a job.
     * @param number number of the job
     * @param time duration of the job
     */
    void Count(uint32_t number, Time time)
    {
        m_batchMeans[number / BATCH] += time.GetSeconds() * 1000 / BATCH;
        ++m_counted;
    }

    void DoRun() override
    {
        m_queue = CreateObject<InferenceQueue>();
        m_queue->SetAttribute("ServiceTime", StringValue(m_service));
        m_queue->SetAttribute("Workers", UintegerValue(m_workers));
        m_queue->SetAttribute("Slowdown", DoubleValue(m_slowdown));
        NS_TEST_EXPECT_MSG_EQ(m_queue->AssignStreams(11), 1, "Service has one stream");
        m_gaps = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(0.001));
        m_gaps->SetStream(10);
        m_batchMeans.assign(BATCHES, 0);
        Simulator::ScheduleNow(&FormulaTestCase::Arrive, this, 0);
        Simulator::Run();
        Simulator::Destroy();

        double mean = 0;
        for (const auto batchMean : m_batchMeans)
        {
            mean += batchMean / BATCHES;
        }
        double variance = 0;
        for (const auto batchMean : m_batchMeans)
        {
            variance += (batchMean - mean) * (batchMean - mean) / (BATCHES - 1);
        }
        const auto standardError = std::sqrt(variance / BATCHES);
        NS_TEST_EXPECT_MSG_EQ(m_counted, JOBS, "No job is lost");
        NS_TEST_EXPECT_MSG_LT(standardError, 0.03 * m_mean, "The mean has a small error");
        NS_TEST_EXPECT_MSG_EQ_TOL(mean,
                                  m_mean,
                                  3.56 * standardError,
                                  "The mean agrees with theory");
    }

    std::string m_service;                 //!< Service times in seconds
    uint32_t m_workers;                    //!< Number of workers
    double m_slowdown;                     //!< Slowdown by each other worker
    double m_mean;                         //!< Expected mean in ms
    Ptr<ExponentialRandomVariable> m_gaps; //!< Seconds between two arrivals
    std::vector<double> m_batchMeans;      //!< Mean time in ms, by batch
    uint32_t m_counted{0};                 //!< Number of jobs counted
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of InferenceQueue: workers.
 */
class InferenceWorkersTestSuite : public TestSuite
{
  public:
    InferenceWorkersTestSuite()
        : TestSuite("defiance-inference-workers", Type::UNIT)
    {
        AddTestCase(new SlowdownTestCase);
        AddTestCase(new ChangeTestCase);
        const std::string half = "ns3::ExponentialRandomVariable[Mean=0.0005]";
        // Waiting: load / (service rate - arrival rate) = 0.5 / (2 - 1).
        AddTestCase(new FormulaTestCase("M-M-1", half, 1, 0, 0.5));
        // Waiting: Erlang C of 3 workers and 2 Erlang is 4/9; 4/9 / (3 * 0.5 - 1).
        const std::string two = "ns3::ExponentialRandomVariable[Mean=0.002]";
        AddTestCase(new FormulaTestCase("M-M-3", two, 3, 0, 4. / 9 / 0.5));
        // Waiting, by Pollaczek and Khinchine: half of M/M/1.
        const std::string constant = "ns3::ConstantRandomVariable[Constant=0.0005]";
        AddTestCase(new FormulaTestCase("M-D-1", constant, 1, 0, 0.25));
        // From arrival to end: 1 / (service rate - arrival rate), for any distribution of service.
        AddTestCase(new FormulaTestCase("M-M-1-PS", half, 100000, 1, 1));
        AddTestCase(new FormulaTestCase("M-D-1-PS", constant, 100000, 1, 1));
    }
};

static InferenceWorkersTestSuite g_inferenceWorkersTestSuite; //!< Registers the suite
