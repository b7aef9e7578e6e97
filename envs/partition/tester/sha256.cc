// SPDX-License-Identifier: GPL-2.0-only

#include "sha256.h"

#include <array>
#include <cstdint>

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#define HAS_SHA_INSTRUCTIONS // the compiler has
#endif

namespace ns3
{

namespace
{

using Words = std::array<uint32_t, 8>;

constexpr std::array<uint32_t, 64> ROUND_CONSTANTS{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/**
 * Hash 64 bytes.
 *
 * @param hash The hash so far.
 * @param bytes The bytes.
 */
void
TakeBlock(Words& hash, const char* bytes)
{
    std::array<uint32_t, 64> words;
    for (int i = 0; i < 16; i++)
    {
        words[i] = 0;
        for (int byte = 0; byte < 4; byte++)
        {
            words[i] = words[i] << 8 | static_cast<uint8_t>(bytes[4 * i + byte]);
        }
    }
    for (int i = 16; i < 64; i++)
    {
        const auto a = words[i - 15];
        const auto b = words[i - 2];
        words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (int i = 0; i < 64; i++)
    {
        const auto one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                         ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + words[i];
        const auto two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const Words added{a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
    {
        hash[i] += added[i];
    }
}

#ifdef HAS_SHA_INSTRUCTIONS
/**
 * Hash 64 bytes with the SHA instructions of x86 processors.
 * The order of words is that of Intel's manual (SHA256RNDS2, SHA256MSG1, SHA256MSG2).
 *
 * @param hash The hash so far.
 * @param bytes The bytes.
 */
__attribute__((target("sha,sse4.1"))) void
TakeBlockBySha(Words& hash, const char* bytes)
{
    const auto load = [](const void* from) {
        return _mm_loadu_si128(static_cast<const __m128i*>(from));
    };
    const auto swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const auto badc = _mm_shuffle_epi32(load(&hash[0]), 0xb1);
    const auto hgfe = _mm_shuffle_epi32(load(&hash[4]), 0x1b);
    auto abef = _mm_alignr_epi8(badc, hgfe, 8);
    auto cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    const auto abefBefore = abef;
    const auto cdghBefore = cdgh;
    __m128i words[4];
    for (int i = 0; i < 16; i++)
    {
        auto& word = words[i % 4];
        const auto& previous = words[(i + 3) % 4];
        if (i < 4)
        {
            word = _mm_shuffle_epi8(load(bytes + 16 * i), swap);
        }
        else
        {
            const auto sum = _mm_add_epi32(_mm_sha256msg1_epu32(word, words[(i + 1) % 4]),
                                           _mm_alignr_epi8(previous, words[(i + 2) % 4], 4));
            word = _mm_sha256msg2_epu32(sum, previous);
        }
        const auto keys = _mm_add_epi32(word, load(&ROUND_CONSTANTS[4 * i]));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, keys);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(keys, 0x0e));
    }
    const auto feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abefBefore), 0x1b);
    const auto dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdghBefore), 0xb1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&hash[0]), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&hash[4]), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

/**
 * @return the fastest function for 64 bytes on this processor
 */
auto
ChooseTakeBlock()
{
#ifdef HAS_SHA_INSTRUCTIONS
    if (__builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1"))
    {
        return TakeBlockBySha;
    }
#endif
    return TakeBlock;
}

} // namespace

std::string
Sha256(std::string_view text)
{
    Words hash{0x6a09e667,
               0xbb67ae85,
               0x3c6ef372,
               0xa54ff53a,
               0x510e527f,
               0x9b05688c,
               0x1f83d9ab,
               0x5be0cd19};
    static const auto takeBlock = ChooseTakeBlock();
    std::size_t position = 0;
    for (; position + 64 <= text.size(); position += 64)
    {
        takeBlock(hash, text.data() + position);
    }
    std::string rest(text.substr(position));
    rest += '\x80';
    rest.resize((rest.size() + 8 + 63) / 64 * 64, '\0');
    const uint64_t bits = 8 * text.size();
    for (int i = 0; i < 8; i++)
    {
        rest[rest.size() - 1 - i] = static_cast<char>(bits >> 8 * i);
    }
    for (position = 0; position < rest.size(); position += 64)
    {
        takeBlock(hash, rest.data() + position);
    }
    std::string digits;
    for (const auto word : hash)
    {
        for (int shift = 28; shift >= 0; shift -= 4)
        {
            digits += "0123456789abcdef"[word >> shift & 15];
        }
    }
    return digits;
}

} // namespace ns3
