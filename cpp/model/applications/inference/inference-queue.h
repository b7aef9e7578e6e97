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
 * @brief Where a job comes from.
 */
struct InferenceSource
{
    std::string owner; //!< The owner, for example "agent_0"
    std::string name;  //!< The origin of the job within the owner, for example "observation_3"

    /**
     * @brief Order by owner, then by name.
     * @return the order of this one and another
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
    DROP_NEWEST,            //!< It is dropped
    DROP_OLDEST,            //!< The job that has waited longest is dropped and makes room for it
    KEEP_LATEST_PER_SOURCE, //!< It is dropped; but, full or not, a waiting job of its source is
                            //!< dropped instead, whose place it takes
    BLOCK,                  //!< It waits outside the buffer, in order, until there is room
};

/**
 * @ingroup defiance
 *
 * @brief Why a job was dropped.
 */
enum class InferenceDropReason : uint8_t
{
    BUFFER_FULL, //!< It found no room
    DISPLACED,   //!< As the oldest one it made room for a new job
    REPLACED,    //!< A new job of its source took its place
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
 * @brief Something that a worker has to do, and whom to tell about it.
 *
 * The functions may be empty. They are called by events on the node that has submitted the job, so
 * never while Submit() or Cancel() runs.
 */
struct InferenceJob
{
    InferenceSource source;                   //!< Where it comes from
    std::function<void(Time waited)> started; //!< A worker has taken it
    std::function<void()> finished;           //!< The worker is done with it
    std::function<void()> unblocked;          //!< It was blocked and is so no more, whatever has
                                              //!< become of it
};

/**
 * @ingroup defiance
 *
 * @brief Workers with a common buffer in which jobs wait, first come, first served.
 *
 * A job starts at once if a worker is free. Otherwise it waits in the buffer; FullBufferPolicy says
 * what happens if that has no room. ServiceTime is drawn when a job starts. With n busy workers,
 * each job progresses at the rate 1 / (1 + Slowdown (n - 1)): workers are independent of each other
 * with Slowdown 0, and share one processor equally with Slowdown 1. Service ends at the first time
 * step at which the work is done.
 *
 * All attributes may be changed at any time. Jobs of a worker that is taken away are finished. With
 * another BufferSize or FullBufferPolicy, what waits is admitted anew, in order.
 *
 * A queue may serve several owners. Jobs of owners that are gone are to be cancelled.
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
     * @brief Have a job done.
     * @param job the job
     */
    void Submit(const InferenceJob& job);

    /**
     * @brief Forget the jobs of an owner that no worker has taken yet. They do not count as
     * dropped.
     * @param owner who submitted them
     */
    void Cancel(const std::string& owner);

    /**
     * @brief Tell whether an owner had better submit nothing more for now.
     * @param owner who submits jobs
     * @return whether at least one of its jobs waits outside the buffer
     */
    bool IsBlocked(const std::string& owner) const;

    /**
     * @brief Get the number of jobs that are being served.
     * @return the number; more than Workers while jobs of removed workers are finished
     */
    uint32_t GetBusyWorkers() const;

    /**
     * @brief Get the number of jobs in the buffer.
     * @return the number, without those that are blocked
     */
    uint32_t GetQueueLength() const;

    /**
     * @brief Get the number of jobs dropped so far.
     * @return the number
     */
    uint64_t GetDropCount() const;

    /**
     * @brief Get the share of the workers' time that was spent on jobs, since the first job came.
     *
     * It is the integral of busy workers over that of present ones, where a worker that was removed
     * is present until its job is done.
     *
     * @return from 0 to 1; 0 if no time has passed
     */
    double GetUtilisation() const;

    /**
     * @brief Fix the random numbers.
     * @param stream first stream to use
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * TracedCallback signature of Drop.
     * @param [in] source where the job came from
     * @param [in] reason why it was dropped
     */
    typedef void (*DropTracedCallback)(const InferenceSource& source, InferenceDropReason reason);

  protected:
    void DoDispose() override;

  private:
    /// A job that waits.
    struct WaitingJob
    {
        InferenceJob job; //!< The job
        Time arrival;     //!< When it was submitted
        uint32_t context; //!< Node that submitted it
    };

