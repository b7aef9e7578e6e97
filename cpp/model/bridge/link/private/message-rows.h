// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_ROWS_H
#define MESSAGE_ROWS_H

#include "mailbox.h"
#include "message-template.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ns3
{

/**
 * @brief Python's arrays with an element for each of several simulations.
 */
struct MessageRows
{
    std::size_t count;       //!< Number of simulations
    Mailboxes* const* boxes; //!< Mailboxes of the simulations
    uint64_t* numbers;       //!< Number of the last request of each
    const uint8_t* active;   //!< Whether each simulation takes part
};

/**
 * @brief Answers to requests of one agent, in which a number and an action vary.
 */
class AnswerRows
{
  public:
    /** @param form The template of answers; it outlives this object. */
    explicit AnswerRows(const MessageTemplate& form)
        : m_form(form)
    {
    }

    /** @return whether such an answer fits a mailbox, and has fields for number and action */
    bool IsValid() const
    {
        const auto& fields = m_form.GetFields();
        return m_form.GetBlank().size() <= Mailbox::CAPACITY && fields.size() == 2 &&
               fields[0].size == sizeof(uint64_t);
    }

    /** @return the length of an action */
    std::size_t GetActionSize() const
    {
        return m_form.GetFields()[1].size;
    }

    /**
     * Leave an answer for a simulation.
     *
     * @param boxes Mailboxes of the simulation.
     * @param request Number of the request.
     * @param action The action.
     * @return whether the simulation must be woken
     */
    bool Post(Mailboxes& boxes, uint64_t request, const char* action) const
    {
        auto* bytes = boxes.toSimulation.bytes;
        const auto& blank = m_form.GetBlank();
        std::memcpy(bytes, blank.data(), blank.size());
        m_form.Write(bytes, 0, &request);
        m_form.Write(bytes, 1, action);
        return boxes.toSimulation.Post(blank.size());
    }

  private:
    const MessageTemplate& m_form; //!< The template of answers
};

/**
 * @brief Requests of one agent with only its observation and reward, in which these, a number and a
 * time vary.
 */
class RequestRows
{
  public:
    /** @param form The template of requests; it outlives this object. */
    explicit RequestRows(const MessageTemplate& form)
        : m_form(form)
    {
    }

    /** @return whether such a request fits a mailbox, and has all four fields */
    bool IsValid() const
    {
        const auto& fields = m_form.GetFields();
        return m_form.GetBlank().size() <= Mailbox::CAPACITY && fields.size() == 4 &&
               fields[0].size == sizeof(uint64_t) && fields[1].size == sizeof(int64_t) &&
               fields[3].size == sizeof(double);
    }

    /** @return the length of an observation */
    std::size_t GetObservationSize() const
    {
        return m_form.GetFields()[2].size;
    }

    /**
     * Take the message of a simulation if it is a request of this kind, and not of a past time.
     *
     * @param box Mailbox of the simulation.
     * @param request Expected number.
     * @param [in,out] time Simulated time of the last request; set to the time of this request.
     * @param [out] observation Set to the observation.
     * @param [out] reward Set to the reward.
     * @return whether the message was taken
     */
    bool Take(Mailbox& box, uint64_t request, char* time, char* observation, char* reward) const
    {
        if (!box.HasMessage() || box.GetLength() != m_form.GetBlank().size() ||
            std::memcmp(m_form.Read(box.bytes, 0).data(), &request, sizeof(request)) != 0 ||
            !m_form.Fits(box.bytes))
        {
            return false;
        }
        int64_t before = 0;
        int64_t now = 0;
        std::memcpy(&before, time, sizeof(before));
        Copy(box, 1, &now);
        if (now < before)
        {
            return false;
        }
        std::memcpy(time, &now, sizeof(now));
        Copy(box, 2, observation);
        Copy(box, 3, reward);
        ++box.read;
        return true;
    }

  private:
    /**
     * @param box A mailbox.
     * @param place Index of a field of its message.
     * @param [out] target Destination of the field.
     */
    void Copy(const Mailbox& box, std::size_t place, void* target) const
    {
        const auto field = m_form.Read(box.bytes, place);
        std::memcpy(target, field.data(), field.size());
    }

    const MessageTemplate& m_form; //!< The template of requests
};

} // namespace ns3

#endif /* MESSAGE_ROWS_H */
