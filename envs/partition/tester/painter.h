// SPDX-License-Identifier: GPL-2.0-only

#ifndef PAINTER_H
#define PAINTER_H

#include "replica-protocol.h"
#include "sha256.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

constexpr int64_t LARGEST_BOUND = 1000;
constexpr int64_t LONGEST_LOG = 32; // observed terms of a log

/**
 * @brief The observed part of a replica: replicas of one colour are not distinguished.
 */
struct Color
{
    std::string text;            //!< JSON with sorted keys and without spaces
    std::string hash;            //!< SHA-256 of the text
    std::vector<float> features; //!< Numbers from 0 to 1
};

/**
 * @brief Makes colours of replicas from the observed parts of their states.
 *
 * Its description has names of fields, separated by commas: `state,commit,term:6`. A number after
 * the colon is a bound: larger values are observed as the bound. `id` is the replica's number, and
 * `log:6` are the terms of its first six entries.
 *
 * | field | its feature |
 * |---|---|
 * | a choice | number of the choice, divided by the largest |
 * | a replica, `id` | its number (0: none), divided by the number of replicas |
 * | a number n with bound k | min(n, k) / k |
 * | a number n without bound | n / (n + 1) |
 * | `log:k` | k features: for each term t, t / (t + 1); 0 where there is no entry |
 *
 * The colour is `{"byzantine":COLOUR}` for a Byzantine replica, `{"delayed":COLOUR}` for a replica
 * with delayed messages, `{"ahead":COLOUR}` or `{"back":COLOUR}` for a replica whose clock has
 * jumped, and `{"inactive":COLOUR}`, from the stored state, for a stopped replica.
 */
class Painter
{
  public:
    /**
     * @param fields Fields of the protocol.
     * @param replicas Number of replicas.
     */
    Painter(const std::vector<ReplicaField>& fields, uint32_t replicas)
        : m_fields(fields),
          m_replicas(replicas)
    {
    }

    /**
     * Set the observed parts.
     *
     * @param description Description as above.
     * @return a fault of the description, with its remedy; or an empty string
     */
    std::string Parse(const std::string& description)
    {
        m_parts.clear();
        std::istringstream text(description);
        for (std::string part; std::getline(text, part, ',');)
        {
            const auto fault = ParsePart(part);
            if (!fault.empty())
            {
                return fault;
            }
        }
        std::sort(m_parts.begin(), m_parts.end(), [](const auto& one, const auto& other) {
            return one.name < other.name;
        });
        const auto same = [](const auto& one, const auto& other) { return one.name == other.name; };
        if (std::adjacent_find(m_parts.begin(), m_parts.end(), same) != m_parts.end())
        {
            return "names a field twice";
        }
        return m_parts.empty() ? "names no field; give one, such as state" : "";
    }

    /**
     * @param id Number of a replica.
     * @param state State of the replica.
     * @return the colour
     */
    Color Paint(uint32_t id, const ReplicaState& state) const
    {
        Color color;
        color.text = "{";
        for (const auto& part : m_parts)
        {
            color.text += (color.text.size() > 1 ? ",\"" : "\"") + part.name + "\":";
            if (part.field == NAMES_LOG)
            {
                PaintLog(part, state.log, color);
                continue;
            }
            auto value = part.field == NAMES_ID ? int64_t{id} : state.values[part.field];
            value = part.bound > 0 ? std::min(value, part.bound) : value;
            color.text += std::to_string(value);
            color.features.push_back(GetFeature(part, value));
        }
        color.text += "}";
        if (state.byzantine)
        {
            color.text = "{\"byzantine\":" + color.text + "}";
        }
        if (state.delayed)
        {
            color.text = "{\"delayed\":" + color.text + "}";
        }
        if (state.clockError != 0)
        {
            color.text = (state.clockError > 0 ? "{\"ahead\":" : "{\"back\":") + color.text + "}";
        }
        if (!state.active)
        {
            color.text = "{\"inactive\":" + color.text + "}";
        }
        color.hash = Sha256(color.text);
        return color;
    }

