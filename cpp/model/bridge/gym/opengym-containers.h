// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_CONTAINERS_H
#define OPENGYM_CONTAINERS_H

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-tensor-container.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymDiscreteSpace: one integer.
 */
class OpenGymDiscreteContainer final : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** Hold 0 and accept any integer. */
    OpenGymDiscreteContainer() = default;

    /**
     * Hold 0 and accept integers of a range.
     *
     * @param n Integers from 0 to n - 1 are accepted; 0: any integer.
     */
    explicit OpenGymDiscreteContainer(uint32_t n)
        : m_n(n)
    {
    }

    /**
     * @param value The integer to hold.
     * @return false when the integer is out of the range given at construction
     */
    bool SetValue(int64_t value);

    /**
     * @return the integer
     */
    int64_t GetValue() const
    {
        return m_value;
    }

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymDiscreteContainer>(this));
    }

    void Print(std::ostream& where) const override
    {
        where << m_value;
    }

  private:
    uint32_t m_n{0};    //!< Number of accepted integers; 0: any
    int64_t m_value{0}; //!< The integer held
};

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
    explicit OpenGymTextContainer(std::string value)
    {
        NS_ABORT_MSG_IF(!SetValue(std::move(value)), "The text of a container is not UTF-8");
    }

    /**
     * @param value The text to hold, in UTF-8.
     * @return false when it is not UTF-8
     */
    bool SetValue(std::string value);

    /**
     * @return the text
     */
    const std::string& GetValue() const
    {
        return m_value;
    }

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymTextContainer>(this));
    }

    void Print(std::ostream& where) const override
    {
        where << '"' << m_value << '"';
    }

  private:
    std::string m_value; //!< The text held
};

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymTupleSpace: containers in a fixed order.
 */
class OpenGymTupleContainer final : public OpenGymTuple<OpenGymDataContainer>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<OpenGymDataContainer> Copy() const override;
};

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymDictSpace: containers by key, in ascending byte order of the keys.
 */
class OpenGymDictContainer final : public OpenGymDict<OpenGymDataContainer>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<OpenGymDataContainer> Copy() const override;
};

} // namespace ns3

#endif /* OPENGYM_CONTAINERS_H */
