// SPDX-License-Identifier: GPL-2.0-only

// The simulation's decoders. Accepted inputs stay the same when they are written and read again.

#include "golden-messages.h"
#include "onnx-network.h"
#include "opengym-codec.h"
#include "report-codec.h"
#include "targets.h"

#include "ns3/opengym-serialization.h"

#include <vector>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

/**
 * Read a message as a stack.
 *
 * @param message Any message.
 * @param rows Expected number of rows.
 */
void
DecodeRows(const wire::DataContainer& message, std::size_t rows)
{
    static const auto space = MakeGoldenSpace();
    const auto decoded = DecodeStack(message, rows);
    if (decoded.empty())
    {
        return;
    }
    Require(decoded.size() == rows, "a stack has the expected number of rows");
    std::vector<const OpenGymDataContainer*> pointers;
    for (const auto& row : decoded)
    {
        Require(CanStack(*decoded.front(), *row), "rows of a stack can be stacked");
        space->FindFault(PeekPointer(row), true);
        pointers.push_back(PeekPointer(row));
    }
    wire::DataContainer written;
    EncodeStack(pointers, written);
    const auto again = DecodeStack(written, rows);
    Require(again.size() == rows, "the written message is a stack");
    for (std::size_t i = 0; i < rows; ++i)
    {
        Require(SerializeContainer(again[i]) == SerializeContainer(decoded[i]),
                "a written row is unchanged");
    }
}

/** @param input Messages from Python. */
void
ReadReply(const std::string& input)
{
    wire::PythonMessage message;
    if (!message.ParseFromString(input))
    {
        return;
    }
    for (const auto& action : message.step_reply().actions())
    {
        for (std::size_t rows = 1; rows <= 3; ++rows)
        {
            DecodeRows(action, rows);
        }
    }
    const auto orders = DecodeTransfers(message.step_reply().transfers());
    Require(orders.size() == static_cast<std::size_t>(message.step_reply().transfers_size()),
            "no order is lost");
}

/** @param input Bytes from a channel between applications. */
void
ReadContainer(const std::string& input)
{
    const auto container = DeserializeContainer(input);
    if (!container)
    {
        return;
    }
    const auto written = SerializeContainer(container);
    const auto again = DeserializeContainer(written);
    Require(again && SerializeContainer(again) == written, "a written container is a container");
}

/** @param input Content of a policy file. */
void
ReadPolicy(const std::string& input)
{
    try
    {
        CheckOnnxModel(input);
    }
    catch (const PolicyFault&)
    {
        return;
    }
}

} // namespace

std::map<std::string, FuzzTarget>
GetDecoderTargets()
{
    return {{"replies", ReadReply}, {"containers", ReadContainer}, {"policies", ReadPolicy}};
}
