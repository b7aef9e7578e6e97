// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-box-container.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymBoxContainerBase);

template class OpenGymBoxContainer<float>;
template class OpenGymBoxContainer<double>;
template class OpenGymBoxContainer<int8_t>;
template class OpenGymBoxContainer<int16_t>;
template class OpenGymBoxContainer<int32_t>;
template class OpenGymBoxContainer<int64_t>;
template class OpenGymBoxContainer<uint8_t>;
template class OpenGymBoxContainer<uint16_t>;
template class OpenGymBoxContainer<uint32_t>;
template class OpenGymBoxContainer<uint64_t>;

TypeId
OpenGymBoxContainerBase::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymBoxContainerBase")
                            .SetParent<OpenGymTensorContainer>()
                            .SetGroupName("defiance");
    return tid;
}

/** Registers the box of each element type when the library is loaded. */
static struct OpenGymBoxContainerRegistration
{
    OpenGymBoxContainerRegistration()
    {
        for (int number = 1; number <= static_cast<int>(OpenGymDtype::UINT64); ++number)
        {
            VisitDtype(static_cast<OpenGymDtype>(number), [](auto type) {
                using Box = OpenGymBoxContainer<typename decltype(type)::type>;
                Box::GetTypeId().SetSize(sizeof(Box));
            });
        }
    }
} g_openGymBoxContainerRegistration; //!< Registers the type on construction

} // namespace ns3
