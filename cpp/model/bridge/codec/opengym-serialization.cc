// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-serialization.h"

#include "opengym-codec.h"

#include "ns3/abort.h"

namespace ns3
{

std::string
SerializeContainer(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    defiance::v1::DataContainer message;
    EncodeContainer(*container, message);
    return message.SerializeAsString();
}

Ptr<OpenGymDataContainer>
DeserializeContainer(const std::string& bytes)
{
    defiance::v1::DataContainer message;
    return message.ParseFromString(bytes) ? DecodeContainer(message) : nullptr;
}

} // namespace ns3
