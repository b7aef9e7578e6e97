// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_APPLICATION_H
#define REPLICA_APPLICATION_H

#include "interceptor.h"
#include "replica-state.h"
#include "stable-storage.h"

#include "ns3/application.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One replica of a replicated service, on its node: a process that can crash and restart,
 * and that exchanges UDP datagrams with the other replicas.
 *
 * A protocol is a subclass. It keeps the state that a crash destroys in an object that Recover()
 * makes and Forget() deletes, and the state that survives it in a StableStorage. Its clock is
 * Tick(): it schedules no events. An Interceptor holds arriving messages until they are released.
 *
 * An exception of a protocol is a bug of the protocol and a crash of the process; trace source
 * Failure reports it.
 *
 * Replicas are numbered from 1.
 */
class ReplicaApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReplicaApplication()
        : m_interceptor(CreateObject<Interceptor>())
    {
        m_interceptor->SetReceiver(MakeCallback(&ReplicaApplication::Deliver, this));
    }

    /**
     * Set the group of replicas.
     *
     * @param id Number of this replica.
     * @param addresses Addresses of all replicas, in the order of their numbers.
     */
    void SetGroup(uint32_t id, const std::vector<Ipv4Address>& addresses);

    /// Advance the clock of a running replica by one unit
    void Tick()
    {
        Run([this] { OnTick(); });
    }

    /**
     * Receive a request of a client.
     *
     * @param request Number of the request, from 1.
     * @return whether the replica runs, and has taken the request
     */
    bool Submit(uint32_t request);

    /**
     * Kill the process: its socket is closed, unstored state is lost, and held messages are
     * discarded. Sent messages arrive.
     */
    void Crash();

    /**
     * Kill the process at a drawn point of its next calls: before, between or after the effects of
     * one of them. Crash() kills it earlier, Restart() starts it again.
     *
     * @param calls Number of calls (requests, messages, ticks) from which one is drawn.
     * @param draw A random number.
     */
    void CrashWithin(uint32_t calls, uint64_t draw);

    void LoseDelayed(); //!< Lose the sent messages that attribute Jitter still delays

    /// Start the process again, from its disk. A running process continues.
    void Restart();

    /// Start the process for the first time, with an empty disk.
    void Reset();

    /**
     * @param disturbed Whether its messages are delayed and duplicated at random, according to
     * attributes Jitter and Duplication; true at first.
     */
    void SetDisturbed(bool disturbed)
    {
        m_disturbed = disturbed;
    }

    /// Act against the protocol from now on, also after restarts.
    void BecomeByzantine()
    {
        m_byzantine = true;
        Run([this] { OnByzantine(); });
    }

    /**
     * Set the clock of its machine, which runs on while the process is stopped.
     *
     * @param error Error of the clock: the time by which it is ahead.
     */
    void SetClockError(Time error)
    {
        m_clockError = error;
        if (IsActive())
        {
            OnClockSet();
        }
    }

    /// @return error of the clock of its machine
    Time GetClockError() const
    {
        return m_clockError;
    }

    /// @return time of the clock of its machine
    Time GetClock() const
    {
        return Simulator::Now() + m_clockError;
    }

    /**
     * @return its state, or the stored state of a stopped replica
     */
    ReplicaState Snapshot() const;

    /// @return name of the seeded bug; empty: none
    const std::string& GetBug() const
    {
        return m_bug;
    }

    /// @return whether the process runs
    bool IsActive() const
    {
        return bool(m_socket);
    }

    /// @return whether the replica is Byzantine
    bool IsByzantine() const
    {
        return m_byzantine;
    }

    /// @return number of the replica
    uint32_t GetId() const
    {
        return m_id;
    }

    /// @return number of replicas
    uint32_t GetGroupSize() const
    {
        return m_addresses.size();
    }

    /// @return interceptor of its messages
    Ptr<Interceptor> GetInterceptor() const
    {
        return m_interceptor;
    }

    /**
     * @param packet A message.
     * @return the message in one line; by default its length
     */
    virtual std::string Describe(Ptr<const Packet> packet) const
    {
        return std::to_string(packet->GetSize()) + " bytes";
    }

    /**
     * TracedCallback signature of Send.
     * @param [in] to number of the receiving replica
     * @param [in] packet the message
     */
    typedef void (*SendTracedCallback)(uint32_t to, Ptr<const Packet> packet);

    /**
     * TracedCallback signature of Event.
     * @param [in] event act of the replica
     */
    typedef void (*EventTracedCallback)(const ReplicaEvent& event);

    /**
     * TracedCallback signature of Failure.
     * @param [in] reason message of the exception
     */
    typedef void (*FailureTracedCallback)(const std::string& reason);

  protected:
    /**
     * Begin from the stored state.
     *
     * @param storage Disk of the replica.
     */
    virtual void Recover(Ptr<StableStorage> storage) = 0;

    virtual void Forget() = 0; //!< Lose all state that is not stored
    virtual void OnTick() = 0; //!< React to a tick of the clock

    /**
     * React to a request of a client.
     *
     * @param request Number of the request.
     * @return whether the request is taken
     */
    virtual bool OnSubmit(uint32_t request) = 0;

    /**
     * React to a message.
     *
     * @param from Number of the sending replica.
     * @param packet The message.
     */
    virtual void OnMessage(uint32_t from, Ptr<const Packet> packet) = 0;

    /// React to becoming Byzantine; by default nothing changes.
    virtual void OnByzantine()
    {
    }

    /// React to SetClockError() of a running process; by default nothing changes.
    virtual void OnClockSet()
    {
    }

    /**
     * @param storage Disk of the replica.
     * @return the state; the caller adds whether the replica runs and is Byzantine
     */
    virtual ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const = 0;

    /**
     * @return an empty disk
     */
    virtual Ptr<StableStorage> MakeStorage() const = 0;

    /**
     * Announce an effect of the process: a write, message or event. The process may be killed
     * before it; then this throws ProcessKilled.
     */
    void BeforeEffect();

    /**
     * @return the number of effects before the process is killed in the present call; none: the
     * process survives the call
     */
    std::optional<uint32_t> CountEffectsLeft() const
    {
        return m_isLastCall ? std::optional(m_crashPoint->effects) : std::nullopt;
    }

    /**
     * Send a message to another replica.
     *
     * @param to Number of the replica.
     * @param packet The message.
     */
    void Send(uint32_t to, Ptr<Packet> packet);

    /**
     * Report an act to observers.
     *
     * @param event The act; the replica is added.
     */
    void Note(ReplicaEvent event);

    /**
     * Report an answer to a client to observers.
     *
     * @param request Number of the request.
     * @param log Log of the replica, whose first entries are executed.
     * @param done Number of executed entries; the request need not be among them.
     */
    void Answer(uint32_t request, const std::vector<ReplicaEntry>& log, std::size_t done);

    /// @return whether clients expect answers
    bool AnswersClients() const
    {
        return m_answers;
    }

    void DoDispose() override;
    void StartApplication() override;

    void StopApplication() override
    {
        Crash();
    }

  private:
    /// A point at which the process is killed.
    struct CrashPoint
    {
        uint32_t calls;   //!< Calls before the last one
        uint32_t effects; //!< Effects of the last call
    };

    /**
     * Call the protocol; if it throws, the process crashes.
     *
     * @param step The function to call.
     */
    void Run(const std::function<void()>& step);

    /**
     * Pass a message to the network.
     *
     * @param socket Sending socket.
     * @param to Number of the receiving replica.
     * @param packet The message.
     */
    void Transmit(Ptr<Socket> socket, uint32_t to, Ptr<Packet> packet) const
    {
        socket->SendTo(packet, 0, InetSocketAddress(m_addresses.at(to - 1), m_port));
    }

    /**
     * Hold arrived messages.
     *
     * @param socket The socket.
     */
    void HandleRead(Ptr<Socket> socket);

    /**
     * Deliver a released message.
     *
     * @param from Number of the sending replica.
     * @param packet The message.
     */
    void Deliver(uint32_t from, Ptr<const Packet> packet)
    {
        Run([&] { OnMessage(from, packet); });
    }

    bool m_autoStart;                                        //!< The process starts by itself
    bool m_answers;                                          //!< Whether clients expect answers
    std::string m_bug;                                       //!< Name of the seeded bug
    uint16_t m_port;                                         //!< UDP port of all replicas
    Time m_jitter;                                           //!< Maximum extra delay of a message
    double m_duplication;                                    //!< Probability of a second copy
    bool m_disturbed{true};                                  //!< Delays and copies are random
    Time m_clockError{};                                     //!< Error of the machine's clock
    uint32_t m_id{0};                                        //!< Number of this replica
    bool m_byzantine{false};                                 //!< Whether the replica is Byzantine
    uint64_t m_sent{0};                                      //!< Messages so far
    std::vector<Ipv4Address> m_addresses;                    //!< Addresses of all replicas
    std::map<Ipv4Address, uint32_t> m_senders;               //!< Numbers of replicas
    Ptr<StableStorage> m_storage;                            //!< The disk
    Ptr<Interceptor> m_interceptor;                          //!< Interceptor of arriving messages
    Ptr<Socket> m_socket;                                    //!< Socket, while the process runs
    Ptr<Socket> m_delayed;                                   //!< Sends delayed messages
    std::optional<CrashPoint> m_crashPoint;                  //!< Where the process is killed
    bool m_isLastCall{false};                                //!< The process is killed in this call
    Ptr<UniformRandomVariable> m_draw;                       //!< Draws delays and copies
    TracedCallback<uint32_t, Ptr<const Packet>> m_sendTrace; //!< A message leaves
    TracedCallback<const ReplicaEvent&> m_eventTrace;        //!< Acts of the replica
    TracedCallback<const std::string&> m_failureTrace;       //!< Crashes without a command
};

} // namespace ns3

#endif // REPLICA_APPLICATION_H
