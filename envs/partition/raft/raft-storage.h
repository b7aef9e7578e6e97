// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_STORAGE_H
#define RAFT_STORAGE_H

#include "replica-state.h"
#include "stable-storage.h"

#include <cstdint>
#include <numeric>
#include <vector>

namespace ns3
{

/**
 * @brief The state that a Raft replica must not forget: only current term, vote, log, and the
 * snapshot of the log's beginning (Ongaro 2014, figure 3.1, "Persistent state on all servers", and
 * figure 5.2).
 *
 * The state machine of clients is the hash of all entries, which a snapshot holds.
 */
class RaftStorage : public StableStorage
{
  public:
    void Erase() override
    {
        SaveBallot(0, 0);
        Install(0, 0, 0);
    }

    /**
     * Store term and vote.
     *
     * @param term The current term.
     * @param vote Number of the candidate voted for in the term; 0: none.
     */
    void SaveBallot(uint32_t term, uint32_t vote)
    {
        BeforeWrite();
        m_term = term;
        m_vote = vote;
    }

    /**
     * Replace the end of the log.
     *
     * @param last Index of the last entry to keep.
     * @param entries The entries after it.
     */
    void SaveLog(uint32_t last, const std::vector<ReplicaEntry>& entries)
    {
        if (last < GetLastIndex())
        {
            BeforeWrite();
            m_log.resize(last - m_snapshotIndex);
        }
        for (const auto& entry : entries)
        {
            BeforeWrite();
            m_log.push_back(entry);
        }
    }

    /**
     * Replace the beginning of the log by a snapshot.
     *
     * @param index Index of the last entry to replace, which is in the log.
     */
    void Compact(uint32_t index)
    {
        BeforeWrite();
        m_snapshotTerm = GetTermAt(index);
        const auto end = m_log.begin() + (index - m_snapshotIndex);
        m_digest = std::accumulate(m_log.begin(), end, m_digest, &Digest);
        m_log.erase(m_log.begin(), end);
        m_snapshotIndex = index;
    }

    /**
     * Replace the whole log, and the snapshot.
     *
     * @param index Index of the last entry in the snapshot.
     * @param term Term of this entry.
     * @param digest Digest of the snapshot.
     */
    void Install(uint32_t index, uint32_t term, uint64_t digest)
    {
        BeforeWrite();
        m_snapshotIndex = index;
        m_snapshotTerm = term;
        m_digest = digest;
        m_log.clear();
    }

    /**
     * @param index Index of an entry.
     * @return the term; 0: unknown
     */
    uint32_t GetTermAt(uint32_t index) const
    {
        if (index <= m_snapshotIndex)
        {
            return index == m_snapshotIndex ? m_snapshotTerm : 0;
        }
        return index <= GetLastIndex() ? m_log[index - m_snapshotIndex - 1].term : 0;
    }

    /// @return the current term
    uint32_t GetTerm() const
    {
        return m_term;
    }

    /// @return the candidate voted for, or 0
    uint32_t GetVote() const
    {
        return m_vote;
    }

    /// @return last index in the snapshot, or 0
    uint32_t GetSnapshotIndex() const
    {
        return m_snapshotIndex;
    }

    /// @return term of the entry at that index
    uint32_t GetSnapshotTerm() const
    {
        return m_snapshotTerm;
    }

    /// @return digest of the snapshot
    uint64_t GetDigest() const
    {
        return m_digest;
    }

    /// @return index of the last entry
    uint32_t GetLastIndex() const
    {
        return m_snapshotIndex + m_log.size();
    }

    /// @return the log after the snapshot; entry GetSnapshotIndex() + 1 is at 0
    const std::vector<ReplicaEntry>& GetLog() const
    {
        return m_log;
    }

  private:
    uint32_t m_term{0};              //!< The current term
    uint32_t m_vote{0};              //!< Candidate voted for in the term, or 0
    uint32_t m_snapshotIndex{0};     //!< Last index in the snapshot
    uint32_t m_snapshotTerm{0};      //!< Term of the entry at m_snapshotIndex
    uint64_t m_digest{0};            //!< The snapshot
    std::vector<ReplicaEntry> m_log; //!< Log after the snapshot
};

} // namespace ns3

#endif // RAFT_STORAGE_H
