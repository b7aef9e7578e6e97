// SPDX-License-Identifier: GPL-2.0-only

#ifndef INFERENCE_QUEUE_H
#define INFERENCE_QUEUE_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The source of a job.
 */
struct InferenceSource
{
    std::string owner; //!< The owner, for example "agent_0"
    std::string name;  //!< The origin of the job within the owner, for example "observation_3"

    /**
     * @brief Order by owner, then by name.
     * @return the order of this source and another
     */
    auto operator<=>(const InferenceSource&) const = default;
};

/**
 * @brief Write a source.
 * @param os the stream
 * @param source for example "agent_0/observation_3"
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const InferenceSource& source);

/**
 * @ingroup defiance
 *
 * @brief The fate of a job that finds all workers busy and the buffer full.
 */
enum class FullBufferPolicy : uint8_t
{
    DROP_NEWEST,            //!< The new job is dropped
    DROP_OLDEST,            //!< The job with the longest wait is dropped for the new job
    KEEP_LATEST_PER_SOURCE, //!< The new job replaces a waiting job of its source, full or not; else
                            //!< the new job is dropped
    BLOCK,                  //!< The new job waits outside the buffer, in order, until there is room
};

/**
 * @ingroup defiance
 *
 * @brief Why a job was dropped.
 */
enum class InferenceDropReason : uint8_t
{
    BUFFER_FULL, //!< The buffer had no room
    DISPLACED,   //!< A new job displaced the oldest one
    REPLACED,    //!< A newer job of its source took its place
};

/**
 * @brief Write the name of a drop reason.
 * @param os the stream
 * @param reason the reason
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, InferenceDropReason reason);

/**
 * @ingroup defiance
 *
 * @brief A worker's job, and the functions to call about it.
 *
 * The functions may be empty. Events on the node that submitted the job call them, so never while
 * Submit() or Cancel() runs.
 */
struct InferenceJob
{
    InferenceSource source;                   //!< Source of the job
    std::function<void(Time waited)> started; //!< Called when a worker takes the job
    std::function<void()> finished;           //!< Called when the worker is done
    std::function<void()> unblocked;          //!< Called when a blocked job is blocked no more,
                                              //!< whatever its fate
};

/**
 * @ingroup defiance
 *
 * @brief Workers with a common buffer in which jobs wait, first come, first served.
 *
 * A job starts at once if a worker is free. Otherwise it waits in the buffer; FullBufferPolicy
 * defines the behaviour of a full buffer. ServiceTime is drawn when a job starts. With n busy
 * workers, each job progresses at the rate 1 / (1 + Slowdown (n - 1)): workers are independent of
 * each other with Slowdown 0, and share one processor equally with Slowdown 1. Service ends at the
 * first time step at which the work is done.
 *
 * All attributes may be changed at any time. A removed worker finishes its job. After a change of
 * BufferSize or FullBufferPolicy, waiting jobs are admitted again, in order.
 *
 * A queue may serve several owners. Cancel the jobs of an owner before it is destroyed.
 */
