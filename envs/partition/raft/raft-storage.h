// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_STORAGE_H
#define RAFT_STORAGE_H

#include "replica-state.h"
#include "stable-storage.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What a Raft replica must not forget: current term, vote and log, and nothing else
 * (Ongaro 2014, figure 3.1, "Persistent state on all servers").
 */
class RaftStorage : public StableStorage
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Erase() override;

    /**
     * Keep term and vote.
     *
     * @param term The current term.
     * @param vote Number of the replica that got the vote in it; 0: none did.
     */
    void SaveBallot(uint32_t term, uint32_t vote);

    /**
     * Replace the end of the log.
     *
     * @param kept Number of entries that stay.
     * @param entries What follows them.
     */
    void SaveLog(std::size_t kept, const std::vector<ReplicaEntry>& entries);

    uint32_t GetTerm() const;                        //!< @return the current term
    uint32_t GetVote() const;                        //!< @return who got the vote in it, or 0
    const std::vector<ReplicaEntry>& GetLog() const; //!< @return the log; entry i + 1 is at i

  private:
    uint32_t m_term{0};              //!< The current term
    uint32_t m_vote{0};              //!< Who got the vote in it, or 0
    std::vector<ReplicaEntry> m_log; //!< The log
};

} // namespace ns3

#endif // RAFT_STORAGE_H
