// SPDX-License-Identifier: GPL-2.0-only

#include "raft-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RaftHeader);

void
RaftFormat::Print(std::ostream& os, const RaftMessage& message)
{
    static const char* const names[] =
        {"?", "RequestVote", "Vote", "AppendEntries", "AppendResult", "InstallSnapshot"};
    os << names[message.type] << " from=" << message.from << " to=" << message.to
       << " term=" << message.term << " index=" << message.index << " logTerm=" << message.logTerm
       << " commit=" << message.commit << " accepted=" << message.accepted
       << " entries=" << message.entries.size();
}

} // namespace ns3
