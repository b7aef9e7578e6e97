// SPDX-License-Identifier: GPL-2.0-only

#ifndef RL_PER_AGENT_H
#define RL_PER_AGENT_H

#include "ns3/rl-parameter.h"

#include <algorithm>
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
 * @brief A value that may differ between agents.
 *
 * @tparam T bool, an integer, float, double, std::string, Time or DataRate.
 */
template <typename T>
class PerAgent
{
  public:
    /**
     * @param all The value of agents that are not named.
     */
    explicit PerAgent(T all)
        : m_all(std::move(all))
    {
    }

    /**
     * @param agent Name of an agent.
     * @return the agent's value
     */
    const T& Get(const std::string& agent) const
    {
        const auto found = m_named.find(agent);
        return found == m_named.end() ? m_all : found->second;
    }

    /**
     * @return the value of agents that are not named
     */
    const T& GetAll() const
    {
        return m_all;
    }

    /**
     * @return the values of named agents
     */
    const std::map<std::string, T>& GetNamed() const
    {
        return m_named;
    }

    /**
     * @param agent Name of an agent.
     * @param value Value of the agent.
     */
    void Set(const std::string& agent, T value)
    {
        m_named[agent] = std::move(value);
    }

    /**
     * @param name Name of the parameter.
     * @param agents Names of all agents.
     * @return a fault if a value is for another agent, or an empty string
     */
    std::string FindStranger(const std::string& name, const std::vector<std::string>& agents) const
    {
        for (const auto& [agent, value] : m_named)
        {
            if (std::find(agents.begin(), agents.end(), agent) == agents.end())
            {
                const auto last = agents.size() > 1 ? " to " + agents.back() : "";
                return name + " names " + agent + ", but the agents are " + agents.front() + last;
            }
        }
        return "";
    }

  private:
    T m_all;                          //!< Value of agents that are not named
    std::map<std::string, T> m_named; //!< Values of named agents
};

/**
 * Split a text with the values of agents.
 *
 * @param text `value`, or `agent=value,agent=value`.
 * @return values by agent, with the value for all under ""; nothing if an agent or a value is
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
     * @param help Meaning of the parameter.
     * @param variable The scenario's variable; it holds the default.
     * @param allowed Allowed values; abort if the default is not among them.
     */
    RlPerAgentVariable(const std::string& name,
                       const std::string& help,
                       PerAgent<T>& variable,
                       RlAllowed<T> allowed = {})
        : RlParameter({}),
          m_variable(variable),
          m_value(variable.GetAll()),
          m_one(name, help, m_value, std::move(allowed))
    {
        m_spec = m_one.GetSpec();
        m_spec.perAgent = true;
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
    PerAgent<T>& m_variable; //!< The scenario's variable
    T m_value;               //!< Value of one agent, when read
    RlVariable<T> m_one;     //!< Reader of one agent's values
};

} // namespace ns3

#endif /* RL_PER_AGENT_H */
