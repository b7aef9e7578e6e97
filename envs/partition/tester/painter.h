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
    std::string text;            //!< As JSON, with sorted keys and without spaces
    std::string hash;            //!< SHA-256 of the text
    std::vector<float> features; //!< It in numbers from 0 to 1
};

/**
 * @brief Makes colours of replicas, by what of their states is to be seen.
 *
 * It is described by names of fields, separated by commas: `state,commit,term:6`. A number behind
 * the colon is a bound: what is larger is seen as the bound. `id` is the replica's number, and
 * `log:6` are the terms of its first six entries.
 *
 * | field | its feature |
 * |---|---|
 * | a choice | number of the choice, divided by the largest |
 * | a replica, `id` | its number (0: none), divided by how many there are |
 * | a number n with bound k | min(n, k) / k |
 * | a number n without | n / (n + 1) |
 * | `log:k` | k features: for each term t, t / (t + 1); 0 where there is no entry |
 *
 * The colour of a Byzantine replica is `{"byzantine":COLOUR}`, of one whose messages are delayed
 * `{"delayed":COLOUR}`, and of a stopped one `{"inactive":COLOUR}`, of what it has stored.
 */
class Painter
{
  public:
    /**
     * @param fields Fields of the protocol.
     * @param replicas How many there are.
     */
    Painter(const std::vector<ReplicaField>& fields, uint32_t replicas);

    /**
     * Say what is to be seen.
     *
     * @param description As above.
     * @return what is wrong with it, and what would be right; or an empty string
     */
    std::string Parse(const std::string& description);

    /**
     * @param id Number of a replica.
     * @param state Its state.
     * @return its colour
     */
    Color Paint(uint32_t id, const ReplicaState& state) const;

    uint32_t CountFeatures() const; //!< @return of each colour

  private:
    static constexpr int NAMES_LOG = -1; //!< Part::field of the log
    static constexpr int NAMES_ID = -2;  //!< Part::field of the replica's number

    /// A part of colours.
    struct Part
    {
        std::string name; //!< As it is called
        int field{0};     //!< Position in ReplicaState::values, or one of the above
        int64_t bound{0}; //!< Larger values are observed as this; 0: there is no bound
    };

    /**
     * Read a part.
     *
     * @param text As it was described.
     * @return what is wrong with it, or an empty string
     */
    std::string ParsePart(const std::string& text);

    /**
     * Add the terms of the log.
     *
     * @param part How many.
     * @param log The log.
     * @param color To which.
     */
    static void PaintLog(const Part& part, const std::vector<ReplicaEntry>& log, Color& color);

    /**
     * @param part The part.
     * @param value The value, bounded.
     * @return its feature
     */
    float GetFeature(const Part& part, int64_t value) const;

    std::vector<ReplicaField> m_fields; //!< Of the protocol
    uint32_t m_replicas;                //!< How many there are
    std::vector<Part> m_parts;          //!< Of colours, sorted by name
};

} // namespace ns3

#endif // PAINTER_H
