// SPDX-License-Identifier: GPL-2.0-only

#ifndef INTERFACE_NAMES_H
#define INTERFACE_NAMES_H

#include "ns3/channel-interface.h"
#include "ns3/rl-application-id.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief DEFIANCE's names of methods of RlApplication, one for each type of remote application.
 *
 * @tparam T Class that derives from this one, with AddInterface() and DeleteInterface().
 */
template <typename T>
class InterfaceNames
{
  public:
    /// AddInterface({OBSERVATION, id}, end). @param id number @param end this end @return interface
    /// id
    uint32_t AddObservationInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return static_cast<T*>(this)->AddInterface({OBSERVATION, id}, end);
    }

    /// AddInterface({REWARD, id}, end). @param id number @param end this end @return interface id
    uint32_t AddRewardInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return static_cast<T*>(this)->AddInterface({REWARD, id}, end);
    }

    /// AddInterface({AGENT, id}, end). @param id number @param end this end @return interface id
    uint32_t AddAgentInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return static_cast<T*>(this)->AddInterface({AGENT, id}, end);
    }

    /// AddInterface({ACTION, id}, end). @param id number @param end this end @return interface id
    uint32_t AddActionInterface(uint32_t id, Ptr<ChannelInterface> end)
    {
        return static_cast<T*>(this)->AddInterface({ACTION, id}, end);
    }

    /// DeleteInterface({OBSERVATION, id}, end). @param id number @param end interface id
    void DeleteObservationInterface(uint32_t id, uint32_t end)
    {
        static_cast<T*>(this)->DeleteInterface({OBSERVATION, id}, end);
    }

    /// DeleteInterface({REWARD, id}, end). @param id number @param end interface id
    void DeleteRewardInterface(uint32_t id, uint32_t end)
    {
        static_cast<T*>(this)->DeleteInterface({REWARD, id}, end);
    }

    /// DeleteInterface({AGENT, id}, end). @param id number @param end interface id
    void DeleteAgentInterface(uint32_t id, uint32_t end)
    {
        static_cast<T*>(this)->DeleteInterface({AGENT, id}, end);
    }

    /// DeleteInterface({ACTION, id}, end). @param id number @param end interface id
    void DeleteActionInterface(uint32_t id, uint32_t end)
    {
        static_cast<T*>(this)->DeleteInterface({ACTION, id}, end);
    }
};

} // namespace ns3

#endif /* INTERFACE_NAMES_H */
