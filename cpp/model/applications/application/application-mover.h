// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_MOVER_H
#define APPLICATION_MOVER_H

#include "ns3/address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/opengym-info.h"
#include "ns3/rl-application-id.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

class Node;
class RlApplication;
class SocketChannelInterface;
struct ChannelMessage;

/**
 * @ingroup defiance
 *
 * @brief Moves its aggregated RlApplication, at the price of sending the application's state.
 *
 * The state is a number of bytes without content, sent through the simulated network as one TCP
 * stream from the old node to the new one. When all bytes have arrived, RlApplication::MoveTo()
 * follows. Until then the application continues at the old node, or is paused.
 *
 * The newest order counts. A new order during a move replaces the move, and the state is sent
 * again, to the new destination; an order to the application's node cancels the move. If a
 * connection fails, the application stays at its node.
 *
 * The infos of an agent with a mover contain GetInfo().
 */
class ApplicationMover : public Object
{
  public:
    /// The application's behaviour while its state is under way.
    enum Strategy
    {
        LIVE,          //!< The application continues at the old node
        STOP_AND_COPY, //!< The application is paused; see RlApplication::Pause()
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ApplicationMover();
    ~ApplicationMover() override;

    /**
     * @brief Begin a move, unless the application is moving to that node already.
     * @param node destination
     * @param address address at the destination; without it an address of the node
     */
    void MoveTo(Ptr<Node> node, const Address& address = {});

    /**
     * @brief Get the destination of the application.
     * @return the destination of the move under way, or the application's node
     */
    Ptr<Node> GetDestination() const;

    /// @return whether a move is under way
    bool IsUnderWay() const
    {
        return m_destination != nullptr;
    }

    /**
     * @brief Get statistics of the moves so far.
     * @return `moves/node` (id of the application's node), `moves/node_name` (if ns3::Names has
     * one), `moves/completed`, `moves/replaced`, `moves/failed`, `moves/under_way` (0 or 1), and
     * `moves/duration` (of the last completed move, in seconds; 0 before)
     */
    OpenGymInfo GetInfo() const;

    /**
     * TracedCallback signature of Begin and Cancel.
     * @param [in] from the old node
     * @param [in] to the new node
     */
    typedef void (*MoveTracedCallback)(Ptr<Node> from, Ptr<Node> to);

  private:
    void DoDispose() override;

    Ptr<RlApplication> GetApplication() const; //!< @return the application to move

    /// Connect both nodes, and send the state.
    void SendState();

    /**
     * @brief Move, or stay if the state is lost.
     * @param message the state, which arrived at one end or was lost at the other
     */
    void FinishTransfer(const ChannelMessage& message);

    /// Close the connection, whose ends are not watched any more.
    void Disconnect();

    /**
     * @brief Move the application, and count the move.
     * @param node destination
     * @param address address at the destination
     */
    void Complete(Ptr<Node> node, const Address& address);

    /// End the move under way at the old node
    void Cancel();

    void ResumeApplication(); //!< Undo the strategy's effects, unless the application moves again

    uint64_t m_stateBytes;                              //!< Size of the state
    Strategy m_strategy;                                //!< The application's behaviour meanwhile
    Ptr<Node> m_destination;                            //!< Destination of the move, or null
    Address m_address;                                  //!< Address at the destination
    bool m_hasPaused{false};                            //!< The strategy has paused the application
    Time m_begin;                                       //!< Start of the move under way
    Time m_duration;                                    //!< Duration of the last completed move
    uint64_t m_completed{0};                            //!< Completed moves
    uint64_t m_replaced{0};                             //!< Moves that another order ended
    uint64_t m_failed{0};                               //!< Moves whose connection failed
    RlApplicationId m_watched;                          //!< Id by which both ends are watched
    Ptr<SocketChannelInterface> m_sender;               //!< Interface at the old node, in a move
    Ptr<SocketChannelInterface> m_receiver;             //!< Interface at the new node, in a move
    TracedCallback<Ptr<Node>, Ptr<Node>> m_beginTrace;  //!< A move begins
    TracedCallback<Ptr<Node>, Ptr<Node>> m_cancelTrace; //!< Moves that end at the old node
};

} // namespace ns3

#endif /* APPLICATION_MOVER_H */
