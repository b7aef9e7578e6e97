// SPDX-License-Identifier: GPL-2.0-only

#include "policy-file.h"

#include "flatten-values.h"
#include "onnx-network.h"
#include "opengym-codec.h"

#include "ns3/regular-file.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/** Most numbers of an input or output. */
constexpr int64_t MOST_ELEMENTS = int64_t{1} << 24;

/**
 * @param tensors Inputs or outputs of a network.
 * @param name Name to find.
 * @return the tensor with this name
 */
std::vector<NamedTensor>::const_iterator
Find(const std::vector<NamedTensor>& tensors, std::string_view name)
{
    return std::find_if(tensors.begin(), tensors.end(), [name](const auto& tensor) {
        return tensor.first == name;
    });
}

/**
 * @param tensors Inputs or outputs of a network.
 * @param name Name to find.
 * @return the tensor, for a batch of one; throw PolicyFault when it is missing or of unknown type
 */
OnnxTensor
GetTensor(const std::vector<NamedTensor>& tensors, const std::string& name)
{
    const auto found = Find(tensors, name);
    if (found == tensors.end())
    {
        throw PolicyFault("it has no '" + name + "'");
    }
    const auto& [type, shape, values] = found->second;
    if (type != ONNX_FLOAT && type != ONNX_INT64)
    {
        throw PolicyFault("'" + name + "' is neither float32 nor int64");
    }
    OnnxTensor tensor{name, type == ONNX_INT64, {1}, 1};
    if (shape.empty() || (shape.front() != -1 && shape.front() != 1))
    {
        throw PolicyFault("the first axis of '" + name + "' must be a batch of any size");
    }
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
    {
        if (shape[axis] <= 0)
        {
            throw PolicyFault("axis " + std::to_string(axis) + " of '" + name +
                              "' has no fixed length");
        }
        if (shape[axis] > MOST_ELEMENTS / static_cast<int64_t>(tensor.size))
        {
            throw PolicyFault("'" + name + "' has more than " + std::to_string(MOST_ELEMENTS) +
                              " numbers");
        }
        tensor.shape.push_back(shape[axis]);
        tensor.size *= shape[axis];
    }
    return tensor;
}

/**
 * @param network The network of a file.
 * @param key Key of the metadata.
 * @return the space of the key, if any; throw PolicyFault when it is malformed
 */
std::optional<wire::Space>
FindSpace(const OnnxNetwork& network, const std::string& key)
{
    const auto found = network.metadata.find(key);
    if (found == network.metadata.end())
    {
        return std::nullopt;
    }
    wire::Space space;
    const std::string json(found->second);
    const auto status = google::protobuf::util::JsonStringToMessage(json, &space);
    if (!status.ok())
    {
        throw PolicyFault("its " + key + " cannot be read: " + status.ToString());
    }
    return space;
}

/**
 * @param space A space.
 * @return the description of the space
 */
std::string
Describe(const OpenGymSpace& space)
{
    std::ostringstream description;
    space.Print(description);
    return description.str();
}

/**
 * Repeat a bound for all elements of a box, so that equal spaces are equal messages.
 *
 * @param elements Number of elements of the box.
 * @param itemSize Bytes of an element.
 * @param bound One bound or one per element.
 */
void
Repeat(std::size_t elements, std::size_t itemSize, std::string& bound)
{
    const auto one = bound;
    while (one.size() == itemSize && bound.size() < elements * itemSize)
    {
        bound += one;
    }
}

/**
 * Write the bounds of boxes per element, as Python does.
 *
 * @param space A space of an agent.
 */
void
ExpandBounds(wire::Space& space)
{
    if (space.has_box())
    {
        auto& box = *space.mutable_box();
        std::size_t elements = 1;
        for (const auto length : box.shape())
        {
            elements *= length;
        }
        const auto itemSize = VisitDtype(static_cast<OpenGymDtype>(box.dtype()), [](auto type) {
            return sizeof(typename decltype(type)::type);
        });
        Repeat(elements, itemSize, *box.mutable_low());
        Repeat(elements, itemSize, *box.mutable_high());
    }
    else if (space.has_tuple())
    {
        for (auto& element : *space.mutable_tuple()->mutable_elements())
        {
            ExpandBounds(element);
        }
    }
    else if (space.has_dict())
    {
        for (auto& entry : *space.mutable_dict()->mutable_entries())
        {
            ExpandBounds(*entry.mutable_space());
        }
    }
}

} // namespace

PolicyFile::PolicyFile(std::string path)
    : m_name("policy file '" + path + "'")
{
    const auto file = ReadRegularFile(path, MOST_POLICY_BYTES);
    if (!file.fault.empty())
    {
        throw Fault(file.fault);
    }
    Load(file.content, false);
}

