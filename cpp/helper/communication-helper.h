// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_HELPER_H
#define COMMUNICATION_HELPER_H

#include "ns3/communication-address.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-application-container.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/type-id.h"
#include "ns3/udp-socket-factory.h"

#include <array>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Two applications are to communicate outside of the simulated network, through
 * SimpleChannelInterfaces.
 */
struct CommunicationAttributes
{
    Time delay{};       //!< Time from sending a message until it arrives, in both directions
    double lossRate{0}; //!< Probability that a message does not arrive, in both directions
    Ptr<RandomVariableStream>
        jitter{};            //!< Seconds beyond the delay, drawn for each message; null: none
    bool synchronous{false}; //!< A message arrives before its sender continues, without delay
};

/**
 * @ingroup defiance
 *
 * @brief Two applications are to communicate through the simulated network, with
 * SocketChannelInterfaces.
 *
 * Addresses may be Ipv4Address, Ipv6Address, or with a port InetSocketAddress or
 * Inet6SocketAddress, or the text of one of these. If one is left out,
 * RlApplication::GetDefaultAddress() takes its place; the IP version is then that of the other
 * address, or if both are left out one that both nodes have.
 */
struct SocketCommunicationAttributes
{
    CommunicationAddress clientAddress{};           //!< Address of the client's node
    CommunicationAddress serverAddress{};           //!< Address of the server's node
    TypeId protocol{UdpSocketFactory::GetTypeId()}; //!< Socket factory: UDP, TCP
    Time connectTime{}; //!< Simulated time at which to connect; zero: the helper's connect time
};

/// How two applications communicate; {} means CommunicationAttributes.
using AnyCommunicationAttributes =
    std::variant<CommunicationAttributes, SocketCommunicationAttributes>;

/**
 * @ingroup defiance
 *
 * @brief An edge of the adjacency list: two applications that communicate, and how.
 */
struct CommunicationPair
{
    RlApplicationId clientId;                //!< Opens the connection
    RlApplicationId serverId;                //!< Accepts the connection
    AnyCommunicationAttributes attributes{}; //!< How they communicate
};

/**
 * @ingroup defiance
 *
 * @brief Gives RlApplications their ids, connects them and sets them up.
 *
 * Connect() takes the applications as they come, and Configure() sets them up at the end.
 *
 * Or the applications are set, and SetIds() is called. After that come AddCommunication() and
 * Configure(), in any order and as often as desired, also while the simulation runs.
 */
class CommunicationHelper
{
  public:
    /**
     * @brief Create a helper.
     * @param useSimpleOnSameNode whether two applications on one node always communicate outside of
     *        the simulated network, without delay, even if socket attributes are given for them
     */
    explicit CommunicationHelper(bool useSimpleOnSameNode = false);

    /**
     * @brief Connect applications: pairwise, one with all, or all with one.
     *
     * Applications that are new are added before.
     *
     * @param clients open the connections
     * @param servers accept them; as many as there are clients, unless one of both numbers is 1
     * @param how how they communicate
     */
    void Connect(const RlApplicationContainer& clients,
                 const RlApplicationContainer& servers,
                 const AnyCommunicationAttributes& how = {});

    /**
     * @brief Add applications, each to those of its type, and number all that have been added.
     * @param applications the applications; those that have been added before stay where they are
     */
    void Add(const RlApplicationContainer& applications);

    /**
     * @brief Set all observation applications.
     * @param applications the applications
     */
    void SetObservationApps(const RlApplicationContainer& applications);

    /**
     * @brief Set all reward applications.
     * @param applications the applications
     */
    void SetRewardApps(const RlApplicationContainer& applications);

    /**
     * @brief Set all agents.
     * @param applications the applications
     */
    void SetAgentApps(const RlApplicationContainer& applications);

    /**
     * @brief Set all action applications.
     * @param applications the applications
     */
    void SetActionApps(const RlApplicationContainer& applications);

    /**
     * @brief Set all training servers.
     * @param applications the applications
     */
    void SetTrainingServerApps(const RlApplicationContainer& applications);

    /**
     * @brief Set the time of connections through the network that do not have their own time.
     * @param connectTime simulated time, for example when all devices are attached
     */
    void SetConnectTime(Time connectTime);

    /**
     * @brief Number the applications of each type from 0, in the order of their container.
     *
     * After more applications were set, it is to be called again.
     */
    void SetIds();

    /**
     * @brief Connect applications. A pair may be connected several times.
     * @param communicationPairs whom, and how
     */
    void AddCommunication(const std::vector<CommunicationPair>& communicationPairs);

    /**
     * @brief Disconnect two applications and delete both ends of their channel.
     * @param localAppId one application
     * @param remoteAppId the other one
     * @param localInterfaceId interface id that the channel has at the first application
     * @param remoteInterfaceId interface id that the channel has at the other one
     */
    void DeleteCommunication(RlApplicationId localAppId,
                             RlApplicationId remoteAppId,
                             uint32_t localInterfaceId = 0,
                             uint32_t remoteInterfaceId = 0);

    /**
     * @brief Call Setup() of each application, once: observation, reward, agent, action
     * applications, then training servers.
     */
    void Configure();

    /**
     * @brief Get an application by its id.
     * @param id the id
     * @return the application
     */
    Ptr<RlApplication> GetApp(RlApplicationId id) const;

  private:
    /// Both ends of a channel, that of the client first.
    using Channel = std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>;

    /**
     * @brief Set all applications of a type.
     * @param type the type
     * @param applications the applications
     */
    void SetApps(ApplicationType type, const RlApplicationContainer& applications);

    /**
     * @brief Abort unless SetIds() has been called.
     * @param caller the method that needs ids
     */
    void RequireIds(const std::string& caller) const;

    /**
     * @brief Create and connect a channel outside of the simulated network.
     * @param attributes its attributes
     * @return the channel
     */
    static Channel CreateSimpleChannel(const CommunicationAttributes& attributes);

    /**
     * @brief Create and connect a channel through the simulated network.
     * @param client opens the connection
     * @param server accepts it
     * @param attributes its attributes
     * @return the channel
     */
    Channel CreateSocketChannel(Ptr<RlApplication> client,
                                Ptr<RlApplication> server,
                                const SocketCommunicationAttributes& attributes) const;

    bool m_useSimpleOnSameNode;                           //!< Same-node rule
    bool m_hasIds{false};                                 //!< Whether all have their ids
    Time m_connectTime;                                   //!< For connections without their own
    std::array<RlApplicationContainer, 5> m_applications; //!< By type
    std::set<Ptr<RlApplication>> m_configured;            //!< Whose Setup() was called
};

} // namespace ns3

#endif /* COMMUNICATION_HELPER_H */
