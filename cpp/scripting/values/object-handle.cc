// SPDX-License-Identifier: GPL-2.0-only

#include "object-handle.h"

#include "ns3/names.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace ns3
{

std::string
DescribeNode(Ptr<Node> node)
{
    const auto name = Names::FindName(node);
    return "node " + std::to_string(node->GetId()) + (name.empty() ? "" : " ('" + name + "')");
}

nb::object
Wrap(Ptr<Object> object)
{
    if (!object)
    {
        return nb::none();
    }
    if (DynamicCast<Node>(object))
    {
        return nb::cast(NodeHandle{{object}});
    }
    if (DynamicCast<Application>(object))
    {
        return nb::cast(ApplicationHandle{{object}});
    }
    if (DynamicCast<NetDevice>(object))
    {
        return nb::cast(DeviceHandle{{object}});
    }
    if (DynamicCast<RandomVariableStream>(object))
    {
        return nb::cast(RandomHandle{{object}});
    }
    return nb::cast(ObjectHandle{object});
}

void
RaiseUnknown(const std::string& message,
             const std::string& word,
             const std::vector<std::string>& words)
{
    const auto near =
        nb::module_::import_("defiance_zoo.bridge.system.spelling").attr("near_word")(word, words);
    Raise(nb::attribute_error, message + nb::cast<std::string>(near));
}

} // namespace ns3
