// SPDX-License-Identifier: GPL-2.0-only

#ifndef PER_ACK_CONTROL_H
#define PER_ACK_CONTROL_H

#include "ns3/tcp-congestion-ops.h"

#include <functional>
#include <optional>

namespace ns3
{

/**
 * @brief TCP's questions to a congestion control.
 */
struct CongestionQuestion
{
    /// The requested number.
    enum Call
    {
        SS_THRESH, //!< Slow start threshold, after a loss
        WINDOW,    //!< Congestion window, after an acknowledgement
    };

    Call call;                             //!< Kind of the decision
    uint32_t segmentsAcked;                //!< WINDOW: newly acknowledged segments
    uint32_t bytesInFlight;                //!< SS_THRESH: TCP's count
    Ptr<const TcpSocketState> socketState; //!< State of the sender's socket
};

/**
 * @brief The answer: the call determines which of its numbers is used.
 */
struct CongestionAnswer
{
    uint32_t ssThresh; //!< Slow start threshold in bytes
    uint32_t cWnd;     //!< Congestion window in bytes
};

/**
 * @brief A congestion control that calls a decider for each number that TCP needs, within TCP's
 * call. Without an answer, it is NewReno.
 */
class PerAckControl : public TcpNewReno
{
  public:
    /// Returns the answer to a question, or nothing.
    using Decider = std::function<std::optional<CongestionAnswer>(const CongestionQuestion&)>;

    /**
     * @param decider Called from now on.
     */
    void SetDecider(Decider decider);

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    void DoDispose() override;

    /**
     * @param question TCP's question.
     * @return the answer; nothing: no answer
     */
    std::optional<CongestionAnswer> Ask(const CongestionQuestion& question) const;

    Decider m_decider; //!< Decides; may be empty
};

} // namespace ns3

#endif // PER_ACK_CONTROL_H
