// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_ACTION_APP_H
#define FLOW_ACTION_APP_H

#include "interval-control.h"

#include "ns3/action-application.h"

namespace ns3
{

/**
 * @brief Changes the window, or the pacing rate, of its node's sender.
 *
 * A message is {"default": Discrete, or Box of 1 x float32}.
 *
 * | Discrete | window | pacing rate |
 * |---|---|---|
 * | 0 | half | half |
 * | 1 | a segment less | 5 % less |
 * | 2 | as it is | as it is |
 * | 3 | a segment more | 5 % more |
 * | 4 | double | double |
 *
 * A number a of a Box, from -1 to 1, multiplies by 2^a.
 */
class FlowActionApp : public ActionApplication
{
  public:
    static constexpr int64_t STEPS = 5; //!< Number of discrete actions

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param control What is changed; null: nothing is.
     * @param segmentSize In bytes.
     */
    void SetControl(Ptr<IntervalControl> control, uint32_t segmentSize);

  private:
    void DoDispose() override;
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;

    /**
     * Take a step.
     *
     * @param step Number of the action.
     */
    void Step(int64_t step);

    /**
     * Multiply.
     *
     * @param factor By what.
     */
    void Multiply(double factor);

    Ptr<IntervalControl> m_control; //!< What is changed
    uint32_t m_segmentSize{0};      //!< In bytes
};

} // namespace ns3

#endif // FLOW_ACTION_APP_H
