// SPDX-License-Identifier: GPL-2.0-only

#ifndef ATTRIBUTE_TEXTS_H
#define ATTRIBUTE_TEXTS_H

#include "attribute-types.h"

#include <functional>
#include <string>

namespace ns3
{

/// Raises ValueError or the like if an attribute of a class cannot have a value.
using AttributeCheck = std::function<void(TypeId, const AttributeInfo&, nb::handle)>;

/**
 * Raise LookupError, AttributeError or ValueError where ns-3 would end the process, as it does for
 * all texts of objects that it cannot make.
 *
 * @param tid The class that has the attribute.
 * @param info The attribute.
 * @param text "ns3::Class" or "ns3::Class[Attribute=value|...]"; its objects have no others in it.
 * @param check Applied to the attributes in the text.
 */
void CheckObjectText(TypeId tid,
                     const AttributeInfo& info,
                     const std::string& text,
                     const AttributeCheck& check);

/**
 * @param info An attribute whose value is read from a stream.
 * @param text A text.
 * @return whether ns-3 reads all of it, rather than abort
 */
bool IsReadWhole(const AttributeInfo& info, const std::string& text);

/**
 * Raise AttributeError or ValueError where a class cannot stand for the one that an attribute has.
 *
 * @param tid The class that has the attribute.
 * @param info The attribute, whose values are classes.
 * @param text Name of a class: one that does not exist, or has nothing to do with the usual one.
 */
void CheckClassName(TypeId tid, const AttributeInfo& info, const std::string& text);

/**
 * Raise ValueError where ns-3 would end the process, as it does for elements that are no numbers.
 *
 * @param tid The class that has the attribute.
 * @param info The attribute.
 * @param text Elements of a list, if the attribute is one, with commas between them.
 * @param check Applied to each.
 */
void CheckElements(TypeId tid,
                   const AttributeInfo& info,
                   const std::string& text,
                   const AttributeCheck& check);

/**
 * @param info An attribute.
 * @param text A text.
 * @return whether it is a name of the enumeration that the attribute is, or the attribute is none
 */
bool IsOfNames(const AttributeInfo& info, const std::string& text);

} // namespace ns3

#endif /* ATTRIBUTE_TEXTS_H */
