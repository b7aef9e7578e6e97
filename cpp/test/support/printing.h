// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEFIANCE_TEST_PRINTING_H
#define DEFIANCE_TEST_PRINTING_H

#include "ns3/ptr.h"

#include <sstream>
#include <string>

/**
 * @ingroup defiance-tests
 * @param printable A space or a container.
 * @return the printed text
 */
template <typename T>
std::string
Print(const ns3::Ptr<T>& printable)
{
    std::ostringstream text;
    text << printable;
    return text.str();
}

#endif // DEFIANCE_TEST_PRINTING_H
