// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_BUILDERS_H
#define OPENGYM_BUILDERS_H

#include "ns3/opengym-containers.h"
#include "ns3/opengym-spaces.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @tparam T Element type.
 * @param values The elements of a box of one axis.
 * @return the box
 */
template <typename T>
Ptr<OpenGymBoxContainer<T>>
MakeBoxContainer(std::vector<T> values)
{
    auto box = MakeEmptyContainer<OpenGymBoxContainer<T>>();
    const auto size = static_cast<uint32_t>(values.size());
    box->Assign({size}, std::move(values));
    return box;
}

/**
 * @tparam T Element type.
 * @param size Number of elements.
 * @param values The elements, `size` many.
 * @return a box of one axis
 */
template <typename T, typename... Values>
Ptr<OpenGymBoxContainer<T>>
MakeBoxContainer(uint32_t size, Values... values)
{
    NS_ABORT_MSG_IF(size != sizeof...(values),
                    "A box of " << size << " elements was given " << sizeof...(values));
    return MakeBoxContainer(std::vector<T>{static_cast<T>(values)...});
}

/**
 * @tparam T Element type.
 * @param size Number of elements.
 * @return an empty box of one axis, to be filled with AddValue()
 */
template <typename T>
Ptr<OpenGymBoxContainer<T>>
MakeBoxContainer(uint32_t size)
{
    return CreateObject<OpenGymBoxContainer<T>>(std::vector<uint32_t>{size});
}

/**
 * @param value An integer.
 * @return a container with the integer
 */
inline Ptr<OpenGymDiscreteContainer>
MakeDiscreteContainer(int64_t value)
{
    auto discrete = MakeEmptyContainer<OpenGymDiscreteContainer>();
    discrete->SetValue(value);
    return discrete;
}

/**
 * @param elements The containers of a tuple, in order.
 * @return the tuple
 */
template <typename... Elements>
Ptr<OpenGymTupleContainer>
MakeTupleContainer(Elements... elements)
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    const bool added = (tuple->Add(elements) && ...);
    NS_ABORT_MSG_IF(!added, "An element of a tuple is null");
    return tuple;
}

/**
 * Add entries to a dict or to its space; abort when one cannot be added.
 *
 * @param dict An OpenGymDictContainer or OpenGymDictSpace.
 */
template <typename Dict>
void
AddEntries(Ptr<Dict> dict)
{
}

/**
 * @copydoc AddEntries(Ptr<Dict>)
 * @param key Key of the first entry.
 * @param value Container or space of the first entry.
 * @param others Keys and values of the other entries.
 */
template <typename Dict, typename Value, typename... Others>
void
AddEntries(Ptr<Dict> dict, const std::string& key, Value value, Others... others)
{
    NS_ABORT_MSG_IF(!dict->Add(key, value),
                    "Entry '" << key << "' of a dict is null, given twice, or not UTF-8");
    AddEntries(dict, others...);
}

/**
 * @param keysAndContainers Key, container, key, container, ...
 * @return the dict
 */
template <typename... KeysAndContainers>
Ptr<OpenGymDictContainer>
MakeDictContainer(KeysAndContainers... keysAndContainers)
{
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    AddEntries(dict, keysAndContainers...);
    return dict;
}

/**
 * @tparam T Element type.
 * @param low Lower bound of each element.
 * @param high Upper bound of each element.
 * @return a space of boxes of one axis
 */
template <typename T>
Ptr<OpenGymBoxSpace>
MakeBoxSpace(std::vector<T> low, std::vector<T> high)
{
    const std::vector<uint32_t> shape{static_cast<uint32_t>(low.size())};
    return OpenGymBoxSpace::Create<T>(std::move(low), std::move(high), shape);
}

/**
 * @tparam T Element type.
 * @param size Number of elements.
 * @param low Lower bound of every element.
 * @param high Upper bound of every element.
 * @return a space of boxes of one axis
 */
template <typename T>
Ptr<OpenGymBoxSpace>
MakeBoxSpace(uint32_t size, T low, T high)
{
    return OpenGymBoxSpace::Create<T>({low}, {high}, {size});
}

/**
 * @tparam T Element type.
 * @param size Number of elements.
 * @param low Lower bound of each element, `size` many.
 * @param high Upper bound of each element, `size` many.
 * @return a space of boxes of one axis
 */
template <typename T>
Ptr<OpenGymBoxSpace>
MakeBoxSpace(uint32_t size, std::vector<T> low, std::vector<T> high)
{
    return OpenGymBoxSpace::Create<T>(std::move(low), std::move(high), {size});
}

/**
 * @param n Number of integers; positive.
 * @param start The least integer.
 * @return the space of these integers
 */
inline Ptr<OpenGymDiscreteSpace>
MakeDiscreteSpace(int64_t n, int64_t start = 0)
{
    return CreateObject<OpenGymDiscreteSpace>(n, start);
}

/**
 * @param elements The spaces of a tuple's elements, in order.
 * @return the space of such tuples
 */
template <typename... Elements>
Ptr<OpenGymTupleSpace>
MakeTupleSpace(Elements... elements)
{
    auto tuple = CreateObject<OpenGymTupleSpace>();
    const bool added = (tuple->Add(elements) && ...);
    NS_ABORT_MSG_IF(!added, "The space of a tuple's element is null");
    return tuple;
}

/**
 * @param keysAndSpaces Key, space, key, space, ...
 * @return the space of dicts with these entries
 */
template <typename... KeysAndSpaces>
Ptr<OpenGymDictSpace>
MakeDictSpace(KeysAndSpaces... keysAndSpaces)
{
    auto dict = CreateObject<OpenGymDictSpace>();
    AddEntries(dict, keysAndSpaces...);
    return dict;
}

} // namespace ns3

#endif /* OPENGYM_BUILDERS_H */
