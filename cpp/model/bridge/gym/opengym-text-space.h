// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_TEXT_SPACE_H
#define OPENGYM_TEXT_SPACE_H

#include "ns3/opengym-space.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Texts of bounded length over a set of characters.
 */
class OpenGymTextSpace : public OpenGymSpace
{
  public:
    /** The default characters of Gymnasium: letters and digits. */
    static const std::string ALPHANUMERIC;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param maxLength Largest number of characters.
     * @param minLength Least number of characters.
     * @param charset Every allowed character, once, in UTF-8.
     */
    explicit OpenGymTextSpace(uint64_t maxLength,
                              uint64_t minLength = 1,
                              std::string charset = ALPHANUMERIC);

    /**
     * @return the least number of characters
     */
    uint64_t GetMinLength() const;

    /**
     * @return the largest number of characters
     */
    uint64_t GetMaxLength() const;

    /**
     * @return every allowed character, once, in UTF-8
     */
    const std::string& GetCharset() const;

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    uint64_t m_minLength;                  //!< Least number of characters
    uint64_t m_maxLength;                  //!< Largest number of characters
    std::string m_charset;                 //!< Allowed characters
    std::vector<std::string> m_characters; //!< Allowed characters, one by one
};

} // namespace ns3

#endif /* OPENGYM_TEXT_SPACE_H */
