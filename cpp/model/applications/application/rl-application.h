// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_APPLICATION_H
#define RL_APPLICATION_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/channel-interface.h"
#include "ns3/rl-application-id.h"
#include "ns3/traced-callback.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// Channels by the number of the remote application, then by interface id.
using InterfaceMap = std::map<uint32_t, std::map<uint32_t, Ptr<ChannelInterface>>>;

/**
 * @ingroup defiance
 *
 * @brief Base class of the applications that observe, reward, decide and act.
 *
 * An application exchanges messages with others through channels. Several channels may lead to one
 * remote application; interface ids distinguish them. They count up from 0 for each remote
 * application; a new channel gets the highest id in use plus one.
 *
 * An application sends and reacts to messages only while it runs.
 */
class RlApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RlApplication()
        : RlApplication(ApplicationType::OBSERVATION)
    {
    }

    /**
     * @brief Create an application of a type.
     * @param type type of the application
     */
    explicit RlApplication(ApplicationType type)
        : m_id{type}
    {
    }

    ~RlApplication() override;

    /**
     * @brief Set the id, which cannot change any more after Setup().
     * @param id the id, unique in the simulation
     */
    void SetId(RlApplicationId id);

    /**
     * @brief Get the id.
     * @return the id
     */
    RlApplicationId GetId() const
    {
        return m_id;
    }

    /**
     * @brief Set the address that channels of this application use by default.
     * @param address an address of the node; without it an address of the node is found
     */
    void SetDefaultAddress(const Address& address)
    {
        m_defaultAddress = address;
    }

    /**
     * @brief Get the address that channels of this application use by default.
     *
     * If SetDefaultAddress() was not called, this is the first IPv4 address of the node. If the
     * node has no IPv4 address, it is the first global IPv6 address. Loopback addresses come last.
     *
     * @return the address, or an invalid one if the node has no Internet stack
     */
    Address GetDefaultAddress() const;

    /// @return the IPv4 address, or an invalid one
    Address GetDefaultIpv4Address() const;

    /// @return the IPv6 address, or an invalid one
    Address GetDefaultIpv6Address() const;

    /**
     * @brief Prepare for running. Attributes and id are set; channels may be.
     *
     * CommunicationHelper::Configure() calls this. At the start, applications that have not been
     * set up are set up. Overriding methods call the method of their parent; later calls have no
     * effect there.
     */
    virtual void Setup();

    /// @return whether Setup() has been called
    bool IsSetUp() const
    {
        return m_isSetUp;
    }

    /**
     * @brief Return whether the application may send and react.
     * @return true between start and stop, unless it is paused
     */
    bool IsRunning() const
    {
        return m_running && !m_isPaused;
    }

    /// Freeze: the application neither sends nor reacts, and messages wait until Resume().
    void Pause();

    /// Continue, and process the messages that arrived meanwhile, in order.
    void Resume();

    /// @return true between Pause() and Resume()
    bool IsPaused() const
    {
        return m_isPaused;
    }

    /**
     * @brief Add a channel, at any time.
     * @param remoteId the application at the other end
     * @param interface this end of the channel
     * @return interface id of the channel
     */
    uint32_t AddInterface(RlApplicationId remoteId, Ptr<ChannelInterface> interface);

    /**
     * @brief Disconnect and remove a channel, at any time.
     * @param remoteId the application at the other end
     * @param interfaceId interface id of the channel
     */
    void DeleteInterface(RlApplicationId remoteId, uint32_t interfaceId);

    /// DEFIANCE's name. @param id number @param end this end @return interface id
    uint32_t AddObservationInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return AddInterface({OBSERVATION, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end this end @return interface id
    uint32_t AddRewardInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return AddInterface({REWARD, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end this end @return interface id
    uint32_t AddAgentInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return AddInterface({AGENT, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end this end @return interface id
    uint32_t AddActionInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return AddInterface({ACTION, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end interface id
    void DeleteObservationInterface(uint32_t id, uint32_t end)
    {
        DeleteInterface({OBSERVATION, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end interface id
    void DeleteRewardInterface(uint32_t id, uint32_t end)
    {
        DeleteInterface({REWARD, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end interface id
    void DeleteAgentInterface(uint32_t id, uint32_t end)
    {
        DeleteInterface({AGENT, id}, end);
    }

    /// DEFIANCE's name. @param id number @param end interface id
    void DeleteActionInterface(uint32_t id, uint32_t end)
    {
        DeleteInterface({ACTION, id}, end);
    }

    /**
     * @brief Get a channel.
     * @param remoteId the application at the other end
     * @param interfaceId interface id of the channel
     * @return this end of the channel
     */
    Ptr<ChannelInterface> GetInterface(RlApplicationId remoteId, uint32_t interfaceId = 0) const;

    /**
     * @brief Get the ids of the channels to an application.
     * @param remoteId the application at the other end
     * @return interface ids, ascending
     */
    std::vector<uint32_t> GetInterfaceIds(RlApplicationId remoteId) const;

    /**
     * @brief Continue on another node, at any time; all channels follow.
     *
     * Interface ids, histories and pending decisions remain. Channels outside of the simulated
     * network are unaffected. Channels through it close their connection and open a new one from
     * the new node: messages under way are lost.
     *
     * ns-3 cannot remove an application from a node: the list of the old node still holds it.
     * GetNode() returns the present node.
     *
     * @param node the new node
     * @param address new default address, and local address of channels of its IP version; without
     * it they use an address of the node
     */
    void MoveTo(Ptr<Node> node, const Address& address = {});

    /**
     * TracedCallback signature of Move.
     * @param [in] from the old node
     * @param [in] to the new node
     */
    typedef void (*MoveTracedCallback)(Ptr<Node> from, Ptr<Node> to);

  protected:
    void DoInitialize() override;
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /**
     * @brief Send a message to applications of a type. Without a channel to the given application,
     * warn once and do nothing.
     * @param data the message
     * @param type the type of the remote applications
     * @param remoteAppId number of one application; none: all connected ones
     * @param interfaceId interface id of one channel to it; none: all channels
     */
    void SendTo(Ptr<OpenGymDictContainer> data,
                ApplicationType type,
                std::optional<uint32_t> remoteAppId,
                std::optional<uint32_t> interfaceId);

    /**
     * @brief Get the channels to all applications of a type.
     * @param type the type of the remote applications
     * @return the channels
     */
    const InterfaceMap& GetInterfaces(ApplicationType type) const
    {
        return m_interfaces.at(type);
    }

    /**
     * @brief Get the channels to one application; abort if there is none.
     * @param remoteId the application at the other end
     * @return the channels by interface id
     */
    const std::map<uint32_t, Ptr<ChannelInterface>>& GetInterfaces(RlApplicationId remoteId) const;

    /**
     * @brief Return whether messages may be exchanged with applications of a type.
     * @param type the type of a remote application
     * @return by default false
     */
    virtual bool SupportsInterfacesTo(ApplicationType type) const
    {
        return false;
    }

    /**
     * @brief Get the kind of messages to applications of a type.
     * @param type the type of the remote application
     * @return the message kind that the trace sources of the channel report
     */
    virtual std::string GetMessageKindTo(ApplicationType type) const
    {
        return ApplicationTypeToString(m_id.applicationType);
    }

    /**
     * @brief React to a message. It is called only while the application runs.
     * @param remoteId the sending application
     * @param data the message
     */
    virtual void OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data);

    /**
     * @brief React to a transfer that has arrived, whose content only Python knows; by default do
     * nothing. Called only while the application runs, after Python may be informed of it.
     * @param remoteId the sending application
     * @param kind kind of the transfer, for example "model_update"
     * @param bytes size of the transfer
     */
    virtual void OnReceiveTransfer(RlApplicationId remoteId,
                                   const std::string& kind,
                                   uint64_t bytes);

    /**
     * @brief React to the removal of the last channel to an application.
     * @param remoteId the application that is not reachable any more
     */
    virtual void OnLastInterfaceDeleted(RlApplicationId remoteId);

    /// Prepare to leave the node, which GetNode() still returns.
    virtual void OnMoving()
    {
    }

    /// Settle on the new node, which GetNode() returns now; the channels have moved already.
    virtual void OnMoved()
    {
    }

    /**
     * @brief If the application is paused, defer a function until it resumes.
     * @param todo the function
     * @return whether the function is deferred
     */
    bool Defer(std::function<void()> todo);

    bool m_running{false}; //!< Whether it is between start and stop

  private:
    /**
     * @brief Handle a message while the application runs.
     * @param remoteId the sending application
     * @param data the message
     */
    void Receive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data);

    /**
     * @brief Warn, once for each application, that a message cannot be sent.
     * @param remoteId an application without a channel
     */
    void WarnUnreachable(RlApplicationId remoteId);

    /**
     * @brief Report the outcome of a transfer at this end of a channel.
     * @param remoteId the application at the other end
     * @param message the received transfer, or the failed transfer from here
     */
    void FinishTransfer(RlApplicationId remoteId, const ChannelMessage& message);

    /**
     * @brief Return whether applications of this type usually send to applications of another type.
     * @param type the type of a remote application
     * @return false if it usually only receives from them
     */
    bool UsuallySendsTo(ApplicationType type) const
    {
        const auto own = m_id.applicationType;
        return own != ACTION && !(own == AGENT && (type == OBSERVATION || type == REWARD));
    }

    std::vector<Ptr<ChannelInterface>> GetAllInterfaces() const; //!< @return all channels

    /**
     * @brief Add this application to a node.
     * @param node the node
     */
    void Install(Ptr<Node> node);

    /**
     * @brief Make the callback for a channel's messages.
     * @param remoteId the application at the other end
     * @return a callback that equals all others for this application
     */
    ChannelInterface::RecvCallback MakeReceiveCallback(RlApplicationId remoteId)
    {
        return MakeCallback(&RlApplication::Receive, this).Bind(remoteId);
    }

    RlApplicationId m_id;                         //!< Name of this application
    Address m_defaultAddress;                     //!< Address set by the user, or invalid
    bool m_isSetUp{false};                        //!< Whether Setup() has been called
    bool m_isPaused{false};                       //!< Whether it is between Pause() and Resume()
    std::deque<std::function<void()>> m_deferred; //!< Messages that wait for Resume(), in order
    std::array<InterfaceMap, 5> m_interfaces;     //!< Channels by type of the remote end
    std::set<RlApplicationId> m_warnedOf;         //!< Unreachable applications it warned of
    TracedCallback<Ptr<Node>, Ptr<Node>> m_moveTrace; //!< Old and new node of each move
};

} // namespace ns3

#endif /* RL_APPLICATION_H */
