// SPDX-License-Identifier: GPL-2.0-only

#include "private/step-link.h"

namespace ns3
{

std::unique_ptr<StepLink>
StepLink::Create(const BridgeOptions& options)
{
    for (const auto make : {MakeLocal, MakeZmtp})
    {
        if (auto link = make(options))
        {
            return link;
        }
    }
    return MakeZmq(options);
}

StepLink::~StepLink() = default;

std::size_t
StepLink::CheckLength(uint64_t length, uint64_t limit)
{
    if (length > limit)
    {
        throw BridgeFault("Python sent a message of " + std::to_string(length) + " bytes where " +
                              std::to_string(limit) + " are possible",
                          defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
    }
    return static_cast<std::size_t>(length);
}

void
StepLink::Send(const defiance::v1::SimulationMessage& message)
{
    if (message.ByteSizeLong() > MAX_MESSAGE_BYTES || !message.SerializeToString(&m_sent))
    {
        throw BridgeFault("a message of " + std::to_string(message.ByteSizeLong()) +
                          " bytes is larger than protobuf can carry");
    }
    SendBytes(m_sent);
}

void
StepLink::SendFailure(defiance::v1::Failure::Code code, const std::string& text)
{
    defiance::v1::SimulationMessage message;
    message.mutable_failure()->set_code(code);
    message.mutable_failure()->set_message(text);
    Send(message);
}

void
StepLink::Receive(defiance::v1::PythonMessage& message)
{
    const auto bytes = ReceiveBytes();
    if (bytes.size() > MAX_MESSAGE_BYTES ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    {
        throw BridgeFault("Python sent " + std::to_string(bytes.size()) +
                              " bytes that are not a message of the protocol",
                          defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
    }
}

} // namespace ns3
