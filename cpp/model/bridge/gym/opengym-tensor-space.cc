// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-tensor-space.h"

#include "ns3/abort.h"
#include "ns3/opengym-utf8.h"

#include <set>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymTensorSpace);

TypeId
OpenGymTensorSpace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpenGymTensorSpace").SetParent<OpenGymSpace>().SetGroupName("defiance");
    return tid;
}

void
OpenGymTensorSpace::SetElementNames(std::vector<std::string> names)
{
    NS_ABORT_MSG_IF(names.size() != GetFlatSize(),
                    "A space of " << GetFlatSize() << " elements was given " << names.size()
                                  << " names");
    std::set<std::string> known;
    for (const auto& name : names)
    {
        NS_ABORT_MSG_IF(name.empty() || !IsUtf8(name),
                        "The name '" << name << "' of an element is empty, or not UTF-8");
        NS_ABORT_MSG_IF(!known.insert(name).second, "Two elements are called '" << name << "'");
    }
    m_elementNames = std::move(names);
}

const std::vector<std::string>&
OpenGymTensorSpace::GetElementNames() const
{
    return m_elementNames;
}

std::string
OpenGymTensorSpace::FindFormFault(const OpenGymTensorContainer& array, OpenGymDtype dtype) const
{
    const auto& shape = GetShape();
    if (array.GetDtype() == dtype && array.GetShape() == shape &&
        array.GetSize() == GetFlatSize() && !array.HasRefused())
    {
        return "";
    }
    std::ostringstream text;
    if (array.GetDtype() != dtype)
    {
        text << "has element type " << GetDtypeName(array.GetDtype()) << ", but must have "
             << GetDtypeName(dtype);
    }
    else if (array.GetShape() != shape)
    {
        text << "has shape " << FormatShape(array.GetShape()) << ", but must have "
             << FormatShape(shape);
    }
    else if (array.HasRefused())
    {
        text << "received elements that its shape " << FormatShape(shape)
             << " has no room for, or that are not allowed";
    }
    else
    {
        text << "holds " << array.GetSize() << " elements of its shape " << FormatShape(shape);
    }
    return text.str();
}

} // namespace ns3
