// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEFIANCE_NAMES_H
#define DEFIANCE_NAMES_H

// Names for programs written for DEFIANCE. Of this project's headers, only the module's main header
// includes this one.

#include "ns3/callback.h"
#include "ns3/channel-interface.h"
#include "ns3/opengym-builders.h"

#include <cstdint>
#include <string>

namespace ns3
{

// DEFIANCE's ConnectionStatus is an unscoped enumeration.
using enum ConnectionStatus;

/// DEFIANCE's callback for an action without effect.
inline const Callback<void, Ptr<OpenGymDataContainer>> noopCallback{
    [](Ptr<OpenGymDataContainer>) {}};

/**
 * @brief DEFIANCE's name of MakeDictContainer(key, MakeBoxContainer<T>(size, values...)).
 * @tparam T Element type.
 * @param size Number of elements.
 * @param key Key of the box.
 * @param values The elements, `size` many, or none.
 * @return a dict with one box
 */
template <typename T, typename... Values>
Ptr<OpenGymDictContainer>
MakeDictBoxContainer(uint32_t size, const std::string& key, Values... values)
{
    return MakeDictContainer(key, MakeBoxContainer<T>(size, values...));
}

} // namespace ns3

#endif /* DEFIANCE_NAMES_H */
