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
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One replica of a replicated service, on its node: a process that can crash and be started
 * again, and that exchanges UDP datagrams with the other replicas.
 *
 * A protocol is a subclass. It keeps all that a crash destroys in an object that Recover() makes
 * and Forget() deletes, and all that must outlive it in a StableStorage. Its clock is Tick(): it
 * schedules no events. An Interceptor holds arriving messages until they are released.
 *
 * An exception that a protocol throws is a bug of it, and a crash of the process; trace source
 * Failure tells of it.
 *
 * Replicas are numbered from 1 on.
 */
class ReplicaApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReplicaApplication();
    ~ReplicaApplication() override;

    /**
     * Say who the replicas are.
     *
     * @param id Number of this one.
     * @param addresses Addresses of all replicas, in the order of their numbers.
     */
    void SetGroup(uint32_t id, const std::vector<Ipv4Address>& addresses);

    void Tick(); //!< Let one unit of its clock pass; a stopped replica has none

    /**
     * Hand over a request of a client.
     *
     * @param request Number of the request, from 1 on.
     * @return whether the replica runs, and has taken it
     */
    bool Submit(uint32_t request);

    /**
     * Kill the process: its socket is closed, what it has not stored is lost, and what is held for
     * it is discarded.
     */
    void Crash();

    /// Start the process again, from what is stored. If it runs, nothing happens.
    void Restart();

    /// Start the process for the first time, with an empty disk.
    void Reset();

    /**
     * @param disturbed Whether its messages are late and sent twice by chance, as attributes Jitter
     * and Duplication say; at first they are.
     */
    void SetDisturbed(bool disturbed);

    /// From now on, do what the protocol forbids; a restart changes nothing of that.
    void BecomeByzantine();

    /**
     * @return its state, or of a stopped replica what it has stored
     */
    ReplicaState Snapshot() const;

    const std::string& GetBug() const;       //!< @return name of its seeded bug; empty: none
    bool IsActive() const;                   //!< @return whether the process runs
    bool IsByzantine() const;                //!< @return whether it may do what is forbidden
    uint32_t GetId() const;                  //!< @return its number
    uint32_t GetGroupSize() const;           //!< @return number of replicas
    Ptr<Interceptor> GetInterceptor() const; //!< @return what holds its messages

    /**
     * @param packet A message.
     * @return what it says, in a line; by default how long it is
     */
    virtual std::string Describe(Ptr<const Packet> packet) const;

    /**
     * TracedCallback signature of Send.
     * @param [in] to number of the replica that the message is for
     * @param [in] packet the message
     */
    typedef void (*SendTracedCallback)(uint32_t to, Ptr<const Packet> packet);

    /**
     * TracedCallback signature of Event.
     * @param [in] event what it has done
     */
    typedef void (*EventTracedCallback)(const ReplicaEvent& event);

    /**
     * TracedCallback signature of Failure.
     * @param [in] reason what the exception says
     */
    typedef void (*FailureTracedCallback)(const std::string& reason);

  protected:
    /**
     * Begin, from what is stored.
     *
     * @param storage Its disk.
     */
    virtual void Recover(Ptr<StableStorage> storage) = 0;

    virtual void Forget() = 0; //!< Lose all that is not stored
    virtual void OnTick() = 0; //!< React to its clock

    /**
     * React to a request of a client.
     *
     * @param request Number of the request.
     * @return whether it is taken
     */
    virtual bool OnSubmit(uint32_t request) = 0;

    /**
     * React to a message.
     *
     * @param from Number of the replica that sent it.
     * @param packet The message.
     */
    virtual void OnMessage(uint32_t from, Ptr<const Packet> packet) = 0;

    /// React to that it is Byzantine from now on; by default nothing changes.
    virtual void OnByzantine();

    /**
     * @param storage Its disk.
     * @return its state; who runs and who is Byzantine is added by the caller
     */
    virtual ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const = 0;

    /**
     * @return an empty disk
     */
    virtual Ptr<StableStorage> MakeStorage() const = 0;

    /**
     * Send a message to another replica.
     *
     * @param to Its number.
     * @param packet The message.
     */
    void Send(uint32_t to, Ptr<Packet> packet);

    /**
     * Tell those who watch of something that it has done.
     *
     * @param event The text; the replica is added.
     */
    void Note(ReplicaEvent event);

    /**
     * Tell those who watch what it answers a client.
     *
     * @param request Number of the request.
     * @param log Its log, whose first entries are done.
     * @param done How many; the request need not be one of them.
     */
    void Answer(uint32_t request, const std::vector<ReplicaEntry>& log, std::size_t done);

    bool AnswersClients() const; //!< @return whether anybody wants answers

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

  private:
    /**
     * Let the protocol do something; if it throws, the process crashes.
     *
     * @param step The act.
     */
    void Run(const std::function<void()>& step);

    /**
     * Hand a message to the network.
     *
     * @param socket Socket of the process that sends it; closed if that has crashed since.
     * @param to Number of the replica that it is for.
     * @param packet The message.
     */
    void Transmit(Ptr<Socket> socket, uint32_t to, Ptr<Packet> packet) const;

    /**
     * Hold what has arrived.
     *
     * @param socket Where.
     */
    void HandleRead(Ptr<Socket> socket);

    /**
     * Pass on what is released.
     *
     * @param from Number of the replica that sent it.
     * @param packet The message.
     */
    void Deliver(uint32_t from, Ptr<const Packet> packet);

    bool m_autoStart;                                        //!< The process starts by itself
    bool m_answers;                                          //!< Somebody wants answers
    std::string m_bug;                                       //!< Name of its seeded bug
    uint16_t m_port;                                         //!< UDP port of all replicas
    Time m_jitter;                                           //!< Longest extra delay of a message
    double m_duplication;                                    //!< Probability of a second copy
    bool m_disturbed{true};                                  //!< Both are so by chance
    uint32_t m_id{0};                                        //!< Number of this one
    bool m_byzantine{false};                                 //!< It may do what is forbidden
    uint64_t m_sent{0};                                      //!< Messages so far
    std::vector<Ipv4Address> m_addresses;                    //!< Of all replicas
    std::map<Ipv4Address, uint32_t> m_senders;               //!< Numbers of replicas
    Ptr<StableStorage> m_storage;                            //!< The disk
    Ptr<Interceptor> m_interceptor;                          //!< Holds what arrives
    Ptr<Socket> m_socket;                                    //!< Open while the process runs
    Ptr<UniformRandomVariable> m_draw;                       //!< Draws delays and copies
    TracedCallback<uint32_t, Ptr<const Packet>> m_sendTrace; //!< A message leaves
    TracedCallback<const ReplicaEvent&> m_eventTrace;        //!< It has done something
    TracedCallback<const std::string&> m_failureTrace;       //!< It has crashed by itself
};

} // namespace ns3

#endif // REPLICA_APPLICATION_H
