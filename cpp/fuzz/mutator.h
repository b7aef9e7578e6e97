// SPDX-License-Identifier: GPL-2.0-only

#ifndef MUTATOR_H
#define MUTATOR_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/**
 * @brief Makes inputs from other inputs; the same seed gives the same inputs.
 */
class Mutator
{
  public:
    static constexpr std::size_t MAX_SIZE = 96 * 1024; //!< Longest input, in bytes

    /**
     * @param seed Any number.
     * @param corpus Initial inputs, at least one.
     */
    Mutator(uint64_t seed, std::vector<std::string> corpus);

    /** @return the next input */
    std::string Next();

  private:
    /**
     * @param count A positive number.
     * @return a number below it
     */
    std::size_t Below(std::size_t count);

    /** @return a position in a nonempty input, more often near its beginning */
    std::size_t Place(const std::string& input);

    /**
     * Change an input in one way.
     *
     * @param input The input to change.
     */
    void Mutate(std::string& input);

    /**
     * Write a number that is likely to be near a limit.
     *
     * @param input Input to change.
     */
    void WriteNumber(std::string& input);

    std::mt19937_64 m_random;          //!< Source of all random choices
    std::vector<std::string> m_corpus; //!< Initial inputs
};

#endif /* MUTATOR_H */
