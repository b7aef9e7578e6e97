// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-dict-container.h"

#include "ns3/opengym-utf8.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDictContainer);

TypeId
OpenGymDictContainer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymDictContainer")
                            .SetParent<OpenGymDataContainer>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymDictContainer>();
    return tid;
}

bool
OpenGymDictContainer::Add(const std::string& key, Ptr<OpenGymDataContainer> value)
{
    return value && IsUtf8(key) && m_entries.emplace(key, value).second;
}

Ptr<OpenGymDataContainer>
OpenGymDictContainer::Get(const std::string& key) const
{
    const auto found = m_entries.find(key);
    return found == m_entries.end() ? nullptr : found->second;
}

std::vector<std::string>
OpenGymDictContainer::GetKeys() const
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_entries)
    {
        keys.push_back(key);
    }
    return keys;
}

uint32_t
OpenGymDictContainer::GetSize() const
{
    return static_cast<uint32_t>(m_entries.size());
}

const std::map<std::string, Ptr<OpenGymDataContainer>>&
OpenGymDictContainer::GetEntries() const
{
    return m_entries;
}

Ptr<OpenGymDataContainer>
OpenGymDictContainer::Copy() const
{
    auto copy = CopyObject(Ptr<const OpenGymDictContainer>(this));
    for (auto& [key, value] : copy->m_entries)
    {
        value = value->Copy();
    }
    return copy;
}

void
OpenGymDictContainer::Print(std::ostream& where) const
{
    const char* separator = "";
    where << "{";
    for (const auto& [key, value] : m_entries)
    {
        where << separator << key << ": " << value;
        separator = ", ";
    }
    where << "}";
}

} // namespace ns3
