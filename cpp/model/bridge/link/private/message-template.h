// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_TEMPLATE_H
#define MESSAGE_TEMPLATE_H

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A variable part of a message, of fixed size.
 */
struct MessageField
{
    std::size_t begin; //!< Offset of the part
    std::size_t size;  //!< Length of the part
};

/**
 * @brief The bytes of a message in which only fields of fixed size vary.
 *
 * The messages of all steps have the same template, for one simulation and for many. A message is
 * recognised by its constant parts, and read and written by position.
 */
class MessageTemplate
{
  public:
    /**
     * @param blank The message, with any content in its fields.
     * @param fields The variable parts, in the order of the message.
     */
    MessageTemplate(std::string_view blank, std::vector<MessageField> fields)
        : m_blank(blank),
          m_fields(std::move(fields))
    {
    }

    /** @return whether the message contains all fields, in order */
    bool IsValid() const
    {
        std::size_t end = 0;
        for (const auto& field : m_fields)
        {
            if (field.begin < end || field.begin > m_blank.size() ||
                field.size > m_blank.size() - field.begin)
            {
                return false;
            }
            end = field.begin + field.size;
        }
        return true;
    }

    /** @return the message */
    const std::string& GetBlank() const
    {
        return m_blank;
    }

    /** @return the fields */
    const std::vector<MessageField>& GetFields() const
    {
        return m_fields;
    }

    /**
     * Call a function for each constant part, even if it is empty: the parts lie between fields.
     *
     * @tparam Function Takes begin and length; returns whether to continue.
     * @param function The function.
     * @return whether the function always returned true
     */
    template <typename Function>
    bool ForEachConstant(Function function) const
    {
        std::size_t end = 0;
        for (const auto& field : m_fields)
        {
            if (!function(end, field.begin - end))
            {
                return false;
            }
            end = field.begin + field.size;
        }
        return function(end, m_blank.size() - end);
    }

    /**
     * @param message A message of this length.
     * @return whether only its fields differ
     */
    bool Fits(const char* message) const
    {
        return ForEachConstant([&](std::size_t begin, std::size_t size) {
            return std::memcmp(message + begin, m_blank.data() + begin, size) == 0;
        });
    }

    /**
     * @param message Begin of the message.
     * @param place Index of a field.
     * @return the field
     */
    std::string_view Read(const char* message, std::size_t place) const
    {
        return {message + m_fields[place].begin, m_fields[place].size};
    }

    /**
     * @param [out] message Begin of the message.
     * @param place Index of a field.
     * @param value Bytes of the field, in its size.
     */
    void Write(char* message, std::size_t place, const void* value) const
    {
        std::memcpy(message + m_fields[place].begin, value, m_fields[place].size);
    }

  private:
    std::string m_blank;                //!< The message
    std::vector<MessageField> m_fields; //!< The variable parts
};

} // namespace ns3

#endif /* MESSAGE_TEMPLATE_H */
