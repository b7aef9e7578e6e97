// SPDX-License-Identifier: GPL-2.0-only

#ifndef OBSERVATION_APPLICATION_H
#define OBSERVATION_APPLICATION_H

#include "data-collector-application.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Observes its node and sends observations to agents.
 */
class ObservationApplication : public DataCollectorApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ObservationApplication()
        : DataCollectorApplication(ApplicationType::OBSERVATION)
    {
    }
};

} // namespace ns3

#endif /* OBSERVATION_APPLICATION_H */
