// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_SPACES_H
#define OPENGYM_SPACES_H

#include "ns3/opengym-space.h"
#include "ns3/opengym-tensor-space.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The integers from start to start + n - 1.
 */
class OpenGymDiscreteSpace : public OpenGymSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param n Number of integers; positive.
     * @param start The least integer.
     */
    explicit OpenGymDiscreteSpace(int64_t n, int64_t start = 0);

    /**
     * @return the number of integers
     */
    int64_t GetN() const
    {
        return m_n;
    }

    /**
     * @return the least integer
     */
    int64_t GetStart() const
    {
        return m_start;
    }

    void Print(std::ostream& where) const override
    {
        where << "Discrete(" << m_n << ", start=" << m_start << ")";
    }

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;

    std::size_t GetFlatSize() const override
    {
        return 1;
    }

    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;

  private:
    int64_t m_n;     //!< Number of integers
    int64_t m_start; //!< The least integer
};

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
    uint64_t GetMinLength() const
    {
        return m_minLength;
    }

    /**
     * @return the largest number of characters
     */
    uint64_t GetMaxLength() const
    {
        return m_maxLength;
    }

    /**
     * @return every allowed character, once, in UTF-8
     */
    const std::string& GetCharset() const
    {
        return m_charset;
    }

    void Print(std::ostream& where) const override
    {
        where << "Text(" << m_minLength << ", " << m_maxLength << ", charset=" << m_charset << ")";
    }

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;

    std::size_t GetFlatSize() const override
    {
        return m_maxLength;
    }

    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;

  private:
    uint64_t m_minLength;                  //!< Least number of characters
    uint64_t m_maxLength;                  //!< Largest number of characters
    std::string m_charset;                 //!< Allowed characters
    std::vector<std::string> m_characters; //!< Allowed characters, one by one
};

/**
 * @ingroup defiance
 *
 * @brief Tuples whose elements each have their own space.
 */
class OpenGymTupleSpace : public OpenGymTuple<OpenGymSpace>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;
};

/**
 * @ingroup defiance
 *
 * @brief Dicts whose entries each have their own space.
 */
class OpenGymDictSpace : public OpenGymDict<OpenGymSpace>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Make(const Choice& choice) const override;
};

} // namespace ns3

#endif /* OPENGYM_SPACES_H */
