// SPDX-License-Identifier: GPL-2.0-only

#ifndef SHA256_H
#define SHA256_H

#include <string>
#include <string_view>

namespace ns3
{

/**
 * Hash a text according to FIPS 180-4, with the same result on every machine and in every version.
 *
 * @param text Any bytes.
 * @return the SHA-256, as 64 hexadecimal digits
 */
std::string Sha256(std::string_view text);

} // namespace ns3

#endif // SHA256_H
