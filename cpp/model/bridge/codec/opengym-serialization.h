// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_SERIALIZATION_H
#define OPENGYM_SERIALIZATION_H

#include "ns3/opengym-data-container.h"

#include <cstddef>
#include <string>

namespace ns3
{

/**
 * Write a container as a defiance.v1.DataContainer.
 *
 * @param container The container to write; each array in it must be filled.
 * @return the bytes; equal contents give equal bytes
 */
std::string SerializeContainer(Ptr<const OpenGymDataContainer> container);

/**
 * Count the bytes that SerializeContainer() would write, without writing them.
 *
 * @param container The container to measure; each array in it must be filled.
 * @return the number of bytes
 */
std::size_t GetSerializedSize(Ptr<const OpenGymDataContainer> container);

/**
 * Read a container from a defiance.v1.DataContainer.
 *
 * @param bytes The output of SerializeContainer(), or any other bytes.
 * @return the container, or null when the bytes do not describe one
 */
Ptr<OpenGymDataContainer> DeserializeContainer(const std::string& bytes);

} // namespace ns3

#endif /* OPENGYM_SERIALIZATION_H */