    /// A job that is served.
    struct Service
    {
        std::function<void()> finished; //!< Called at the end
        uint32_t context;               //!< Node that submitted it
        Time start;                     //!< When a worker took it
        long double left;               //!< Time steps of undisturbed service that are left
    };

    void SetWorkers(uint32_t workers);                 //!< @param workers at least 1
    uint32_t GetWorkers() const;                       //!< @return number of workers
    void SetSlowdown(double slowdown);                 //!< @param slowdown from 0
    double GetSlowdown() const;                        //!< @return slowdown by each other worker
    void SetBufferSize(uint32_t bufferSize);           //!< @param bufferSize jobs that may wait
    uint32_t GetBufferSize() const;                    //!< @return number of jobs that may wait
    void SetFullBufferPolicy(FullBufferPolicy policy); //!< @param policy what to do if it is full
    FullBufferPolicy GetFullBufferPolicy() const;      //!< @return what to do if it is full

    Time DrawServiceTime() const;       //!< @return time of undisturbed service, not negative
    long double GetStretch() const;     //!< @return time that a unit of work takes now
    uint32_t GetPresentWorkers() const; //!< @return workers, and removed ones that still serve

    /// Account for the time since the last call, before the number of busy workers changes.
    void Advance();

    /**
     * @brief Find a place for a job that cannot start.
     * @param waiting the job
     */
    void Admit(const WaitingJob& waiting);

    /**
     * @brief Count a job as dropped.
     * @param source where it comes from
     * @param reason why it is dropped
     */
    void Drop(const InferenceSource& source, InferenceDropReason reason);

    /// Admit all waiting jobs anew.
    void Readmit();

    /// Let blocked jobs enter as long as the buffer has room.
    void Unblock();

    /**
     * @brief Let a worker take a job.
     * @param waiting the job
     */
    void Start(const WaitingJob& waiting);

    /// Let free workers take jobs, plan the next end of a service and tell what has changed.
    void Settle();

    /// Plan the next end of a service.
    void ScheduleCompletion();

    /// End the services that are done.
    void Complete();

    /**
     * @brief Call something by an event of this instant.
     * @param context node on which to call it
     * @param notice what to call; it is left out once the queue is disposed of
     */
    void Notify(uint32_t context, std::function<void()> notice);

    /// Fire the trace sources of what has changed.
    void Publish();

    uint32_t m_workers;                      //!< Number of workers
    Ptr<RandomVariableStream> m_serviceTime; //!< Seconds of undisturbed service
    double m_slowdown;                       //!< Slowdown by each other busy worker
    uint32_t m_bufferSize;                   //!< Number of jobs that may wait in the buffer
    FullBufferPolicy m_policy;               //!< The behaviour if it is full
    std::deque<WaitingJob> m_buffer;         //!< Waiting jobs, oldest first
    std::deque<WaitingJob> m_blocked;        //!< Jobs outside the buffer, oldest first
    std::vector<Service> m_services;         //!< The jobs of the workers, in order of start
    EventId m_completion;                    //!< Next end of a service
    std::optional<Time> m_updated;           //!< Last call of Advance(); none before the first job
    double m_busyTime{0};                    //!< Integral of busy workers, in time steps
    double m_presentTime{0};                 //!< Integral of present workers, in time steps
    uint64_t m_dropCount{0};                 //!< Number of dropped jobs
    bool m_isPublishing{false};              //!< Publish() is running
    bool m_isDisposed{false};                //!< Nobody is called any more
    std::vector<std::pair<InferenceSource, InferenceDropReason>> m_drops; //!< To be traced
    TracedCallback<Time> m_waitingTrace;                                  //!< Time waited at start
    TracedCallback<Time> m_serviceTrace;                                  //!< Time served at end
    TracedCallback<const InferenceSource&, InferenceDropReason> m_dropTrace; //!< Dropped jobs
    TracedValue<uint32_t> m_tracedBusyWorkers{0}; //!< Number of busy workers
    TracedValue<uint32_t> m_tracedQueueLength{0}; //!< Number of jobs in the buffer
};

} // namespace ns3

#endif /* INFERENCE_QUEUE_H */
