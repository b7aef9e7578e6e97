// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_APPLICATION_CONTAINER_H
#define RL_APPLICATION_CONTAINER_H

#include "rl-application.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Holds RlApplications in the order in which they were added.
 */
class RlApplicationContainer
{
  public:
    /// Iterates over the applications.
    using Iterator = std::vector<Ptr<RlApplication>>::const_iterator;

    RlApplicationContainer() = default;

    /**
     * @brief Create a container with one application.
     * @param application the application
     */
    RlApplicationContainer(Ptr<RlApplication> application)
    {
        Add(application);
    }

    /**
     * @brief Add an application.
     * @param application the application
     */
    void Add(Ptr<RlApplication> application)
    {
        NS_ABORT_MSG_IF(!application, "An RlApplicationContainer cannot hold null");
        m_applications.push_back(application);
    }

    /**
     * @brief Add the applications of another container.
     * @param other the other container
     */
    void Add(const RlApplicationContainer& other)
    {
        const auto added = other.m_applications;
        m_applications.insert(m_applications.end(), added.begin(), added.end());
    }

    /**
     * @brief Get the number of applications.
     * @return the number
     */
    uint32_t GetN() const
    {
        return m_applications.size();
    }

    /**
     * @brief Get an application.
     * @param i position of the application
     * @return the application
     */
    Ptr<RlApplication> Get(uint32_t i) const
    {
        NS_ABORT_MSG_IF(i >= m_applications.size(),
                        "There is no application " << i << " in a container of "
                                                   << m_applications.size());
        return m_applications[i];
    }

    /**
     * @brief Get the id of an application, which has a number after CommunicationHelper::SetIds().
     * @param i position of the application
     * @return the id
     */
    RlApplicationId GetId(uint32_t i) const
    {
        return Get(i)->GetId();
    }

    /**
     * @brief Start all applications.
     * @param start time from now
     */
    void Start(Time start) const
    {
        for (const auto& application : m_applications)
        {
            application->SetStartTime(start);
        }
    }

    /**
     * @brief Stop all applications.
     * @param stop time from now
     */
    void Stop(Time stop) const
    {
        for (const auto& application : m_applications)
        {
            application->SetStopTime(stop);
        }
    }

    /**
     * @brief Get the first application.
     * @return an iterator
     */
    Iterator begin() const
    {
        return m_applications.begin();
    }

    /**
     * @brief Get the end.
     * @return an iterator behind the last application
     */
    Iterator end() const
    {
        return m_applications.end();
    }

    /// @return begin(), for ns-3's style
    Iterator Begin() const
    {
        return begin();
    }

    /// @return end(), for ns-3's style
    Iterator End() const
    {
        return end();
    }

  private:
    std::vector<Ptr<RlApplication>> m_applications; //!< The applications
};

} // namespace ns3

#endif // RL_APPLICATION_CONTAINER_H
