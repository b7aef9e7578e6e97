// SPDX-License-Identifier: GPL-2.0-only

#ifndef PER_ACK_CONTROL_H
#define PER_ACK_CONTROL_H

#include "ns3/tcp-congestion-ops.h"

#include <functional>
#include <optional>

namespace ns3
{

/**
 * @brief The questions of TCP to a congestion control.
 */
struct CongestionQuestion
{
    /// Which number is asked for.
    enum Call
    {
        SS_THRESH, //!< Slow start threshold, after a loss
        WINDOW,    //!< Congestion window, after an acknowledgement
    };

    Call call;                             //!< Which number
    uint32_t segmentsAcked;                //!< WINDOW: by this acknowledgement
    uint32_t bytesInFlight;                //!< SS_THRESH: as TCP counts them there
    Ptr<const TcpSocketState> socketState; //!< Of the sender
};

/**
 * @brief The pair that answers: which of its numbers holds depends on the call.
 */
struct CongestionAnswer
{
    uint32_t ssThresh; //!< Slow start threshold in bytes
    uint32_t cWnd;     //!< Congestion window in bytes
};

/**
 * @brief A congestion control that asks somebody for each number that TCP needs, within TCP's call.
 * Where nobody answers, it is NewReno.
 */
class PerAckControl : public TcpNewReno
{
  public:
    /// Answers a question, or does not.
    using Decider = std::function<std::optional<CongestionAnswer>(const CongestionQuestion&)>;

    /**
     * @param decider Is asked from now on.
     */
    void SetDecider(Decider decider);

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    void DoDispose() override;

    /**
     * @param question The question of TCP.
     * @return the answer; nothing: nobody answers
     */
    std::optional<CongestionAnswer> Ask(const CongestionQuestion& question) const;

    Decider m_decider; //!< Is asked; empty: nobody is
};

} // namespace ns3

#endif // PER_ACK_CONTROL_H
