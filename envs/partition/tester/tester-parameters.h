// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_PARAMETERS_H
#define TESTER_PARAMETERS_H

#include "replica-protocol.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The actions and observations of a tester.
 */
struct TesterParameters
{
    static constexpr uint32_t MOST_MESSAGES = 100; //!< Default of mostMessages

    uint32_t replicas{3};                 //!< Number of replicas
    uint32_t ticksPerPartition{3};        //!< Ticks of a step with a partition
    uint32_t mostMessages{MOST_MESSAGES}; //!< Messages delivered or dropped before a tick
    uint32_t staySameUpto{2};             //!< Largest repeat count
    bool withCrashes{true};               //!< Replicas may be stopped
    uint32_t mostInactive{1};             //!< Replicas stopped at once; 0: no limit
    uint32_t crashLimit{3};               //!< Maximum stops in an episode
    bool withByzantine{false};            //!< Replicas may become Byzantine
    uint32_t mostByzantine{0};            //!< Maximum of Byzantine replicas in an episode
    bool withDelays{false};               //!< Messages may be delayed
    Time largestJump{0};                  //!< Largest jump of a clock; 0: no clock jumps
    uint32_t requests{5};                 //!< Requests of clients in an episode
    uint32_t horizon{25};                 //!< Steps of an episode
    uint32_t mostBlocks{0};               //!< Maximum number of blocks; 0: as many as replicas
    uint32_t noProgressTicks{200};        //!< Reported ticks without progress; 0: never
    bool stopsOnViolation{true};          //!< A violation ends the episode
    bool roles{false};                    //!< Whether three roles are three agents
    std::string painter{"default"};       //!< See Painter; default: the protocol's
    std::string boundary;                 //!< `field:largest,...`: limits of the episode
    std::string crashPoint{"any"};        //!< Point of a tick: any or start
    std::string delivery{"pool"};         //!< Delivery: pool or network
    std::string dropRule{"every_tick"};   //!< Rule: every_tick, first_tick or hold
    std::string illegalActions{"refuse"}; //!< Rule: refuse or keep
    std::string infos{"all"};             //!< Kind: all or hashes
    bool actionHashes{false};             //!< Whether infos have hashes of actions
    bool histories{false};                //!< Whether infos have clients' requests and responses
    bool messageEvents{false};            //!< Whether infos have the fate of each message
    std::string healing{"never"};         //!< Healing: never, at_end, on_demand or both
    uint32_t healingTicks{0};             //!< Ticks without progress; 0: the protocol's number
    uint32_t stableTicks{0};              //!< Ticks of stability; 0: the protocol's number
    uint32_t healingEvery{1};             //!< Each n-th episode heals at its end
    Time tick{MilliSeconds(10)};          //!< Simulated time of a tick

    std::string consistency{"linearizability"}; //!< The guarantee that Python checks histories for

    /// @return whether crashes have a drawn point in a tick
    bool CrashesAnywhere() const
    {
        return crashPoint == "any";
    }

    /// @return whether clocks jump
    bool ClocksJump() const
    {
        return !largestJump.IsZero();
    }

    /// @return whether healing is enabled
    bool Heals() const
    {
        return healing != "never";
    }

    /// @return whether a tester may heal at any step
    bool HealsOnDemand() const
    {
        return healing == "on_demand" || healing == "both";
    }

    bool HealsAtEnd() const; //!< @return whether the episode ends with healing

    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * Check the values together.
     *
     * @param protocol Protocol of the replicas.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @param protocol Protocol of the replicas.
     * @return the description of the painter
     */
    std::string GetPainter(const ReplicaProtocol& protocol) const
    {
        return painter == "default" ? protocol.GetDefaultPainter() : painter;
    }

    /**
     * Read the boundary.
     *
     * @param protocol Protocol of the replicas.
     * @param [out] fault Set to a fault of the boundary, with its remedy; or an empty string.
     * @return the largest allowed value, by position in ReplicaState::values
     */
    std::map<std::size_t, int64_t> ReadBoundary(const ReplicaProtocol& protocol,
                                                std::string& fault) const;

  private:
    /**
     * @param simulation The scenario that declares the agent's observations.
     */
    void DeclareViews(RlSimulation& simulation);

    /**
     * @param simulation The scenario that declares healing phases.
     */
    void DeclareHealing(RlSimulation& simulation);

    /**
     * @param protocol Protocol of the replicas.
     * @return a contradiction between parameters of healing, or an empty string
     */
    std::string FindHealingContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @param protocol Protocol of the replicas.
     * @return a contradiction between parameters of faults, or an empty string
     */
    std::string FindFaultsContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @return a contradiction between parameters of delivery, or an empty string
     */
    std::string FindDeliveryContradiction() const;
};

} // namespace ns3

#endif // TESTER_PARAMETERS_H
