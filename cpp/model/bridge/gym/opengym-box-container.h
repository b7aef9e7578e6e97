// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_BOX_CONTAINER_H
#define OPENGYM_BOX_CONTAINER_H

#include "ns3/opengym-tensor-data.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymBoxSpace, of any element type.
 */
class OpenGymBoxContainerBase : public OpenGymTensorContainer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
};

/**
 * @ingroup defiance
 *
 * @brief A value of an OpenGymBoxSpace.
 *
 * @tparam T float, double or one of the exact-width integers of cstdint.
 */
template <typename T>
class OpenGymBoxContainer : public OpenGymTensorData<T, OpenGymBoxContainerBase>
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                      std::is_same_v<T, int8_t> || std::is_same_v<T, int16_t> ||
                      std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                      std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t> ||
                      std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>,
                  "A box holds float, double, or intN_t or uintN_t with N of 8, 16, 32, 64");

  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::OpenGymBoxContainer<" + GetDtypeName(OpenGymDtypeOf<T>()) + ">")
                .SetParent<OpenGymBoxContainerBase>()
                .SetGroupName("defiance")
                .template AddConstructor<OpenGymBoxContainer<T>>();
        return tid;
    }

    /** Start with one axis that grows with each value. */
    OpenGymBoxContainer() = default;

    /**
     * @param shape Lengths of the axes; none: a scalar.
     */
    explicit OpenGymBoxContainer(std::vector<uint32_t> shape)
        : OpenGymTensorData<T, OpenGymBoxContainerBase>(std::move(shape))
    {
    }

    Ptr<OpenGymDataContainer> Copy() const override
    {
        return CopyObject(Ptr<const OpenGymBoxContainer<T>>(this));
    }
};

extern template class OpenGymBoxContainer<float>;
extern template class OpenGymBoxContainer<double>;
extern template class OpenGymBoxContainer<int8_t>;
extern template class OpenGymBoxContainer<int16_t>;
extern template class OpenGymBoxContainer<int32_t>;
extern template class OpenGymBoxContainer<int64_t>;
extern template class OpenGymBoxContainer<uint8_t>;
extern template class OpenGymBoxContainer<uint16_t>;
extern template class OpenGymBoxContainer<uint32_t>;
extern template class OpenGymBoxContainer<uint64_t>;

} // namespace ns3

#endif /* OPENGYM_BOX_CONTAINER_H */
