// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_APPLICATION_H
#define REPLICA_APPLICATION_H

#include "interceptor.h"
#include "replica-state.h"
#include "stable-storage.h"

#include "ns3/application.h"
#include "ns3/ipv4-address.h"
#include "ns3/packet.h"
#include "ns3/socket.h"

#include <cstdint>
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
 * and Crash() deletes, and all that must outlive it in a StableStorage. Its clock is Tick(): it
 * schedules no events of its own. What arrives is held by an Interceptor until somebody releases
 * it.
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
     * @param addresses Of all replicas, in the order of their numbers.
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
     * @return its state, or of a stopped replica what it has stored
     */
    ReplicaState Snapshot() const;

    bool IsActive() const;                   //!< @return whether the process runs
    uint32_t GetId() const;                  //!< @return its number
    uint32_t GetGroupSize() const;           //!< @return number of replicas
    Ptr<Interceptor> GetInterceptor() const; //!< @return what holds its messages

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

    /**
     * @param storage Its disk.
     * @return its state; attribute `active` is set by the caller
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

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

  private:
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

    uint16_t m_port;                           //!< UDP port of all replicas
    uint32_t m_id{0};                          //!< Number of this one
    std::vector<Ipv4Address> m_addresses;      //!< Of all replicas
    std::map<Ipv4Address, uint32_t> m_senders; //!< Numbers of replicas
    Ptr<StableStorage> m_storage;              //!< The disk
    Ptr<Interceptor> m_interceptor;            //!< Holds what arrives
    Ptr<Socket> m_socket;                      //!< Open while the process runs
};

} // namespace ns3

#endif // REPLICA_APPLICATION_H
