// SPDX-License-Identifier: GPL-2.0-only

#ifndef END_HOOK_H
#define END_HOOK_H

#include <functional>

namespace ns3
{

/**
 * @return a function that EndProcess() calls first, such as the completion of a language runtime's
 * files; it may be empty
 */
std::function<void()>& GetEndHook();

} // namespace ns3

#endif /* END_HOOK_H */
