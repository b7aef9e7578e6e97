// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DATA_CONTAINER_H
#define OPENGYM_DATA_CONTAINER_H

#include "ns3/object.h"
#include "ns3/opengym-utf8.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymSpace: an observation, an action or a part of one.
 */
class OpenGymDataContainer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return a new container with equal contents, including nested containers
     */
    virtual Ptr<OpenGymDataContainer> Copy() const = 0;

    /**
     * @param where Output stream.
     */
    virtual void Print(std::ostream& where) const = 0;
};

/**
 * Make an empty container by copying an existing one, which takes a third of the time that
 * constructing an object with its attributes takes.
 *
 * @tparam T Class of the container.
 * @return a new container
 */
template <typename T>
Ptr<T>
MakeEmptyContainer()
{
    static const Ptr<T> prototype = CreateObject<T>();
    return CopyObject(prototype);
}

/**
 * @param where Stream to write to.
 * @param container The container to write; may be null.
 * @return the stream
 */
template <typename T>

requires std::is_convertible_v<T*, const OpenGymDataContainer*> std::ostream&
operator<<(std::ostream& where, const Ptr<T>& container)
{
    if (!container)
    {
        return where << "none";
    }
    container->Print(where);
    return where;
}

/**
 * @ingroup defiance
 *
 * @brief Containers or spaces by key, in the order of their keys.
 *
 * @tparam Base OpenGymDataContainer or OpenGymSpace.
 */
template <typename Base>
class OpenGymDict : public Base
{
  public:
    /**
     * Add an entry.
     *
     * @param key Key of the entry, in UTF-8.
     * @param value The entry.
     * @return false when the entry is null, or the key is present or not UTF-8
     */
    bool Add(const std::string& key, Ptr<Base> value)
    {
        return value && IsUtf8(key) && m_entries.emplace(key, value).second;
    }

    /**
     * @param key Key of an entry.
     * @return the entry, or null when there is none
     */
    Ptr<Base> Get(const std::string& key) const
    {
        const auto entry = m_entries.find(key);
        return entry == m_entries.end() ? nullptr : entry->second;
    }

    /**
     * @return the keys in ascending order
     */
    std::vector<std::string> GetKeys() const
    {
        std::vector<std::string> keys;
        for (const auto& [key, value] : m_entries)
        {
            keys.push_back(key);
        }
        return keys;
    }

    /**
     * @return the number of entries
     */
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_entries.size());
    }

    /**
     * @return the entries by key
     */
    const std::map<std::string, Ptr<Base>>& GetEntries() const
    {
        return m_entries;
    }

    void Print(std::ostream& where) const override
    {
        constexpr bool isContainer = std::is_same_v<Base, OpenGymDataContainer>;
        where << (isContainer ? "{" : "Dict(");
        const char* separator = "";
        for (const auto& [key, value] : m_entries)
        {
            where << separator << key << ": " << value;
            separator = ", ";
        }
        where << (isContainer ? "}" : ")");
    }

  protected:
    std::map<std::string, Ptr<Base>> m_entries; //!< The entries by key
};

/**
 * @ingroup defiance
 *
 * @brief Containers or spaces in a fixed order.
 *
 * @tparam Base OpenGymDataContainer or OpenGymSpace.
 */
template <typename Base>
class OpenGymTuple : public Base
{
  public:
    /**
     * Append an element.
     *
     * @param element The element to append.
     * @return false when it is null
     */
    bool Add(Ptr<Base> element)
    {
        if (element)
        {
            m_elements.push_back(element);
        }
        return element != nullptr;
    }

    /**
     * @param index Position of an element.
     * @return the element, or null when there is none
     */
    Ptr<Base> Get(uint32_t index) const
    {
        return index < m_elements.size() ? m_elements[index] : nullptr;
    }

    /**
     * @return the number of elements
     */
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_elements.size());
    }

    void Print(std::ostream& where) const override
    {
        where << (std::is_same_v<Base, OpenGymDataContainer> ? "(" : "Tuple(");
        const char* separator = "";
        for (const auto& element : m_elements)
        {
            where << separator << element;
            separator = ", ";
        }
        where << ")";
    }

  protected:
    std::vector<Ptr<Base>> m_elements; //!< The elements
};

} // namespace ns3

#endif /* OPENGYM_DATA_CONTAINER_H */
