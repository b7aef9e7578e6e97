// SPDX-License-Identifier: GPL-2.0-only

#ifndef MOVER_TEST_SUPPORT_H
#define MOVER_TEST_SUPPORT_H

#include "communication-test-support.h"

#include "ns3/enum.h"
#include "ns3/move-helper.h"
#include "ns3/uinteger.h"

/**
 * @ingroup defiance-tests
 * @brief An agent on the middle one of three nodes observes the first one, and has a mover.
 */
class MoverTestCase : public HelperTestCase
{
  protected:
    using HelperTestCase::HelperTestCase;

    /**
     * @brief Install and connect everything.
     * @param stateBytes size of the state
     * @param strategy the agent's behaviour during moves
     */
    void Prepare(uint32_t stateBytes,
                 ns3::ApplicationMover::Strategy strategy = ns3::ApplicationMover::LIVE)
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), ns3::SocketCommunicationAttributes{}},
             {rewards.GetId(0), agents.GetId(0)},
             {actions.GetId(0), agents.GetId(0)}});
        communication.Configure();
        observer = Get<ManualObservation>(observers);
        agent = Get<RecordingAgent>(agents);
        ns3::MoveHelper helper;
        helper.SetAttribute("StateBytes", ns3::UintegerValue(stateBytes));
        helper.SetAttribute("Strategy", ns3::EnumValue(strategy));
        mover = helper.Install(agent);
        agent->TraceConnectWithoutContext("Move",
                                          ns3::MakeCallback(&MoverTestCase::NoteMove, this));
        mover->TraceConnectWithoutContext("Begin",
                                          ns3::MakeCallback(&MoverTestCase::NoteBegin, this));
        mover->TraceConnectWithoutContext("Cancel",
                                          ns3::MakeCallback(&MoverTestCase::NoteCancel, this));
        // From the middle node to the last one.
        topology->devices.Get(2)->TraceConnectWithoutContext(
            "PhyTxEnd",
            ns3::MakeCallback(&MoverTestCase::NoteBytes, this));
    }

    /**
     * @brief Run the simulation without destroying it.
     * @param duration duration of the run
     * @return the log of moves: "begin 1-2, move 1-2"
     */
    std::string Run(ns3::Time duration)
    {
        ns3::Simulator::Stop(duration);
        ns3::Simulator::Run();
        return m_log;
    }

    ns3::Ptr<ManualObservation> observer;  //!< Application on the first node
    ns3::Ptr<RecordingAgent> agent;        //!< Agent, on the middle node at first
    ns3::Ptr<ns3::ApplicationMover> mover; //!< Mover of the agent
    uint64_t bytes{0};                     //!< Bytes from the middle node to the last one
    ns3::Time moved;                       //!< Time of the last completed move

  private:
    /**
     * @brief Write into the log.
     * @param what the event
     * @param from the old node
     * @param to the new node
     */
    void Note(const std::string& what, ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to)
    {
        m_log += (m_log.empty() ? "" : ", ") + what + " " + std::to_string(from->GetId()) + "-" +
                 std::to_string(to->GetId());
    }

    /**
     * @brief Note a completed move.
     * @param from the old node
     * @param to the new node
     */
    void NoteMove(ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to)
    {
        moved = ns3::Simulator::Now();
        Note("move", from, to);
    }

    /**
     * @brief Note the begin of a move.
     * @param from the old node
     * @param to the new node
     */
    void NoteBegin(ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to)
    {
        Note("begin", from, to);
    }

    /**
     * @brief Note a cancelled move.
     * @param from the old node
     * @param to the new node
     */
    void NoteCancel(ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to)
    {
        Note("cancel", from, to);
    }

    /**
     * @brief Count the bytes on a link.
     * @param packet a packet with its headers
     */
    void NoteBytes(ns3::Ptr<const ns3::Packet> packet)
    {
        bytes += packet->GetSize();
    }

    std::string m_log; //!< Log of the moves
};

#endif /* MOVER_TEST_SUPPORT_H */
