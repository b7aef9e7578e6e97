// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_REWARDS_H
#define HANDOVER_REWARDS_H

#include "handover-monitor.h"
#include "lte-meter.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Weights of throughput, handovers and lost links.
 */
struct HandoverRewardParameters
{
    std::string kind{"cooperative"}; //!< Kind: cooperative or competitive
    double handoverPrice{0.3};       //!< Price of a handover
    double failurePrice{2};          //!< Price of a lost link or a failed handover
};

/**
 * @brief Rewards of users for an interval: the received share of the user's traffic, at most 1,
 * minus the prices of handovers and failures.
 */
class HandoverRewards
{
  public:
    /**
     * @param parameters The weights.
     * @param monitor Handovers of users; it lives as long as the simulation.
     * @param meter Traffic of users; it lives as long as the simulation.
     * @param users Number of users.
     * @param demand Traffic to each user.
     */
    HandoverRewards(const HandoverRewardParameters& parameters,
                    const HandoverMonitor& monitor,
                    LteMeter& meter,
                    uint32_t users,
                    DataRate demand)
        : m_parameters(parameters),
          m_monitor(monitor),
          m_meter(meter),
          m_demand(demand.GetBitRate() / 1e6),
          m_accounts(users)
    {
    }

    /**
     * Measure the interval since the last call, unless that was at this instant.
     */
    void Measure()
    {
        if (m_measured == Simulator::Now())
        {
            return;
        }
        m_measured = Simulator::Now();
        m_meter.Measure();
        for (uint32_t i = 0; i < m_accounts.size(); i++)
        {
            auto& account = m_accounts[i];
            const auto& user = m_monitor.GetUser(i);
            account.earned = std::min(1., m_meter.GetThroughput(i) / m_demand) -
                             m_parameters.handoverPrice * (user.handovers - account.handovers) -
                             m_parameters.failurePrice * (user.failures - account.failures);
            account.handovers = user.handovers;
            account.failures = user.failures;
        }
    }

    /// @return reward of the user @param user number
    double GetOfUser(uint32_t user) const
    {
        return m_accounts[user].earned;
    }

    /// @return sum over its users @param cell number
    double GetOfCell(uint32_t cell) const
    {
        double sum = 0;
        for (uint32_t user = 0; user < m_accounts.size(); user++)
        {
            if (m_monitor.GetUser(user).last == cell)
            {
                sum += m_accounts[user].earned;
            }
        }
        return sum;
    }

    /// @return the mean over all users
    double GetMean() const
    {
        double sum = 0;
        for (const auto& account : m_accounts)
        {
            sum += account.earned;
        }
        return sum / m_accounts.size();
    }

  private:
    /// Rewards of a user.
    struct Account
    {
        uint32_t handovers{0}; //!< Handovers until the last interval
        uint32_t failures{0};  //!< Failures until the last interval
        double earned{0};      //!< Reward in the last interval
    };

    HandoverRewardParameters m_parameters; //!< Weights of rewards
    const HandoverMonitor& m_monitor;      //!< Handovers of users
    LteMeter& m_meter;                     //!< Traffic of users
    double m_demand;                       //!< Demand of each user, in Mb/s
    Time m_measured{-1};                   //!< End of the last interval
    std::vector<Account> m_accounts;       //!< Rewards of each user
};

} // namespace ns3

#endif // HANDOVER_REWARDS_H
