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
 * @brief A part of a message that varies, of fixed size.
 */
struct MessageField
{
    std::size_t begin; //!< Where it begins
    std::size_t size;  //!< Its length
};

/**
 * @brief The bytes of a message in which only some fields of fixed size vary.
 *
 * The messages of all steps look alike, for one simulation and for many; a message is recognised
 * by its constant parts, and read and written by position.
 */
class MessageTemplate
{
  public:
    /**
     * @param blank The message, with anything in its fields.
     * @param fields The variable parts, in the order of the message.
     */
    MessageTemplate(std::string_view blank, std::vector<MessageField> fields)
        : m_blank(blank),
          m_fields(std::move(fields))
    {
    }

    /** @return whether the message holds its fields as a whole, one after the other */
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

    /** @return what varies */
    const std::vector<MessageField>& GetFields() const
    {
        return m_fields;
    }

    /**
     * Call a function with all that does not vary, even if it is empty: it lies between fields.
     *
     * @tparam Function Takes begin and length; returns whether to continue.
     * @param function The function.
     * @return whether it has always returned true
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
     * @return whether it differs in its fields alone
     */
    bool Fits(const char* message) const
    {
        return ForEachConstant([&](std::size_t begin, std::size_t size) {
            return std::memcmp(message + begin, m_blank.data() + begin, size) == 0;
        });
    }

    /**
     * @param message Where the message begins.
     * @param place Position of a field.
     * @return the field
     */
    std::string_view Read(const char* message, std::size_t place) const
    {
        return {message + m_fields[place].begin, m_fields[place].size};
    }

    /**
     * @param [out] message Where the message begins.
     * @param place Position of a field.
     * @param value As many bytes as the field has.
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
