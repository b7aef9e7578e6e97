// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_ROWS_H
#define MESSAGE_ROWS_H

#include "mailbox.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ns3
{

/**
 * @brief Arrays of Python with an element for each of several simulations.
 */
struct MessageRows
{
    std::size_t count;       //!< Number of simulations
    Mailboxes* const* boxes; //!< Their mailboxes
    uint64_t* numbers;       //!< Number of the last request of each
    const uint8_t* active;   //!< Whether it takes part
};

/**
 * @brief A message in which only numbers of fixed size vary.
 */
struct MessageForm
{
    const char* blank;  //!< The message
    std::size_t length; //!< Its length

    /**
     * @param begin Where a part begins.
     * @param size Its length.
     * @return whether the message holds it as a whole
     */
    bool Holds(std::size_t begin, std::size_t size) const
    {
        return begin <= length && size <= length - begin;
    }
};

/**
 * @brief Answers to requests of one agent.
 */
struct AnswerForm : MessageForm
{
    std::size_t number;     //!< Where the number of the request stands
    std::size_t action;     //!< Where the action stands
    std::size_t actionSize; //!< Its length

    /** @return whether a mailbox holds it, and it holds number and action */
    bool IsValid() const
    {
        return length <= Mailbox::CAPACITY && Holds(number, sizeof(uint64_t)) &&
               Holds(action, actionSize);
    }

    /**
     * Leave an answer for a simulation.
     *
     * @param boxes Its mailboxes.
     * @param request Number of the request.
     * @param taken The action.
     * @return whether it is to be woken
     */
    bool Post(Mailboxes& boxes, uint64_t request, const char* taken) const
    {
        auto* bytes = boxes.toSimulation.bytes;
        std::memcpy(bytes, blank, length);
        std::memcpy(bytes + number, &request, sizeof(request));
        std::memcpy(bytes + action, taken, actionSize);
        return boxes.toSimulation.Post(length);
    }
};

/**
 * @brief Requests of one agent that hold nothing but its observation and reward. What varies stands
 * in the order of the members.
 */
struct RequestForm : MessageForm
{
    std::size_t number;          //!< Where the number of the request stands
    std::size_t time;            //!< Where the simulated time stands
    std::size_t observation;     //!< Where the observation stands
    std::size_t observationSize; //!< Its length
    std::size_t reward;          //!< Where the reward stands

    /** @return whether a mailbox holds it, and it holds what varies, in this order */
    bool IsValid() const
    {
        const auto ends = [](std::size_t begin, std::size_t size, std::size_t next) {
            return begin <= next && size <= next - begin;
        };
        return length <= Mailbox::CAPACITY && ends(number, sizeof(uint64_t), time) &&
               ends(time, sizeof(int64_t), observation) &&
               ends(observation, observationSize, reward) && ends(reward, sizeof(double), length);
    }

    /**
     * @param message A message of this length.
     * @param request The number that it should have.
     * @return whether it is such a request
     */
    bool Fits(const char* message, uint64_t request) const
    {
        const auto same = [&](std::size_t from, std::size_t to) {
            return std::memcmp(message + from, blank + from, to - from) == 0;
        };
        return std::memcmp(message + number, &request, sizeof(request)) == 0 && same(0, number) &&
               same(number + sizeof(uint64_t), time) && same(time + sizeof(int64_t), observation) &&
               same(observation + observationSize, reward) && same(reward + sizeof(double), length);
    }

    /**
     * Take the message of a simulation, if it is such a request, and not of a time that is past.
     *
     * @param box Its mailbox.
     * @param request The number that it should have.
     * @param [in,out] times The simulated time of its last request, and where to put that of this.
     * @param [out] observations Where to put the observation.
     * @param [out] rewards Where to put the reward.
     * @return whether it was taken
     */
    bool Take(Mailbox& box, uint64_t request, char* times, char* observations, char* rewards) const
    {
        if (!box.HasMessage() || box.GetLength() != length || !Fits(box.bytes, request))
        {
            return false;
        }
        int64_t before = 0;
        int64_t now = 0;
        std::memcpy(&before, times, sizeof(before));
        std::memcpy(&now, box.bytes + time, sizeof(now));
        if (now < before)
        {
            return false;
        }
        std::memcpy(times, &now, sizeof(now));
        std::memcpy(observations, box.bytes + observation, observationSize);
        std::memcpy(rewards, box.bytes + reward, sizeof(double));
        ++box.read;
        return true;
    }
};

} // namespace ns3

#endif /* MESSAGE_ROWS_H */
