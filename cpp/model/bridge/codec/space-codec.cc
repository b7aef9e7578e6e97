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

} // namespace

void
EncodeSpace(const OpenGymSpace& space, wire::Space& message)
{
    VisitSpace(space,
               Overloaded{
                   [&](const OpenGymBoxSpace& box) {
                       auto& part = *message.mutable_box();
                       part.set_dtype(static_cast<wire::DType>(box.GetDtype()));
                       part.mutable_shape()->Assign(box.GetShape().begin(), box.GetShape().end());
                       part.set_low(box.GetLow()->GetRawData(), box.GetLow()->GetRawSize());
                       part.set_high(box.GetHigh()->GetRawData(), box.GetHigh()->GetRawSize());
                   },
                   [&](const OpenGymDiscreteSpace& discrete) {
                       message.mutable_discrete()->set_n(discrete.GetN());
                       message.mutable_discrete()->set_start(discrete.GetStart());
                   },
                   [&](const OpenGymMultiDiscreteSpace& multi) {
                       auto& part = *message.mutable_multi_discrete();
                       EncodeTensor(*multi.GetNvec(), *part.mutable_nvec());
                       EncodeTensor(*multi.GetStart(), *part.mutable_start());
                   },
                   [&](const OpenGymMultiBinarySpace& binary) {
                       const auto& shape = binary.GetShape();
                       message.mutable_multi_binary()->mutable_shape()->Assign(shape.begin(),
                                                                               shape.end());
                   },
                   [&](const OpenGymTextSpace& text) {
                       auto& part = *message.mutable_text();
                       part.set_min_length(text.GetMinLength());
                       part.set_max_length(text.GetMaxLength());
                       part.set_charset(text.GetCharset());
                   },
                   [&](const OpenGymTupleSpace& tuple) {
                       auto& part = *message.mutable_tuple();
                       for (uint32_t i = 0; i < tuple.GetSize(); ++i)
                       {
                           EncodeSpace(*tuple.Get(i), *part.add_elements());
                       }
                   },
                   [&](const OpenGymDictSpace& dict) {
                       auto& part = *message.mutable_dict();
                       for (const auto& [key, entrySpace] : dict.GetEntries())
                       {
                           auto& entry = *part.add_entries();
                           entry.set_key(key);
                           EncodeSpace(*entrySpace, *entry.mutable_space());
                       }
                   },
               });
    if (const auto* tensor = dynamic_cast<const OpenGymTensorSpace*>(&space))
    {
        const auto& names = tensor->GetElementNames();
        message.mutable_element_names()->Assign(names.begin(), names.end());
    }
}

void
EncodeInfo(const OpenGymInfo& info, google::protobuf::RepeatedPtrField<wire::InfoEntry>& entries)
{
    for (const auto& [key, value] : info)
    {
        auto& entry = *entries.Add();
        entry.set_key(CheckUtf8(key, "A key of an info"));
        std::visit(Overloaded{
                       [&](double real) { entry.set_real(real); },
                       [&](int64_t integer) { entry.set_integer(integer); },
                       [&](const std::string& text) {
                           entry.set_text(CheckUtf8(text, "A text in an info"));
                       },
                       [&](const Ptr<OpenGymBoxContainerBase>& array) {
                           NS_ABORT_MSG_IF(!array,
                                           "The array of info entry '" << entry.key()
                                                                       << "' is null");
                           EncodeTensor(*array, *entry.mutable_tensor());
                       },
                   },
                   value);
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
