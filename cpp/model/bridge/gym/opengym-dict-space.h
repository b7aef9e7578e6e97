// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_DICT_SPACE_H
#define OPENGYM_DICT_SPACE_H

#include "ns3/opengym-space.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Dicts whose entries each have their own space.
 */
class OpenGymDictSpace : public OpenGymSpace
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Add the space of an entry.
     *
     * @param key Key of the entry, in UTF-8.
     * @param space The space to add.
     * @return false when the space is null, or the key is taken or not UTF-8
     */
    bool Add(const std::string& key, Ptr<OpenGymSpace> space);

    /**
     * @param key Key of an entry.
     * @return the entry's space, or null when there is none
     */
    Ptr<OpenGymSpace> Get(const std::string& key) const;

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
    const std::map<std::string, Ptr<OpenGymSpace>>& GetEntries() const;

    void Print(std::ostream& where) const override;
    std::string FindFault(const OpenGymDataContainer* value, bool checkBounds) const override;
    std::size_t GetFlatSize() const override;
    Ptr<OpenGymDataContainer> Sample(Ptr<UniformRandomVariable> random) const override;
    Ptr<OpenGymDataContainer> Constant(double value) const override;

  private:
    std::map<std::string, Ptr<OpenGymSpace>> m_entries; //!< Spaces by key
};

} // namespace ns3

#endif /* OPENGYM_DICT_SPACE_H */