    /// @return number of features of a colour
    uint32_t CountFeatures() const
    {
        uint32_t count = 0;
        for (const auto& part : m_parts)
        {
            count += part.field == NAMES_LOG ? part.bound : 1;
        }
        return count;
    }

  private:
    static constexpr int NAMES_LOG = -1; //!< Part::field of the log
    static constexpr int NAMES_ID = -2;  //!< Part::field of the replica's number

    /// A part of colours.
    struct Part
    {
        std::string name; //!< Name of the part
        int field{0};     //!< Position in ReplicaState::values, or NAMES_LOG, NAMES_ID
        int64_t bound{0}; //!< Largest observed value; 0: no bound
    };

    /**
     * Parse a part.
     *
     * @param text Part of the description.
     * @return a fault of the text, or an empty string
     */
    std::string ParsePart(const std::string& text)
    {
        const auto colon = text.find(':');
        Part part{.name = text.substr(0, colon)};
        const auto found =
            std::find_if(m_fields.begin(), m_fields.end(), [&](const ReplicaField& field) {
                return field.name == part.name;
            });
        part.field = found - m_fields.begin();
        if (found == m_fields.end())
        {
            part.field = part.name == "log" ? NAMES_LOG : NAMES_ID;
            if (part.name != "log" && part.name != "id")
            {
                std::string there = "id, log";
                for (const auto& field : m_fields)
                {
                    there += ", " + field.name;
                }
                return "has no field '" + part.name + "'; there are " + there;
            }
        }
        if (colon != std::string::npos)
        {
            const auto end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, part.bound);
            if (error != std::errc() || rest != end || part.bound < 1 || part.bound > LARGEST_BOUND)
            {
                return "has a bound in '" + text + "' that is not a number from 1 to 1000";
            }
            if (part.field == NAMES_ID ||
                (part.field >= 0 && m_fields[part.field].kind != ReplicaField::NUMBER))
            {
                return "has a bound in '" + text +
                       "', whose values do not grow; leave the bound out";
            }
        }
        if (part.field == NAMES_LOG && (part.bound == 0 || part.bound > LONGEST_LOG))
        {
            return "needs a bound of 1 to 32 for log, such as log:6";
        }
        m_parts.push_back(part);
        return "";
    }

    /**
     * Add the terms of the log.
     *
     * @param part Part with the number of entries.
     * @param log The log.
     * @param color Colour to extend.
     */
    static void PaintLog(const Part& part, const std::vector<ReplicaEntry>& log, Color& color)
    {
        const auto count = std::min<std::size_t>(log.size(), part.bound);
        color.text += "[";
        for (std::size_t i = 0; i < count; i++)
        {
            color.text += (i > 0 ? "," : "") + std::to_string(log[i].term);
            color.features.push_back(log[i].term / (log[i].term + 1.F));
        }
        color.text += "]";
        color.features.resize(color.features.size() + part.bound - count, 0);
    }

    /**
     * @param part The part.
     * @param value The value, bounded.
     * @return the feature
     */
    float GetFeature(const Part& part, int64_t value) const
    {
        if (part.bound > 0)
        {
            return static_cast<float>(value) / part.bound;
        }
        if (part.field == NAMES_ID || m_fields[part.field].kind == ReplicaField::REPLICA)
        {
            return static_cast<float>(value) / m_replicas;
        }
        const bool isChoice = m_fields[part.field].kind == ReplicaField::CHOICE;
        return static_cast<float>(value) / (isChoice ? m_fields[part.field].largest : value + 1);
    }

    std::vector<ReplicaField> m_fields; //!< Fields of the protocol
    uint32_t m_replicas;                //!< Number of replicas
    std::vector<Part> m_parts;          //!< Parts of colours, sorted by name
};

} // namespace ns3

#endif // PAINTER_H