class InferenceQueue : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    InferenceQueue();
    ~InferenceQueue() override;

    /**
     * @brief Submit a job.
     * @param job the job
     */
    void Submit(const InferenceJob& job);

    /**
     * @brief Discard the waiting jobs of an owner. They do not count as dropped.
     * @param owner owner of the jobs
     */
    void Cancel(const std::string& owner);

    /**
     * @brief Return whether an owner should not submit more jobs for now.
     * @param owner owner of the jobs
     * @return whether at least one of its jobs waits outside the buffer
     */
    bool IsBlocked(const std::string& owner) const;

    /**
     * @brief Get the number of jobs that are being served.
     * @return the number; more than Workers while removed workers finish jobs
     */
    uint32_t GetBusyWorkers() const
    {
        return m_services.size();
    }

    /**
     * @brief Get the number of jobs in the buffer.
     * @return the number, without blocked jobs
     */
    uint32_t GetQueueLength() const
    {
        return m_buffer.size();
    }

    /**
     * @brief Get the number of jobs dropped so far.
     * @return the number
     */
    uint64_t GetDropCount() const
    {
        return m_dropCount;
    }

    /**
     * @brief Get the share of the workers' time that was spent on jobs, since the first job.
     *
     * It is the integral of busy workers divided by the integral of present workers; a removed
     * worker is present until its job is done.
     *
     * @return from 0 to 1; 0 if no time has passed
     */
    double GetUtilisation() const;

    /**
     * @brief Fix the random numbers.
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream)
    {
        m_serviceTime->SetStream(stream);
        return 1;
    }

    /**
     * TracedCallback signature of Drop.
     * @param [in] source source of the job
     * @param [in] reason reason of the drop
     */
    typedef void (*DropTracedCallback)(const InferenceSource& source, InferenceDropReason reason);

  protected:
    void DoDispose() override;

  private:
    /// A waiting job.
    struct WaitingJob
    {
        InferenceJob job; //!< The job
        Time arrival;     //!< Time of submission
        uint32_t context; //!< Node that submitted the job
    };

    /// A job in service.
    struct Service
    {
        std::function<void()> finished; //!< Function to call at the end
        uint32_t context;               //!< Node that submitted the job
        Time start;                     //!< Start of the service
        long double left;               //!< Time steps of undisturbed service left
    };

    void SetWorkers(uint32_t workers); //!< @param workers at least 1

    /// @return number of workers
    uint32_t GetWorkers() const
    {
        return m_workers;
    }

    void SetSlowdown(double slowdown); //!< @param slowdown from 0

    /// @return slowdown by each other worker
    double GetSlowdown() const
    {
        return m_slowdown;
    }

    /// @param bufferSize jobs that may wait
    void SetBufferSize(uint32_t bufferSize)
    {
        m_bufferSize = bufferSize;
        Readmit();
    }

    /// @return number of jobs that may wait
    uint32_t GetBufferSize() const
    {
        return m_bufferSize;
    }

    /// @param policy for a full buffer
    void SetFullBufferPolicy(FullBufferPolicy policy)
    {
        m_policy = policy;
        Readmit();
    }

    /// @return policy for a full buffer
    FullBufferPolicy GetFullBufferPolicy() const
    {
        return m_policy;
    }

    Time DrawServiceTime() const; //!< @return time of undisturbed service, not negative

    /// @return time that a unit of work takes now
    long double GetStretch() const
    {
        return 1 + static_cast<long double>(m_slowdown) * (m_services.size() - 1.0L);
    }

    /// @return workers, and removed workers that still serve
    uint32_t GetPresentWorkers() const
    {
        return std::max(m_workers, GetBusyWorkers());
    }

    /// Account for the time since the last call, before the number of busy workers changes.
    void Advance();

    /**
     * @brief Find a place for a job that cannot start.
     * @param waiting the job
     */
    void Admit(const WaitingJob& waiting);

    /**
     * @brief Count a job as dropped.
     * @param source source of the job
     * @param reason reason of the drop
     */
    void Drop(const InferenceSource& source, InferenceDropReason reason);

    /// Admit all waiting jobs again.
    void Readmit();

    /// Let blocked jobs enter as long as the buffer has room.
    void Unblock();

    /**
     * @brief Let a worker take a job.
     * @param waiting the job
     */
    void Start(const WaitingJob& waiting);

    /// Assign jobs to free workers, schedule the next end of a service, and publish all changes.
    void Settle();

    /// Schedule the next end of a service.
    void ScheduleCompletion();

    /// End the services that are done.
    void Complete();

    /**
     * @brief Call a function by an event of this instant.
     * @param context node of the event
     * @param notice the function; not called after the queue is disposed of
     */
    void Notify(uint32_t context, std::function<void()> notice);

    /// Fire the trace sources of all changes.
    void Publish();

    uint32_t m_workers;                      //!< Number of workers
    Ptr<RandomVariableStream> m_serviceTime; //!< Seconds of undisturbed service
    double m_slowdown;                       //!< Slowdown by each other busy worker
    uint32_t m_bufferSize;                   //!< Number of jobs that may wait in the buffer
    FullBufferPolicy m_policy;               //!< Policy for a full buffer
    std::deque<WaitingJob> m_buffer;         //!< Waiting jobs, oldest first
    std::deque<WaitingJob> m_blocked;        //!< Jobs outside the buffer, oldest first
    std::vector<Service> m_services;         //!< The jobs of the workers, in order of start
    EventId m_completion;                    //!< End of the next service
    std::optional<Time> m_updated;           //!< Last call of Advance(); none before the first job
    double m_busyTime{0};                    //!< Integral of busy workers, in time steps
    double m_presentTime{0};                 //!< Integral of present workers, in time steps
    uint64_t m_dropCount{0};                 //!< Number of dropped jobs
    bool m_isPublishing{false};              //!< Publish() is running
    bool m_isDisposed{false};                //!< Whether callbacks are switched off
    std::vector<std::pair<InferenceSource, InferenceDropReason>> m_drops; //!< Drops to trace
    TracedCallback<Time> m_waitingTrace;                                  //!< Time waited at start
    TracedCallback<Time> m_serviceTrace;                                  //!< Time served at end
    TracedCallback<const InferenceSource&, InferenceDropReason> m_dropTrace; //!< Dropped jobs
    TracedValue<uint32_t> m_tracedBusyWorkers{0}; //!< Number of busy workers
    TracedValue<uint32_t> m_tracedQueueLength{0}; //!< Number of jobs in the buffer
};

} // namespace ns3

#endif /* INFERENCE_QUEUE_H */
