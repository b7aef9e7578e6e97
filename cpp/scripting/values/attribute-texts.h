// SPDX-License-Identifier: GPL-2.0-only

#ifndef ATTRIBUTE_TEXTS_H
#define ATTRIBUTE_TEXTS_H

#include "attribute-types.h"

#include <functional>
#include <string>

namespace ns3
{

/// Makes a value of an attribute; raises ValueError or a similar error if it is not allowed.
using AttributeMaker = std::function<Ptr<AttributeValue>(TypeId, const AttributeInfo&, nb::handle)>;

/**
 * Raise LookupError, AttributeError or ValueError where ns-3 would end the process, which it does
 * for all texts of invalid objects.
 *
 * @param tid Class of the attribute.
 * @param info The attribute.
 * @param text "ns3::Class" or "ns3::Class[Attribute=value|...]", without nested objects.
 * @param make Makes the values in the text.
 */
void CheckObjectText(TypeId tid,
                     const AttributeInfo& info,
                     const std::string& text,
                     const AttributeMaker& make);

/**
 * @param info An attribute that is parsed from a stream.
 * @param text A text.
 * @return whether ns-3 reads the whole text, instead of aborting
 */
bool IsReadWhole(const AttributeInfo& info, const std::string& text);

/**
 * Raise AttributeError or ValueError where an attribute does not allow a class.
 *
 * @param tid Class of the attribute.
 * @param info The attribute, whose values are classes.
 * @param text Name of a class: unknown, or unrelated to the default.
 */
void CheckClassName(TypeId tid, const AttributeInfo& info, const std::string& text);

/**
 * Raise ValueError where ns-3 would end the process, which it does for invalid elements.
 *
 * @param tid Class of the attribute.
 * @param info The attribute.
 * @param text Elements of a list, separated by commas, if the attribute is one.
 * @param make Makes each element.
 */
void CheckElements(TypeId tid,
                   const AttributeInfo& info,
                   const std::string& text,
                   const AttributeMaker& make);

/**
 * @param info An attribute.
 * @param text A text.
 * @return whether it is a name in the attribute's enumeration, or the attribute has none
 */
bool IsOfNames(const AttributeInfo& info, const std::string& text);

} // namespace ns3

#endif /* ATTRIBUTE_TEXTS_H */