void
PolicyFile::Load(const std::string& bytes, bool hasNoise)
{
    try
    {
        const auto network = CheckOnnxModel(bytes);
        m_input = GetTensor(network.inputs, "observation");
        m_output = GetTensor(network.outputs, "action");
        m_observationSpace = FindSpace(network, "defiance.v1.observation_space");
        m_actionSpace = FindSpace(network, "defiance.v1.action_space");
        FindState(network);
        std::vector<OnnxTensor> inputs{m_input};
        std::vector<OnnxTensor> outputs{m_output};
        if (m_state && hasNoise)
        {
            throw PolicyFault("it has a 'state', which the policy of a fragment cannot have");
        }
        if (m_state)
        {
            inputs.push_back(*m_state);
            outputs.push_back(*m_nextState);
        }
        if (hasNoise)
        {
            m_noise = GetTensor(network.inputs, "noise");
            if (m_noise->isInteger)
            {
                throw PolicyFault("'noise' is not float32");
            }
            inputs.push_back(*m_noise);
        }
        m_session = std::make_unique<OnnxSession>(bytes, inputs, outputs);
    }
    catch (const PolicyFault& fault)
    {
        throw Fault(fault.what());
    }
}

void
PolicyFile::FindState(const OnnxNetwork& network)
{
    if (Find(network.inputs, "state") == network.inputs.end() &&
        Find(network.outputs, "next_state") == network.outputs.end())
    {
        return;
    }
    m_state = GetTensor(network.inputs, "state");
    m_nextState = GetTensor(network.outputs, "next_state");
    if (m_state->isInteger || m_nextState->isInteger)
    {
        throw PolicyFault("'state' and 'next_state' are not both float32");
    }
    if (m_state->shape != m_nextState->shape)
    {
        throw PolicyFault("'state' has " + std::to_string(m_state->size) +
                          " numbers, but 'next_state' has " + std::to_string(m_nextState->size) +
                          ", or their axes differ");
    }
}

void
PolicyFile::CheckAgent(const std::string& agent,
                       const OpenGymSpace& observations,
                       const OpenGymSpace& actions) const
{
    CheckSpace(agent,
               "observations",
               observations,
               GetFlatSize(observations),
               m_input,
               m_observationSpace);
    CheckSpace(agent, "actions", actions, GetActionSize(actions), m_output, m_actionSpace);
    const bool isReal = dynamic_cast<const OpenGymBoxSpace*>(&actions);
    if (m_input.isInteger || m_output.isInteger == isReal)
    {
        throw Fault("its element types must be float32 for observations, and fit actions in " +
                    Describe(actions));
    }
}

void
PolicyFile::CheckSpace(const std::string& agent,
                       const std::string& what,
                       const OpenGymSpace& space,
                       std::optional<std::size_t> size,
                       const OnnxTensor& tensor,
                       const std::optional<wire::Space>& expected) const
{
    const auto ours = "those of " + agent + " are of " + Describe(space);
    if (!size)
    {
        throw Fault("a policy file does not support such " + what + ": " + ours);
    }
    if (*size != tensor.size)
    {
        throw Fault("it has " + what + " of " + std::to_string(tensor.size) + " numbers, and " +
                    ours + ", which makes " + std::to_string(*size));
    }
    wire::Space encoded;
    EncodeSpace(space, encoded);
    ExpandBounds(encoded);
    google::protobuf::util::MessageDifferencer differencer;
    differencer.IgnoreField(wire::Space::descriptor()->FindFieldByName("element_names"));
    if (expected && !differencer.Compare(encoded, *expected))
    {
        throw Fault("it was exported for " + what + " of another space of the same size; " + ours);
    }
}

Ptr<OpenGymDataContainer>
PolicyFile::Act(const OpenGymSpace& observations,
                const OpenGymSpace& actions,
                const OpenGymDataContainer& observation,
                std::vector<float>& state,
                std::span<const float> noise)
{
    m_flat.clear();
    AppendFlat(observations, observation, m_flat);
    if (m_state)
    {
        state.resize(m_state->size, 0);
        m_session->Run({m_flat, state});
        const auto next = m_session->GetNumbers(1);
        if (!std::all_of(next.begin(), next.end(), [](double each) { return std::isfinite(each); }))
        {
            throw Fault("its 'next_state' is not finite");
        }
        state.assign(next.begin(), next.end());
    }
    else if (m_noise)
    {
        m_session->Run({m_flat, noise});
    }
    else
    {
        m_session->Run({m_flat});
    }
    const auto action = MakeAction(actions, m_session->GetNumbers(0));
    if (!actions.Contains(action))
    {
        std::ostringstream message;
        message << "its action " << action << " is not of " << Describe(actions);
        throw Fault(message.str());
    }
    return action;
}

} // namespace ns3
