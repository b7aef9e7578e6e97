// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_APPLICATION_ID_H
#define RL_APPLICATION_ID_H

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The role of an application in reinforcement learning.
 */
enum ApplicationType : uint8_t
{
    OBSERVATION = 0, //!< Sends observations
    REWARD,          //!< Sends rewards
    AGENT,           //!< Decides on actions
    ACTION,          //!< Executes actions
    TRAINING_SERVER, //!< Trains policies
};

/**
 * @brief Get the name of an application type.
 * @param type the type
 * @return "observation", "reward", "agent", "action" or "server"
 */
inline std::string
ApplicationTypeToString(ApplicationType type)
{
    static constexpr std::array names{"observation", "reward", "agent", "action", "server"};
    return names.at(type);
}

/**
 * @ingroup defiance
 *
 * @brief Identifies an application: its type, and a number that is unique within the type.
 */
struct RlApplicationId
{
    static constexpr uint32_t UNASSIGNED{
        std::numeric_limits<uint32_t>::max()}; //!< Number of an application without one

    ApplicationType applicationType{OBSERVATION}; //!< Type of the application
    uint32_t applicationId{UNASSIGNED};           //!< Number within the type

    /**
     * @brief Return whether a number was assigned.
     * @return false for a default id
     */
    bool IsAssigned() const
    {
        return applicationId != UNASSIGNED;
    }

    /**
     * @brief Get the name of the application; an agent has the same name in Python.
     * @return for example "agent_0", or "agent_unassigned"
     */
    std::string ToString() const
    {
        return ApplicationTypeToString(applicationType) + "_" +
               (IsAssigned() ? std::to_string(applicationId) : "unassigned");
    }

    /**
     * @brief Order by type, then by number.
     * @return the order of this id and another
     */
    auto operator<=>(const RlApplicationId&) const = default;
};

/**
 * @brief Write the name of an application.
 * @param os the stream
 * @param id the id
 * @return the stream
 */
inline std::ostream&
operator<<(std::ostream& os, const RlApplicationId& id)
{
    return os << id.ToString();
}

} // namespace ns3

#endif // RL_APPLICATION_ID_H
