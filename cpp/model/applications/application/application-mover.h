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
 * @brief Moves the RlApplication that it is aggregated to, at the price of sending its state.
 *
 * The state is so many bytes without content, sent through the simulated network as one TCP stream
 * from the old node to the new one; RlApplication::MoveTo() follows when all of it has arrived.
 * Meanwhile the application works on at the old node, or is paused. Without state it moves at once.
 *
 * The newest order counts: another one while a move is under way takes its place, and the state is
 * sent anew, to the other node; an order to the node where the application is calls the move off. A
 * move whose connection fails leaves the application where it is.
 *
 * The infos of an agent that has a mover contain GetInfo().
 */
class ApplicationMover : public Object
{
  public:
    /// The application's behaviour while its state is on the way.
    enum Strategy
    {
        LIVE,          //!< It works on at the old node
        STOP_AND_COPY, //!< It is paused; see RlApplication::Pause()
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ApplicationMover();
    ~ApplicationMover() override;

    /**
     * @brief Begin a move, unless the application goes there already.
     * @param node where to
     * @param address the address to use there; without it one of the node's
     */
    void MoveTo(Ptr<Node> node, const Address& address = {});

    /**
     * @brief Tell where the application goes to.
     * @return the node of the move under way, or that of the application
     */
    Ptr<Node> GetDestination() const;

    bool IsUnderWay() const;            //!< @return whether state is on its way
    uint64_t GetCompletedCount() const; //!< @return number of moves that were made
    uint64_t GetReplacedCount() const;  //!< @return number of moves that another order ended
    uint64_t GetFailedCount() const;    //!< @return number of moves whose connection failed

    /**
     * @brief Tell about the moves so far.
     * @return `moves/node` (id of the application's node), `moves/node_name` (if ns3::Names has
     * one), `moves/completed`, `moves/replaced`, `moves/failed`, `moves/under_way` (0 or 1), and
     * `moves/duration` (of the last completed one, in seconds), which is 0 before the first
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

    Ptr<RlApplication> GetApplication() const; //!< @return whom it moves

    /// Connect both nodes, and send the state.
    void SendState();

    /**
     * @brief Move, or stay if the state is lost.
     * @param message the state, which has arrived at one end or is lost at the other
     */
    void FinishTransfer(const ChannelMessage& message);

    /// Close the connection, whose ends nobody watches any more.
    void Disconnect();

    /**
     * @brief Have the application move, and count that.
     * @param node where to
     * @param address the address to use there
     */
    void Complete(Ptr<Node> node, const Address& address);

    void CallOff();           //!< End the move under way where it began
    void ResumeApplication(); //!< Undo what the strategy has done to it, unless it moves again

    uint64_t m_stateBytes;                              //!< Size of the state
    Strategy m_strategy;                                //!< The application's behaviour meanwhile
    Ptr<Node> m_destination;                            //!< Of the move under way, or null
    Address m_address;                                  //!< To use there
    bool m_hasPaused{false};                            //!< The strategy has paused the application
    Time m_begin;                                       //!< Of the move under way
    Time m_duration;                                    //!< Of the last move that was made
    uint64_t m_completed{0};                            //!< Moves that were made
    uint64_t m_replaced{0};                             //!< Moves that another order ended
    uint64_t m_failed{0};                               //!< Moves whose connection failed
    RlApplicationId m_watched;                          //!< As whom both ends are watched
    Ptr<SocketChannelInterface> m_sender;               //!< On the old node, during a move
    Ptr<SocketChannelInterface> m_receiver;             //!< On the new node, during a move
    TracedCallback<Ptr<Node>, Ptr<Node>> m_beginTrace;  //!< A move begins
    TracedCallback<Ptr<Node>, Ptr<Node>> m_cancelTrace; //!< A move ends where it began
};

} // namespace ns3

#endif /* APPLICATION_MOVER_H */
