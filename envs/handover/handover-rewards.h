// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_REWARDS_H
#define HANDOVER_REWARDS_H

#include "handover-monitor.h"
#include "lte-meter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What throughput is worth, and what handovers and lost links cost.
 */
struct HandoverRewardParameters
{
    std::string kind{"cooperative"}; //!< cooperative or competitive
    double handoverPrice{0.3};       //!< Of a handover
    double failurePrice{2};          //!< Of a lost radio link, or a failed handover
};

/**
 * @brief What users earn in an interval: the share of its traffic that has arrived, at most 1,
 * less the prices of what has happened.
 */
class HandoverRewards
{
  public:
    /**
     * @param parameters What things are worth.
     * @param monitor What has become of users; it lives as long as the simulation.
     * @param meter What has arrived; it lives as long as the simulation.
     * @param users Number of users.
     * @param demand Traffic to each user.
     */
    HandoverRewards(const HandoverRewardParameters& parameters,
                    const HandoverMonitor& monitor,
                    LteMeter& meter,
                    uint32_t users,
                    DataRate demand);

    /**
     * Take what happened since the last time, unless that was in this instant.
     */
    void Measure();

    double GetOfUser(uint32_t user) const; //!< @return what it earned @param user which
    double GetOfCell(uint32_t cell) const; //!< @return the sum over its users @param cell which
    double GetMean() const;                //!< @return the mean over all users

  private:
    /// What a user has earned.
    struct Account
    {
        uint32_t handovers{0}; //!< Until the last interval
        uint32_t failures{0};  //!< Until the last interval
        double earned{0};      //!< In the last interval
    };

    HandoverRewardParameters m_parameters; //!< What things are worth
    const HandoverMonitor& m_monitor;      //!< What has become of users
    LteMeter& m_meter;                     //!< What has arrived
    double m_demand;                       //!< Of each user, in Mb/s
    Time m_measured{-1};                   //!< When the last interval ended
    std::vector<Account> m_accounts;       //!< Of each user
};

} // namespace ns3

#endif // HANDOVER_REWARDS_H
