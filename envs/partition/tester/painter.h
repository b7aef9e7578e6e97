// SPDX-License-Identifier: GPL-2.0-only

#ifndef PAINTER_H
#define PAINTER_H

#include "replica-protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
 * with delayed messages, and `{"inactive":COLOUR}`, from the stored state, for a stopped replica.
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
    std::string Parse(const std::string& description);

    /**
     * @param id Number of a replica.
     * @param state State of the replica.
     * @return the colour
     */
    Color Paint(uint32_t id, const ReplicaState& state) const;

    uint32_t CountFeatures() const; //!< @return number of features of a colour

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
    std::string ParsePart(const std::string& text);

    /**
     * Add the terms of the log.
     *
     * @param part Part with the number of entries.
     * @param log The log.
     * @param color Colour to extend.
     */
    static void PaintLog(const Part& part, const std::vector<ReplicaEntry>& log, Color& color);

    /**
     * @param part The part.
     * @param value The value, bounded.
     * @return the feature
     */
    float GetFeature(const Part& part, int64_t value) const;

    std::vector<ReplicaField> m_fields; //!< Fields of the protocol
    uint32_t m_replicas;                //!< Number of replicas
    std::vector<Part> m_parts;          //!< Parts of colours, sorted by name
};

} // namespace ns3

#endif // PAINTER_H
