// SPDX-License-Identifier: GPL-2.0-only

#include "mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace
{

/** Numbers at limits: of signs, sizes of types, mailboxes, protobuf. */
constexpr std::array<uint64_t, 16> NUMBERS{0,
                                           1,
                                           2,
                                           7,
                                           8,
                                           9,
                                           0x7f,
                                           0x80,
                                           0xff,
                                           0xffff,
                                           0x10000,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x7fffffffffffffff,
                                           0xffffffffffffffff};

} // namespace

Mutator::Mutator(uint64_t seed, std::vector<std::string> corpus)
    : m_random(seed),
      m_corpus(std::move(corpus))
{
}

std::size_t
Mutator::Below(std::size_t count)
{
    return m_random() % count;
}

std::size_t
Mutator::Place(const std::string& input)
{
    const auto place = Below(input.size());
    return Below(2) == 0 ? place : Below(place + 1);
}

std::string
Mutator::Next()
{
    auto input = m_corpus[Below(m_corpus.size())];
    for (auto count = Below(6); count > 0; --count)
    {
        Mutate(input);
    }
    input.resize(std::min(input.size(), MAX_SIZE));
    return input;
}

void
Mutator::Mutate(std::string& input)
{
    if (input.empty())
    {
        input.push_back(static_cast<char>(m_random()));
        return;
    }
    const auto place = Place(input);
    const auto length = 1 + Below(std::min<std::size_t>(input.size() - place, 32));
    const auto& other = m_corpus[Below(m_corpus.size())];
    switch (Below(8))
    {
    case 0:
        input[place] = static_cast<char>(input[place] ^ (1 << Below(8)));
        break;
    case 1:
        input[place] = static_cast<char>(m_random());
        break;
    case 2:
        input.erase(place, length);
        break;
    case 3:
        input.insert(place, input.substr(place, length));
        break;
    case 4:
        input.resize(place);
        break;
    case 5:
        input.insert(place, other.substr(other.empty() ? 0 : Below(other.size())));
        break;
    case 6:
        input.insert(place, std::string(length, static_cast<char>(m_random())));
        break;
    default:
        WriteNumber(input);
    }
}

void
Mutator::WriteNumber(std::string& input)
{
    auto number = NUMBERS[Below(NUMBERS.size())] + Below(3) - 1;
    std::array<char, sizeof(number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    if (Below(4) == 0)
    {
        std::reverse(bytes.begin(), bytes.end());
    }
    const auto size = std::min(std::size_t{1} << Below(4), input.size());
    const auto place = Below(input.size() - size + 1);
    std::copy_n(bytes.begin(), size, input.begin() + static_cast<std::ptrdiff_t>(place));
}
