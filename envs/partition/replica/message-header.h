// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_HEADER_H
#define MESSAGE_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Writes the fields of a message in network byte order, or only counts their bytes.
 */
class FieldWriter
{
  public:
    FieldWriter() = default;

    /**
     * @param to Position of the first field.
     */
    explicit FieldWriter(Buffer::Iterator to)
        : m_to(to)
    {
    }

    /// @param field one byte
    template <typename T>
    void U8(const T& field)
    {
        Write(1, [&](Buffer::Iterator& to) { to.WriteU8(field); });
    }

    /// @param field 2 bytes
    template <typename T>
    void U16(const T& field)
    {
        Write(2, [&](Buffer::Iterator& to) { to.WriteHtonU16(field); });
    }

    /// @param field 4 bytes
    template <typename T>
    void U32(const T& field)
    {
        Write(4, [&](Buffer::Iterator& to) { to.WriteHtonU32(field); });
    }

    /// @param field 8 bytes
    template <typename T>
    void U64(const T& field)
    {
        Write(8, [&](Buffer::Iterator& to) { to.WriteHtonU64(field); });
    }

    /// @param list its number of elements is written
    template <typename T>
    void Length(const std::vector<T>& list)
    {
        U16(list.size());
    }

    /// @return the number of bytes
    uint32_t GetSize() const
    {
        return m_size;
    }

  private:
    /**
     * @param size Number of bytes.
     * @param write Writes the bytes.
     */
    template <typename F>
    void Write(uint32_t size, F write)
    {
        m_size += size;
        if (m_to)
        {
            write(*m_to);
        }
    }

    std::optional<Buffer::Iterator> m_to; //!< Position of the next field; none: only count
    uint32_t m_size{0};                   //!< Bytes so far
};

/**
 * @brief Reads the fields that a FieldWriter has written.
 */
class FieldReader
{
  public:
    /**
     * @param from Position of the first field.
     */
    explicit FieldReader(Buffer::Iterator from)
        : m_from(from)
    {
    }

    /// @param field one byte
    template <typename T>
    void U8(T& field)
    {
        Read(1, field, [this] { return m_from.ReadU8(); });
    }

    /// @param field 2 bytes
    template <typename T>
    void U16(T& field)
    {
        Read(2, field, [this] { return m_from.ReadNtohU16(); });
    }

    /// @param field 4 bytes; a too large number is invalid
    template <typename T>
    void U32(T& field)
    {
        uint32_t number = 0;
        Read(4, number, [this] { return m_from.ReadNtohU32(); });
        field = static_cast<T>(number);
        m_complete = m_complete && static_cast<uint32_t>(field) == number;
    }

    /// @param field 8 bytes
    template <typename T>
    void U64(T& field)
    {
        Read(8, field, [this] { return m_from.ReadNtohU64(); });
    }

    /// @param list gets the written number of elements
    template <typename T>
    void Length(std::vector<T>& list)
    {
        uint16_t length = 0;
        U16(length);
        list.resize(length);
    }

    /// @return whether all fields were complete
    bool IsComplete() const
    {
        return m_complete;
    }

  private:
    /**
     * @param size Number of bytes.
     * @param field Set to the value.
     * @param read Reads the bytes.
     */
    template <typename T, typename F>
    void Read(uint32_t size, T& field, F read)
    {
        m_complete = m_complete && m_from.GetRemainingSize() >= size;
        if (m_complete)
        {
            field = static_cast<T>(read());
        }
    }

    Buffer::Iterator m_from; //!< Position of the next field
    bool m_complete{true};   //!< Whether all fields so far were complete
};

/**
 * @brief A message of a protocol in a packet: 4 bytes that identify the protocol, then the fields
 * of the message.
 *
 * @tparam Format The format of the messages: their type `Message`; the `NAME` of the header's
 * TypeId; `MAGIC`, the first 4 bytes; `Visit(fields, message)`, which passes each field to a
 * FieldWriter or FieldReader; `IsValid(message)`, whether values are possible; and
 * `Print(os, message)`.
 */
template <typename Format>
class MessageHeader : public Header
{
  public:
    using Message = typename Format::Message; //!< Content of the header

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId(Format::NAME)
                                .SetParent<Header>()
                                .SetGroupName("defiance")
                                .template AddConstructor<MessageHeader<Format>>();
        return tid;
    }

    MessageHeader() = default;

    /**
     * @param message Content of the header.
     */
    explicit MessageHeader(Message message)
        : m_message(std::move(message))
    {
    }

    /**
     * @return the content
     */
    const Message& GetMessage() const
    {
        return m_message;
    }

    /**
     * @return whether the last header read was a message of the protocol
     */
    bool IsValid() const
    {
        return m_valid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return Write({}).GetSize();
    }

    void Serialize(Buffer::Iterator start) const override
    {
        Write(FieldWriter(start));
    }

    uint32_t Deserialize(Buffer::Iterator start) override
    {
        uint32_t magic = 0;
        m_message = {};
        FieldReader reader(start);
        reader.U32(magic);
        if (magic == Format::MAGIC)
        {
            Format::Visit(reader, m_message);
        }
        m_valid = magic == Format::MAGIC && reader.IsComplete() && Format::IsValid(m_message);
        return m_valid ? GetSerializedSize() : 0;
    }

    void Print(std::ostream& os) const override
    {
        Format::Print(os, m_message);
    }

  private:
    /**
     * @param writer Writes the message.
     * @return the writer
     */
    FieldWriter Write(FieldWriter writer) const
    {
        writer.U32(Format::MAGIC);
        Format::Visit(writer, m_message);
        return writer;
    }

    Message m_message;  //!< Fields of the message
    bool m_valid{true}; //!< Whether the last header read was valid
};

} // namespace ns3

#endif // MESSAGE_HEADER_H
