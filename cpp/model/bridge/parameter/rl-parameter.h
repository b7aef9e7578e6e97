// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_PARAMETER_H
#define RL_PARAMETER_H

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * Kind of a scenario's parameter; the values are those of defiance.v1.ParameterType.
 */
enum class RlParameterType
{
    BOOLEAN = 1,
    INTEGER = 2,
    REAL = 3,
    TEXT = 4,
    TIME = 5,
    DATA_RATE = 6,
};

/**
 * @name Parameters as text
 *
 * Values are written as on ns-3's command line, so that reading them again gives the same value.
 * ParseText() returns whether the text is valid, and leaves the value unchanged if not.
 * @{
 */
bool ParseText(const std::string& text, bool& value);        //!< "true" or "false"; "": toggles
bool ParseText(const std::string& text, std::string& value); //!< Any text
bool ParseText(const std::string& text, Time& value);        //!< "10ms"; without a unit, seconds
bool ParseText(const std::string& text, DataRate& value);    //!< "5Mbps"
std::string FormatText(bool value);                          //!< "true" or "false"
std::string FormatText(const std::string& value);            //!< The text itself
std::string FormatText(const Time& value);                   //!< Uses the largest exact unit
std::string FormatText(const DataRate& value);               //!< Uses the largest exact unit

template <typename T>
requires std::is_arithmetic_v<T>

bool
ParseText(const std::string& text, T& value)
{
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    T parsed{};
    const auto [end, error] = std::from_chars(first, last, parsed);
    if (error != std::errc{} || end != last)
    {
        return false;
    }
    value = parsed;
    return true;
}

template <typename T>

requires std::is_arithmetic_v<T> std::string
FormatText(T value)
{
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
    return std::string(text, end);
}

/** @} */

/**
 * @ingroup defiance
 *
 * @brief The scenario's declaration of a parameter.
 */
struct RlParameterSpec
{
    std::string name;                   //!< Name, as on the command line and in Python
    std::string help;                   //!< Meaning of the parameter
    RlParameterType type;               //!< Type of the values
    std::string defaultValue;           //!< Default of the parameter
    std::optional<std::string> minimum; //!< Least allowed value, if there is one
    std::optional<std::string> maximum; //!< Largest allowed value, if there is one
    std::vector<std::string> choices;   //!< Allowed values; empty: any
    bool perAgent{false};               //!< Agents may have a value each

    /**
     * @return the allowed values, in words: "an integer from 1 to 16"
     */
    std::string DescribeAllowed() const;
};

/**
 * @ingroup defiance
 *
 * @brief A parameter of a scenario.
 */
class RlParameter
{
  public:
    virtual ~RlParameter() = default;

    /**
     * Read a value and, if it is allowed, assign it to the scenario's variable.
     *
     * @param text The value in the notation of the command line.
     * @return whether the value is valid and allowed
     */
    virtual bool Set(const std::string& text) = 0;

    /**
     * @return the value in effect
     */
    virtual std::string GetValue() const = 0;

    /**
     * @return the scenario's declaration of the parameter
     */
    const RlParameterSpec& GetSpec() const
    {
        return m_spec;
    }

  protected:
    /**
     * @param spec The scenario's declaration of the parameter.
     */
    explicit RlParameter(RlParameterSpec spec)
        : m_spec(std::move(spec))
    {
    }

    RlParameterSpec m_spec; //!< The scenario's declaration of the parameter
};

/**
 * @ingroup defiance
 *
 * @brief The allowed values of a parameter.
 *
 * @tparam T Type of the parameter.
 */
template <typename T>
struct RlAllowed
{
    std::optional<std::pair<T, T>> range{}; //!< Least and largest value, if there are any
    std::vector<std::string> choices{};     //!< The values as text; empty: any
};

/**
 * @ingroup defiance
 *
 * @brief A parameter kept in a variable of the scenario.
 *
 * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
 */
template <typename T>
class RlVariable : public RlParameter
{
  public:
    /**
     * @param name Name, as on the command line and in Python.
     * @param help Meaning of the parameter.
     * @param variable The scenario's variable; it holds the default.
     * @param allowed Allowed values; abort if the default is not among them.
     */
    RlVariable(const std::string& name,
               const std::string& help,
               T& variable,
               RlAllowed<T> allowed = {})
        : RlParameter({name, help, GetType(), FormatText(variable), {}, {}, allowed.choices}),
          m_variable(variable),
          m_range(std::move(allowed.range))
    {
        if (m_range)
        {
            m_spec.minimum = FormatText(m_range->first);
            m_spec.maximum = FormatText(m_range->second);
        }
        NS_ABORT_MSG_IF(!IsAllowed(m_variable),
                        "Parameter '" << m_spec.name << "' has default '" << m_spec.defaultValue
                                      << "', which is not " << m_spec.DescribeAllowed());
    }

    bool Set(const std::string& text) override
    {
        T value = m_variable;
        if (!ParseText(text, value) || !IsAllowed(value))
        {
            return false;
        }
        m_variable = value;
        return true;
    }

    std::string GetValue() const override
    {
        return FormatText(m_variable);
    }

  private:
    /**
     * @return the kind of a variable of this C++ type
     */
    static constexpr RlParameterType GetType()
    {
        static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, Time> ||
                          std::is_same_v<T, DataRate> || std::is_same_v<T, std::string>,
                      "No parameter has a value of this type");
        return std::is_same_v<T, bool>       ? RlParameterType::BOOLEAN
               : std::is_integral_v<T>       ? RlParameterType::INTEGER
               : std::is_floating_point_v<T> ? RlParameterType::REAL
               : std::is_same_v<T, Time>     ? RlParameterType::TIME
               : std::is_same_v<T, DataRate> ? RlParameterType::DATA_RATE
                                             : RlParameterType::TEXT;
    }

    /**
     * @param value A new value.
     * @return whether it is in the range and among the choices; NaN is in no range
     */
    bool IsAllowed(const T& value) const
    {
        const auto& choices = m_spec.choices;
        if (!choices.empty() &&
            std::find(choices.begin(), choices.end(), FormatText(value)) == choices.end())
        {
            return false;
        }
        return !m_range || (value >= m_range->first && value <= m_range->second);
    }

    T& m_variable;                          //!< The scenario's variable
    std::optional<std::pair<T, T>> m_range; //!< Least and largest allowed value
};

} // namespace ns3

#endif /* RL_PARAMETER_H */
