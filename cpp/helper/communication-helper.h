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
 * @brief A channel between two applications outside of the simulated network, through
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
 * @brief A channel between two applications through the simulated network, with
 * SocketChannelInterfaces.
 *
 * Addresses may be Ipv4Address, Ipv6Address, or with a port InetSocketAddress or
 * Inet6SocketAddress, or the text of one of these. A missing address is taken from
 * RlApplication::GetDefaultAddress(), in the IP version of the other address; if both are missing,
 * in a version that both nodes have.
 */
struct SocketCommunicationAttributes
{
    CommunicationAddress clientAddress{};           //!< Address of the client's node
    CommunicationAddress serverAddress{};           //!< Address of the server's node
    TypeId protocol{UdpSocketFactory::GetTypeId()}; //!< Socket factory: UDP, TCP
    Time connectTime{}; //!< Simulated time at which to connect; zero: the helper's connect time
};

/// The channel of two applications; {} means CommunicationAttributes.
using AnyCommunicationAttributes =
    std::variant<CommunicationAttributes, SocketCommunicationAttributes>;

/**
 * @ingroup defiance
 *
 * @brief An edge of the adjacency list: two applications, and their channel.
 */
struct CommunicationPair
{
    RlApplicationId clientId;                //!< Opens the connection
    RlApplicationId serverId;                //!< Accepts the connection
    AnyCommunicationAttributes attributes{}; //!< Attributes of the channel
};

/**
 * @ingroup defiance
 *
 * @brief Assigns ids to RlApplications, connects them and sets them up.
 *
 * Connect() takes applications in any order, and Configure() sets them up at the end.
 *
 * Alternatively, set the applications and call SetIds(). Then call AddCommunication() and
 * Configure(), in any order and any number of times, also while the simulation runs.
 */
class CommunicationHelper
{
  public:
    /**
     * @brief Create a helper.
     * @param useSimpleOnSameNode whether applications on one node always communicate outside of the
     * simulated network, without delay, even with socket attributes
     */
    explicit CommunicationHelper(bool useSimpleOnSameNode = false)
        : m_useSimpleOnSameNode(useSimpleOnSameNode)
    {
    }

    /**
     * @brief Connect applications: pairwise, one with all, or all with one.
     *
     * New applications are added first.
     *
     * @param clients applications that open the connections
     * @param servers applications that accept them; as many as clients, unless one number is 1
     * @param how the channels
     */
    void Connect(const RlApplicationContainer& clients,
                 const RlApplicationContainer& servers,
                 const AnyCommunicationAttributes& how = {});

    /**
     * @brief Add applications, each to its type, and number all added applications.
     * @param applications the applications; applications added before keep their position
     */
    void Add(const RlApplicationContainer& applications);

    /**
     * @brief Set all observation applications.
     * @param applications the applications
     */
    void SetObservationApps(const RlApplicationContainer& applications)
    {
        SetApps(ApplicationType::OBSERVATION, applications);
    }

    /**
     * @brief Set all reward applications.
     * @param applications the applications
     */
    void SetRewardApps(const RlApplicationContainer& applications)
    {
        SetApps(ApplicationType::REWARD, applications);
    }

    /**
     * @brief Set all agents.
     * @param applications the applications
     */
    void SetAgentApps(const RlApplicationContainer& applications)
    {
        SetApps(ApplicationType::AGENT, applications);
    }

    /**
     * @brief Set all action applications.
     * @param applications the applications
     */
    void SetActionApps(const RlApplicationContainer& applications)
    {
        SetApps(ApplicationType::ACTION, applications);
    }

    /**
     * @brief Set all training servers.
     * @param applications the applications
     */
    void SetTrainingServerApps(const RlApplicationContainer& applications)
    {
        SetApps(ApplicationType::TRAINING_SERVER, applications);
    }

    /**
     * @brief Set the time at which network channels without their own time connect.
     * @param connectTime simulated time, for example when all devices are attached
     */
    void SetConnectTime(Time connectTime)
    {
        m_connectTime = connectTime;
    }

    /**
     * @brief Number the applications of each type from 0, in the order of their container.
     *
     * Call it again after setting more applications.
     */
    void SetIds();

    /**
     * @brief Connect applications. A pair may be connected several times.
     * @param communicationPairs the pairs and their channels
     */
    void AddCommunication(const std::vector<CommunicationPair>& communicationPairs);

    /**
     * @brief Disconnect two applications and delete both ends of their channel.
     * @param localAppId first application
     * @param remoteAppId second application
     * @param localInterfaceId interface id of the channel at the first application
     * @param remoteInterfaceId interface id of the channel at the second application
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
    /// Both ends of a channel, the client's end first.
    using Channel = std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>;

    /**
     * @brief Set all applications of a type.
     * @param type the type
     * @param applications the applications
     */
    void SetApps(ApplicationType type, const RlApplicationContainer& applications);

    /**
     * @brief Abort unless SetIds() has been called.
     * @param caller name of the calling method
     */
    void RequireIds(const std::string& caller) const;

    /**
     * @brief Create and connect a channel outside of the simulated network.
     * @param attributes attributes of the channel
     * @return the channel
     */
    static Channel CreateSimpleChannel(const CommunicationAttributes& attributes);

    /**
     * @brief Create and connect a channel through the simulated network.
     * @param client application that opens the connection
     * @param server application that accepts the connection
     * @param attributes attributes of the channel
     * @return the channel
     */
    Channel CreateSocketChannel(Ptr<RlApplication> client,
                                Ptr<RlApplication> server,
                                const SocketCommunicationAttributes& attributes) const;

    bool m_useSimpleOnSameNode;                           //!< Same-node rule
    bool m_hasIds{false};                                 //!< Whether all have their ids
    Time m_connectTime;                                   //!< Default time of connections
    std::array<RlApplicationContainer, 5> m_applications; //!< Applications by type
    std::set<Ptr<RlApplication>> m_configured;            //!< Applications that are set up
};

} // namespace ns3

#endif /* COMMUNICATION_HELPER_H */
