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
    uint32_t ticksPerPartition{3};        //!< Ticks of a step that partitions
    uint32_t mostMessages{MOST_MESSAGES}; //!< Delivered or dropped before one tick
    uint32_t staySameUpto{2};             //!< Largest repeat count
    bool withCrashes{true};               //!< Replicas may be stopped
    uint32_t mostInactive{1};             //!< Stopped at once; 0: no bound
    uint32_t crashLimit{3};               //!< Stops in an episode
    bool withByzantine{false};            //!< Replicas may become Byzantine
    uint32_t mostByzantine{0};            //!< Byzantine in an episode
    bool withDelays{false};               //!< Messages may be delayed
    uint32_t requests{5};                 //!< Of clients, in an episode
    uint32_t horizon{25};                 //!< Steps in an episode
    uint32_t mostBlocks{0};               //!< In a partition; 0: as many as replicas
    uint32_t noProgressTicks{200};        //!< Ticks without progress that are reported; 0: never
    bool stopsOnViolation{true};          //!< A violation ends the episode
    bool roles{false};                    //!< Client, crasher and partitioner are three agents
    std::string painter{"default"};       //!< See Painter; default: that of the protocol
    std::string boundary;                 //!< `field:largest,...`: beyond it, the episode is cut
    std::string delivery{"pool"};         //!< pool or network
    std::string dropRule{"every_tick"};   //!< every_tick, first_tick or hold
    std::string illegalActions{"refuse"}; //!< refuse or keep
    std::string infos{"all"};             //!< all or hashes
    bool actionHashes{false};             //!< Infos have hashes of actions
    bool histories{false};                //!< Infos have the requests of clients, and the responses
    bool messageEvents{false};            //!< Infos have the fate of each message
    std::string healing{"never"};         //!< never, at_end, on_demand or both
    uint32_t healingTicks{0};             //!< Of a healing phase; 0: what the protocol needs
    uint32_t healingEvery{1};             //!< Of so many episodes one is healed at its end
    Time tick{MilliSeconds(10)};          //!< Simulated time of a tick

    bool Heals() const;         //!< @return whether there are healing phases
    bool HealsOnDemand() const; //!< @return whether a tester may heal the replicas at any step
    bool HealsAtEnd() const;    //!< @return whether this episode ends with a healing phase

    /**
     * Declare them as parameters of a scenario.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * Look at the values together.
     *
     * @param protocol Protocol of the replicas.
     * @return what is wrong with them, and what would be right; or an empty string
     */
    std::string FindContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @param protocol Protocol of the replicas.
     * @return what is seen of them
     */
    std::string GetPainter(const ReplicaProtocol& protocol) const;

    /**
     * Read the boundary.
     *
     * @param protocol Protocol of the replicas.
     * @param [out] fault What is wrong with it, and what would be right; or an empty string.
     * @return the largest value within it, by position in ReplicaState::values
     */
    std::map<std::size_t, int64_t> ReadBoundary(const ReplicaProtocol& protocol,
                                                std::string& fault) const;

  private:
    /**
     * @param simulation Where what an agent sees is declared.
     */
    void DeclareViews(RlSimulation& simulation);

    /**
     * @param simulation Where healing phases are declared.
     */
    void DeclareHealing(RlSimulation& simulation);

    /**
     * @param protocol Protocol of the replicas.
     * @return what is wrong with healing phases, or an empty string
     */
    std::string FindHealingContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @param protocol Protocol of the replicas.
     * @return what is wrong with faults that may be injected, or an empty string
     */
    std::string FindFaultsContradiction(const ReplicaProtocol& protocol) const;

    /**
     * @return what is wrong with how messages are delivered, or an empty string
     */
    std::string FindDeliveryContradiction() const;
};

} // namespace ns3

#endif // TESTER_PARAMETERS_H
