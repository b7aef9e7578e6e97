// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TEXT_CONTAINER_H
#define OPENGYM_TEXT_CONTAINER_H

#include "ns3/opengym-data-container.h"

#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymTextSpace: characters in UTF-8.
 */
class OpenGymTextContainer final : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** Hold no character. */
    OpenGymTextContainer() = default;

    /**
     * @param value The text to hold, in UTF-8.
     */
    explicit OpenGymTextContainer(std::string value);

    /**
     * @param value The text to hold, in UTF-8.
     * @return false when it is not UTF-8
     */
    bool SetValue(std::string value);

    /**
     * @return the text
     */
    const std::string& GetValue() const;

    Ptr<OpenGymDataContainer> Copy() const override;
    void Print(std::ostream& where) const override;

  private:
    std::string m_value; //!< The text held
};

} // namespace ns3

#endif /* OPENGYM_TEXT_CONTAINER_H */
