// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-dict-space.h"

#include "ns3/opengym-dict-container.h"
#include "ns3/opengym-utf8.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymDictSpace);

TypeId
OpenGymDictSpace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymDictSpace")
                            .SetParent<OpenGymSpace>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymDictSpace>();
    return tid;
}

bool
OpenGymDictSpace::Add(const std::string& key, Ptr<OpenGymSpace> space)
{
    return space && IsUtf8(key) && m_entries.emplace(key, space).second;
}

Ptr<OpenGymSpace>
OpenGymDictSpace::Get(const std::string& key) const
{
    const auto found = m_entries.find(key);
    return found == m_entries.end() ? nullptr : found->second;
}

std::vector<std::string>
OpenGymDictSpace::GetKeys() const
{
    std::vector<std::string> keys;
    for (const auto& [key, space] : m_entries)
    {
        keys.push_back(key);
    }
    return keys;
}

uint32_t
OpenGymDictSpace::GetSize() const
{
    return static_cast<uint32_t>(m_entries.size());
}

const std::map<std::string, Ptr<OpenGymSpace>>&
OpenGymDictSpace::GetEntries() const
{
    return m_entries;
}

void
OpenGymDictSpace::Print(std::ostream& where) const
{
    const char* separator = "";
    where << "Dict(";
    for (const auto& [key, space] : m_entries)
    {
        where << separator << key << ": " << space;
        separator = ", ";
    }
    where << ")";
}

std::string
OpenGymDictSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* dict = CastTo<OpenGymDictContainer>(value);
    if (!dict)
    {
        return DescribeKind(value, "a dict");
    }
    // Both are in the order of their keys.
    auto entry = dict->GetEntries().begin();
    const auto end = dict->GetEntries().end();
    for (const auto& [key, space] : m_entries)
    {
        if (entry == end || entry->first != key)
        {
            return dict->Get(key) ? "has key '" + entry->first + "', which the space does not have"
                                  : "key '" + key + "' is missing";
        }
        if (auto fault = space->FindFault(PeekPointer(entry->second), checkBounds); !fault.empty())
        {
            return "key '" + key + "' " + fault;
        }
        ++entry;
    }
    return entry == end ? "" : "has key '" + entry->first + "', which the space does not have";
}

std::size_t
OpenGymDictSpace::GetFlatSize() const
{
    std::size_t size = 0;
    for (const auto& [key, space] : m_entries)
    {
        size += space->GetFlatSize();
    }
    return size;
}

Ptr<OpenGymDataContainer>
OpenGymDictSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    for (const auto& [key, space] : m_entries)
    {
        dict->Add(key, space->Sample(random));
    }
    return dict;
}

Ptr<OpenGymDataContainer>
OpenGymDictSpace::Constant(double value) const
{
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    for (const auto& [key, space] : m_entries)
    {
        dict->Add(key, space->Constant(value));
    }
    return dict;
}

} // namespace ns3
