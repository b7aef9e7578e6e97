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
 * @brief The state that a Raft replica must not forget: current term, vote, log, and the snapshot
 * that has replaced its beginning, and nothing else (Ongaro 2014, figure 3.1, "Persistent state on
 * all servers", and figure 5.2).
 *
 * The state machine of clients is the hash of all entries: that is what a snapshot holds.
 */
class RaftStorage : public StableStorage
{
  public:
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
     * @param last Index of the last entry that stays.
     * @param entries The entries that follow it.
     */
    void SaveLog(uint32_t last, const std::vector<ReplicaEntry>& entries);

    /**
     * Replace the beginning of the log by a snapshot of it.
     *
     * @param index Index of the last entry that is replaced, which is in the log.
     */
    void Compact(uint32_t index);

    /**
     * Replace the whole log, and the snapshot.
     *
     * @param index Index of the last entry that the snapshot replaces.
     * @param term Its term.
     * @param digest The snapshot.
     */
    void Install(uint32_t index, uint32_t term, uint64_t digest);

    /**
     * @param index Index of an entry.
     * @return its term; 0: it is not known
     */
    uint32_t GetTermAt(uint32_t index) const;

    uint32_t GetTerm() const;          //!< @return the current term
    uint32_t GetVote() const;          //!< @return who got the vote in it, or 0
    uint32_t GetSnapshotIndex() const; //!< @return last index that the snapshot replaces, or 0
    uint32_t GetSnapshotTerm() const;  //!< @return term of that entry
    uint64_t GetDigest() const;        //!< @return the snapshot
    uint32_t GetLastIndex() const;     //!< @return index of the last entry
    /// @return the log after the snapshot; entry GetSnapshotIndex() + 1 is at 0
    const std::vector<ReplicaEntry>& GetLog() const;

  private:
    uint32_t m_term{0};              //!< The current term
    uint32_t m_vote{0};              //!< The replica that got the vote in it, or 0
    uint32_t m_snapshotIndex{0};     //!< Last index that the snapshot replaces
    uint32_t m_snapshotTerm{0};      //!< Term of that entry
    uint64_t m_digest{0};            //!< The snapshot
    std::vector<ReplicaEntry> m_log; //!< The log after it
};

} // namespace ns3

#endif // RAFT_STORAGE_H
