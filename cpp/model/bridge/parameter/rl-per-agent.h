// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_PER_AGENT_H
#define RL_PER_AGENT_H

#include "ns3/rl-parameter.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value that agents may have each for itself.
 *
 * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
 */
template <typename T>
class PerAgent
{
  public:
    /**
     * @param all The value for every agent that is not named.
     */
    explicit PerAgent(T all)
        : m_all(std::move(all))
    {
    }

    /**
     * @param agent Name of an agent.
     * @return its value
     */
    const T& Get(const std::string& agent) const
    {
        const auto found = m_named.find(agent);
        return found == m_named.end() ? m_all : found->second;
    }

    /**
     * @return what holds for every agent that is not named
     */
    const T& GetAll() const
    {
        return m_all;
    }

    /**
     * @return the values of the agents that are named
     */
    const std::map<std::string, T>& GetNamed() const
    {
        return m_named;
    }

    /**
     * @param agent Name of an agent.
     * @param value Its value.
     */
    void Set(const std::string& agent, T value)
    {
        m_named[agent] = std::move(value);
    }

  private:
    T m_all;                          //!< Of every agent that is not named
    std::map<std::string, T> m_named; //!< Of agents that are named
};

/**
 * Read the form in which values are given for agents.
 *
 * @param text `value`, or `agent=value,agent=value`.
 * @return values by agent, under "" what holds for all; nothing if an agent or the value of one is
 * missing, or an agent is named twice
 */
std::optional<std::map<std::string, std::string>> SplitByAgent(const std::string& text);

/**
 * @ingroup defiance
 *
 * @brief A parameter with a value for all agents, or one for each.
 *
 * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
 */
template <typename T>
class RlPerAgentVariable : public RlParameter
{
  public:
    /**
     * @param name Name, as on the command line and in Python.
     * @param help Its meaning.
     * @param variable The scenario's variable; it holds the default.
     */
    RlPerAgentVariable(const std::string& name, const std::string& help, PerAgent<T>& variable)
        : RlParameter({}),
          m_variable(variable),
          m_value(variable.GetAll()),
          m_one(name, help, m_value)
    {
        TakeSpec();
    }

    /**
     * Allow a range only.
     *
     * @param least Least value allowed.
     * @param largest Largest value allowed.
     */
    void SetRange(const T& least, const T& largest)
    {
        m_one.SetRange(least, largest);
        TakeSpec();
    }

    /**
     * Allow a few values only.
     *
     * @param choices The values allowed, as text.
     */
    void SetChoices(std::vector<std::string> choices)
    {
        m_one.SetChoices(std::move(choices));
        TakeSpec();
    }

    bool Set(const std::string& text) override
    {
        const auto given = SplitByAgent(text);
        if (!given)
        {
            return false;
        }
        PerAgent<T> values(m_variable.GetAll());
        for (const auto& [agent, value] : *given)
        {
            if (!m_one.Set(value))
            {
                return false;
            }
            if (agent.empty())
            {
                values = PerAgent<T>(m_value);
            }
            else
            {
                values.Set(agent, m_value);
            }
        }
        m_variable = values;
        return true;
    }

    std::string GetValue() const override
    {
        std::string text;
        for (const auto& [agent, value] : m_variable.GetNamed())
        {
            text += (text.empty() ? "" : ",") + agent + "=" + FormatText(value);
        }
        return text.empty() ? FormatText(m_variable.GetAll()) : text;
    }

  private:
    /** Say of this parameter what is said of the value of one agent. */
    void TakeSpec()
    {
        m_spec = m_one.GetSpec();
        m_spec.perAgent = true;
    }

    PerAgent<T>& m_variable; //!< The scenario's variable
    T m_value;               //!< Where the value of one agent is read
    RlVariable<T> m_one;     //!< Knows what is allowed for one agent
};

} // namespace ns3

#endif /* RL_PER_AGENT_H */
