// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-text-space.h"

#include "ns3/abort.h"
#include "ns3/opengym-text-container.h"
#include "ns3/opengym-utf8.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTextSpace);

const std::string OpenGymTextSpace::ALPHANUMERIC =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

TypeId
OpenGymTextSpace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymTextSpace").SetParent<OpenGymSpace>().SetGroupName("defiance");
    return tid;
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

uint64_t
OpenGymTextSpace::GetMinLength() const
{
    return m_minLength;
}

uint64_t
OpenGymTextSpace::GetMaxLength() const
{
    return m_maxLength;
}

const std::string&
OpenGymTextSpace::GetCharset() const
{
    return m_charset;
}

void
OpenGymTextSpace::Print(std::ostream& where) const
{
    where << "Text(" << m_minLength << ", " << m_maxLength << ", charset=" << m_charset << ")";
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

std::size_t
OpenGymTextSpace::GetFlatSize() const
{
    return m_maxLength;
}

Ptr<OpenGymDataContainer>
OpenGymTextSpace::Sample(Ptr<UniformRandomVariable> random) const
{
    const auto length = m_minLength + SampleUpTo(random, m_maxLength - m_minLength);
    std::string text;
    for (uint64_t i = 0; i < length; ++i)
    {
        text += m_characters[SampleUpTo(random, m_characters.size() - 1)];
    }
    return CreateObject<OpenGymTextContainer>(text);
}

Ptr<OpenGymDataContainer>
OpenGymTextSpace::Constant(double value) const
{
    std::string text;
    for (uint64_t i = 0; i < m_minLength; ++i)
    {
        text += m_characters.front();
    }
    return CreateObject<OpenGymTextContainer>(text);
}

} // namespace ns3
