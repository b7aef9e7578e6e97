// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-spaces.h"

#include "ns3/abort.h"
#include "ns3/object-type.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ns3
{

DEFIANCE_OBJECT(OpenGymSpace, Object);
DEFIANCE_OBJECT(OpenGymDiscreteSpace, OpenGymSpace);
DEFIANCE_OBJECT(OpenGymTextSpace, OpenGymSpace);
DEFIANCE_OBJECT(OpenGymTupleSpace, OpenGymSpace);
DEFIANCE_OBJECT(OpenGymDictSpace, OpenGymSpace);

std::string
OpenGymSpace::DescribeKind(const OpenGymDataContainer* value, const std::string& expected)
{
    return value
               ? "is of class " + value->GetInstanceTypeId().GetName() + ", but must be " + expected
               : "is missing";
}

uint64_t
OpenGymSpace::SampleUpTo(Ptr<UniformRandomVariable> random, uint64_t largest)
{
    constexpr uint32_t allBits = std::numeric_limits<uint32_t>::max();
    if (largest <= allBits)
    {
        return random->GetInteger(0, static_cast<uint32_t>(largest));
    }
    const auto draw = [&random] {
        const uint64_t upper = random->GetInteger(0, allBits);
        return (upper << 32) | random->GetInteger(0, allBits);
    };
    if (largest == std::numeric_limits<uint64_t>::max())
    {
        return draw();
    }
    // Draws beyond the last whole multiple of the range would favour small numbers.
    const uint64_t range = largest + 1;
    const uint64_t limit = std::numeric_limits<uint64_t>::max() / range * range;
    uint64_t value = draw();
    while (value >= limit)
    {
        value = draw();
    }
    return value % range;
}

double
OpenGymSpace::SampleReal(Ptr<UniformRandomVariable> random, double low, double high)
{
    const double u = random->GetValue(0, 1);
    const double exponential = -std::log1p(-u);
    if (std::isinf(low) && std::isinf(high))
    {
        const double angle = 2 * M_PI * random->GetValue(0, 1);
        return std::sqrt(2 * exponential) * std::cos(angle);
    }
    if (std::isinf(high))
    {
        return low + exponential;
    }
    if (std::isinf(low))
    {
        return high - exponential;
    }
    // The width of the range may exceed double.
    return low * (1 - u) + high * u;
}

const std::string OpenGymTextSpace::ALPHANUMERIC =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

OpenGymDiscreteSpace::OpenGymDiscreteSpace(int64_t n, int64_t start)
    : m_n(n),
      m_start(start)
{
    NS_ABORT_MSG_IF(n <= 0, "A discrete space holds at least one integer, not " << n);
    NS_ABORT_MSG_IF(start > std::numeric_limits<int64_t>::max() - (n - 1),
                    "A discrete space of " << n << " integers from " << start
                                           << " exceeds 64 bits");
}

std::string
OpenGymDiscreteSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* discrete = CastTo<OpenGymDiscreteContainer>(value);
    if (!discrete)
    {
        return DescribeKind(value, "a discrete value");
    }
    const auto number = discrete->GetValue();
    if (!checkBounds || (number >= m_start && number <= m_start + (m_n - 1)))
    {
        return "";
    }
    return "is " + std::to_string(number) + ", but must be from " + std::to_string(m_start) +
           " to " + std::to_string(m_start + (m_n - 1));
}

Ptr<OpenGymDataContainer>
OpenGymDiscreteSpace::Make(const Choice& choice) const
{
    auto discrete = MakeEmptyContainer<OpenGymDiscreteContainer>();
    discrete->SetValue(choice.Pick(m_start, m_start + (m_n - 1)));
    return discrete;
}

OpenGymTextSpace::OpenGymTextSpace(uint64_t maxLength, uint64_t minLength, std::string charset)
    : m_minLength(minLength),
      m_maxLength(maxLength),
      m_charset(std::move(charset))
{
    NS_ABORT_MSG_IF(minLength > maxLength,
                    "A text space has least length " << minLength << " and largest length "
                                                     << maxLength);
    const auto characters = SplitUtf8(m_charset);
    NS_ABORT_MSG_IF(!characters, "The character set of a text space is not UTF-8");
    m_characters = *characters;
    NS_ABORT_MSG_IF(m_characters.empty() && maxLength > 0,
                    "A text space without characters allows only the empty text");
    const std::set<std::string> different(m_characters.begin(), m_characters.end());
    NS_ABORT_MSG_IF(different.size() != m_characters.size(),
                    "A character is given twice to a text space: " << m_charset);
}

std::string
OpenGymTextSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* text = CastTo<OpenGymTextContainer>(value);
    if (!text)
    {
        return DescribeKind(value, "a text");
    }
    const auto characters = SplitUtf8(text->GetValue());
    if (!characters)
    {
        return "is not text in UTF-8";
    }
    if (!checkBounds)
    {
        return "";
    }
    if (characters->size() < m_minLength || characters->size() > m_maxLength)
    {
        return "has " + std::to_string(characters->size()) + " characters, but must have from " +
               std::to_string(m_minLength) + " to " + std::to_string(m_maxLength);
    }
    for (const auto& character : *characters)
    {
        if (std::find(m_characters.begin(), m_characters.end(), character) == m_characters.end())
        {
            return "has '" + character + "', which is not one of the space's characters";
        }
    }
    return "";
}

Ptr<OpenGymDataContainer>
OpenGymTextSpace::Make(const Choice& choice) const
{
    const auto pick = [&choice](uint64_t least, uint64_t largest) {
        return choice.random ? choice.Pick(least, largest) : least;
    };
    const auto length = pick(m_minLength, m_maxLength);
    std::string text;
    for (uint64_t i = 0; i < length; ++i)
    {
        text += m_characters[pick(0, m_characters.size() - 1)];
    }
    return CreateObject<OpenGymTextContainer>(text);
}

std::string
OpenGymTupleSpace::FindFault(const OpenGymDataContainer* value, bool checkBounds) const
{
    const auto* tuple = CastTo<OpenGymTupleContainer>(value);
    if (!tuple)
    {
        return DescribeKind(value, "a tuple");
    }
    if (tuple->GetSize() != GetSize())
    {
        return "has " + std::to_string(tuple->GetSize()) + " elements, but must have " +
               std::to_string(GetSize());
    }
    for (uint32_t i = 0; i < GetSize(); ++i)
    {
        const auto element = tuple->Get(i);
        if (const auto fault = m_elements[i]->FindFault(PeekPointer(element), checkBounds);
            !fault.empty())
        {
            return "item " + std::to_string(i) + " " + fault;
        }
    }
    return "";
}

std::size_t
OpenGymTupleSpace::GetFlatSize() const
{
    std::size_t size = 0;
    for (const auto& element : m_elements)
    {
        size += element->GetFlatSize();
    }
    return size;
}

Ptr<OpenGymDataContainer>
OpenGymTupleSpace::Make(const Choice& choice) const
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    for (const auto& element : m_elements)
    {
        tuple->Add(element->Make(choice));
    }
    return tuple;
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
OpenGymDictSpace::Make(const Choice& choice) const
{
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    for (const auto& [key, space] : m_entries)
    {
        dict->Add(key, space->Make(choice));
    }
    return dict;
}

} // namespace ns3
