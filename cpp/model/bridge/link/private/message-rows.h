// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_ROWS_H
#define MESSAGE_ROWS_H

#include "mailbox.h"
#include "message-template.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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
 * @brief Requests of one agent in which a number, a time and further fields vary: the parts of its
 * observation, its reward and its infos.
 */
class RequestRows
{
  public:
    /** @param form The template of requests; it outlives this object. */
    explicit RequestRows(const MessageTemplate& form)
        : m_form(form)
    {
    }

    /**
     * @param columns Number of Python's arrays.
     * @return whether such a request fits a mailbox, and has a number, a time, and a further field
     * for each array
     */
    bool IsValid(std::size_t columns) const
    {
        const auto& fields = m_form.GetFields();
        return m_form.GetBlank().size() <= Mailbox::CAPACITY && fields.size() == 2 + columns &&
               fields[0].size == sizeof(uint64_t) && fields[1].size == sizeof(int64_t);
    }

    /**
     * Take the message of a simulation if it is a request of this kind, and not of a past time.
     *
     * @param box Mailbox of the simulation.
     * @param request Expected number.
     * @param [in,out] time Simulated time of the last request; set to the time of this request.
     * @param row The simulation's row in the arrays.
     * @param columns An array for each further field; its row is set to the field.
     * @return whether the message was taken
     */
    bool Take(Mailbox& box,
              uint64_t request,
              int64_t& time,
              std::size_t row,
              const std::vector<char*>& columns) const
    {
        if (!box.HasMessage() || box.GetLength() != m_form.GetBlank().size() ||
            std::memcmp(m_form.Read(box.bytes, 0).data(), &request, sizeof(request)) != 0 ||
            !m_form.Fits(box.bytes))
        {
            return false;
        }
        int64_t now = 0;
        std::memcpy(&now, m_form.Read(box.bytes, 1).data(), sizeof(now));
        if (now < time)
        {
            return false;
        }
        time = now;
        for (std::size_t i = 0; i < columns.size(); ++i)
        {
            const auto field = m_form.Read(box.bytes, 2 + i);
            std::memcpy(columns[i] + row * field.size(), field.data(), field.size());
        }
        ++box.read;
        return true;
    }

  private:
    const MessageTemplate& m_form; //!< The template of requests
};

} // namespace ns3

#endif /* MESSAGE_ROWS_H */
