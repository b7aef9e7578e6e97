// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DICT_CONTAINER_H
#define OPENGYM_DICT_CONTAINER_H

#include "ns3/opengym-data-container.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymDictSpace: containers by key, in ascending byte order of the keys.
 */
class OpenGymDictContainer final : public OpenGymDataContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Add an entry.
     *
     * @param key Key of the entry, in UTF-8.
     * @param value The container to add.
     * @return false when the container is null, or the key is taken or not UTF-8
     */
    bool Add(const std::string& key, Ptr<OpenGymDataContainer> value);

    /**
     * @param key Key of an entry.
     * @return the entry's container, or null when there is none
     */
    Ptr<OpenGymDataContainer> Get(const std::string& key) const;

    /**
     * @return the keys in ascending byte order
     */
    std::vector<std::string> GetKeys() const;

    /**
     * @return the number of entries
     */
    uint32_t GetSize() const;

    /**
     * @return the entries in ascending byte order of their keys
     */
    const std::map<std::string, Ptr<OpenGymDataContainer>>& GetEntries() const;

    Ptr<OpenGymDataContainer> Copy() const override;
    void Print(std::ostream& where) const override;

  private:
    std::map<std::string, Ptr<OpenGymDataContainer>> m_entries; //!< Containers by key
};

} // namespace ns3

#endif /* OPENGYM_DICT_CONTAINER_H */
