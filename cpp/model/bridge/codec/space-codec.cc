// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-utf8.h"

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/**
 * @param text Text from the scenario.
 * @param what Description of the text.
 * @return the text; abort when it is not UTF-8, which Python could not read
 */
const std::string&
CheckUtf8(const std::string& text, const char* what)
{
    NS_ABORT_MSG_IF(!IsUtf8(text), what << " is not UTF-8: " << text);
    return text;
}

/**
 * @param space A box space.
 * @param message Empty message to write to.
 */
void
EncodeBoxSpace(const OpenGymBoxSpace& space, wire::BoxSpace& message)
{
    message.set_dtype(static_cast<wire::DType>(space.GetDtype()));
    message.mutable_shape()->Assign(space.GetShape().begin(), space.GetShape().end());
    message.set_low(space.GetLow()->GetRawData(), space.GetLow()->GetRawSize());
    message.set_high(space.GetHigh()->GetRawData(), space.GetHigh()->GetRawSize());
}

/**
 * @param space A discrete space.
 * @param message Empty message to write to.
 */
void
EncodeDiscreteSpace(const OpenGymDiscreteSpace& space, wire::DiscreteSpace& message)
{
    message.set_n(space.GetN());
    message.set_start(space.GetStart());
}

/**
 * @param space A multi-binary space.
 * @param message Empty message to write to.
 */
void
EncodeMultiBinarySpace(const OpenGymMultiBinarySpace& space, wire::MultiBinarySpace& message)
{
    message.mutable_shape()->Assign(space.GetShape().begin(), space.GetShape().end());
}

/**
 * @param space A multi-discrete space.
 * @param message Empty message to write to.
 */
void
EncodeMultiDiscreteSpace(const OpenGymMultiDiscreteSpace& space, wire::MultiDiscreteSpace& message)
{
    EncodeTensor(*space.GetNvec(), *message.mutable_nvec());
    EncodeTensor(*space.GetStart(), *message.mutable_start());
}

/**
 * @param space A text space.
 * @param message Empty message to write to.
 */
void
EncodeTextSpace(const OpenGymTextSpace& space, wire::TextSpace& message)
{
    message.set_min_length(space.GetMinLength());
    message.set_max_length(space.GetMaxLength());
    message.set_charset(space.GetCharset());
}

/**
 * @param space A tuple space.
 * @param message Empty message to write to.
 */
void
EncodeTupleSpace(const OpenGymTupleSpace& space, wire::TupleSpace& message)
{
    for (uint32_t i = 0; i < space.GetSize(); ++i)
    {
        EncodeSpace(*space.Get(i), *message.add_elements());
    }
}

/**
 * @param space A dict space.
 * @param message Empty message to write to.
 */
void
EncodeDictSpace(const OpenGymDictSpace& space, wire::DictSpace& message)
{
    for (const auto& [key, entrySpace] : space.GetEntries())
    {
        auto& entry = *message.add_entries();
        entry.set_key(key);
        EncodeSpace(*entrySpace, *entry.mutable_space());
    }
}

/** Writes the value of an info entry of any type. */
struct InfoValueEncoder
{
    wire::InfoEntry& entry; //!< Message to write

    /** @param value A number. */
    void operator()(double value) const
    {
        entry.set_real(value);
    }

    /** @param value An integer. */
    void operator()(int64_t value) const
    {
        entry.set_integer(value);
    }

    /** @param value A text. */
    void operator()(const std::string& value) const
    {
        entry.set_text(CheckUtf8(value, "A text in an info"));
    }

    /** @param value An array. */
    void operator()(const Ptr<OpenGymBoxContainerBase>& value) const
    {
        NS_ABORT_MSG_IF(!value, "The array of info entry '" << entry.key() << "' is null");
        EncodeTensor(*value, *entry.mutable_tensor());
    }
};

} // namespace

void
EncodeSpace(const OpenGymSpace& space, wire::Space& message)
{
    const bool known =
        VisitIf<OpenGymBoxSpace>(
            space,
            [&](const auto& box) { EncodeBoxSpace(box, *message.mutable_box()); }) ||
        VisitIf<OpenGymDiscreteSpace>(space,
                                      [&](const auto& discrete) {
                                          EncodeDiscreteSpace(discrete,
                                                              *message.mutable_discrete());
                                      }) ||
        VisitIf<OpenGymMultiDiscreteSpace>(
            space,
            [&](const auto& multi) {
                EncodeMultiDiscreteSpace(multi, *message.mutable_multi_discrete());
            }) ||
        VisitIf<OpenGymMultiBinarySpace>(
            space,
            [&](const auto& binary) {
                EncodeMultiBinarySpace(binary, *message.mutable_multi_binary());
            }) ||
        VisitIf<OpenGymTextSpace>(
            space,
            [&](const auto& text) { EncodeTextSpace(text, *message.mutable_text()); }) ||
        VisitIf<OpenGymTupleSpace>(
            space,
            [&](const auto& tuple) { EncodeTupleSpace(tuple, *message.mutable_tuple()); }) ||
        VisitIf<OpenGymDictSpace>(space, [&](const auto& dict) {
            EncodeDictSpace(dict, *message.mutable_dict());
        });
    NS_ABORT_MSG_IF(!known,
                    "The protocol has no space for " << space.GetInstanceTypeId().GetName());
    VisitIf<OpenGymTensorSpace>(space, [&](const auto& tensor) {
        const auto& names = tensor.GetElementNames();
        message.mutable_element_names()->Assign(names.begin(), names.end());
    });
}

void
EncodeInfo(const OpenGymInfo& info, google::protobuf::RepeatedPtrField<wire::InfoEntry>& entries)
{
    for (const auto& [key, value] : info)
    {
        auto& entry = *entries.Add();
        entry.set_key(CheckUtf8(key, "A key of an info"));
        std::visit(InfoValueEncoder{entry}, value);
    }
}

void
EncodeParameter(const RlParameterSpec& spec, const std::string& value, wire::Parameter& parameter)
{
    parameter.set_name(spec.name);
    parameter.set_type(static_cast<wire::ParameterType>(spec.type));
    parameter.set_help(CheckUtf8(spec.help, "The help of a parameter"));
    parameter.set_value(CheckUtf8(value, "The value of a parameter"));
    if (spec.minimum)
    {
        parameter.set_minimum(*spec.minimum);
    }
    if (spec.maximum)
    {
        parameter.set_maximum(*spec.maximum);
    }
    parameter.mutable_choices()->Assign(spec.choices.begin(), spec.choices.end());
    parameter.set_per_agent(spec.perAgent);
}

} // namespace ns3
