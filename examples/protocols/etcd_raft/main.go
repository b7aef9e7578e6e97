// SPDX-License-Identifier: GPL-2.0-only

// etcd's raft library as replicas under test: each line of the standard input is a request, each
// line of the standard output its answer, both JSON. All replicas of an episode live here; what a
// crash leaves of them is their storage.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/ioutil"
	"log"
	"math/rand"
	"os"
	"reflect"
	"sort"
	"sync"
	_ "unsafe" // for go:linkname

	"go.etcd.io/etcd/raft"
	"go.etcd.io/etcd/raft/raftpb"
)

// The library draws election timeouts from this variable of its own, which begins with the time.
// The declaration repeats that of go.etcd.io/etcd/raft/raft.go.
type lockedRand struct {
	mu   sync.Mutex
	rand *rand.Rand
}

//go:linkname globalRand go.etcd.io/etcd/raft.globalRand
var globalRand *lockedRand

type request struct {
	Op      string
	Id      uint64
	Size    uint64
	Seed    int64
	PreVote bool
	Request uint64
	Data    []byte
}

type message struct {
	To   uint64 `json:"to"`
	Data []byte `json:"data"`
}

type answer struct {
	Messages []message   `json:"messages"`
	Applied  [][2]uint64 `json:"applied"` // index and request
	Taken    bool        `json:"taken"`
	Fields   []uint64    `json:"fields"` // role, term, vote, leader, commit
	Log      [][2]uint64 `json:"log"`    // term and request
	Inside   string      `json:"inside"`
}

// Random numbers, and how many were drawn: a part of the state.
type countedSource struct {
	rand.Source
	drawn int
}

func (s *countedSource) Int63() int64 {
	s.drawn++
	return s.Source.Int63()
}

// A replica: its storage, and the node of its process, nil while it is stopped.
type replica struct {
	storage *raft.MemoryStorage
	node    *raft.RawNode
	random  *countedSource
}

var replicas = map[uint64]*replica{}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}

// Every replica begins with the same snapshot, which names all of them.
func newStorage(size uint64) *raft.MemoryStorage {
	storage := raft.NewMemoryStorage()
	voters := []uint64{}
	for id := uint64(1); id <= size; id++ {
		voters = append(voters, id)
	}
	state := raftpb.ConfState{Voters: voters}
	check(storage.ApplySnapshot(raftpb.Snapshot{
		Metadata: raftpb.SnapshotMetadata{ConfState: state, Index: 1, Term: 1}}))
	check(storage.SetHardState(raftpb.HardState{Term: 1, Commit: 1}))
	return storage
}

func start(r request) {
	one, known := replicas[r.Id]
	if !known {
		one = &replica{storage: newStorage(r.Size)}
		replicas[r.Id] = one
	}
	one.random = &countedSource{Source: rand.NewSource(r.Seed)}
	globalRand.rand = rand.New(one.random)
	silent := &raft.DefaultLogger{Logger: log.New(ioutil.Discard, "", 0)}
	node, err := raft.NewRawNode(&raft.Config{ID: r.Id, ElectionTick: 10, HeartbeatTick: 1,
		Storage: one.storage, MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 256, PreVote: r.PreVote,
		CheckQuorum: r.PreVote, Logger: silent})
	check(err)
	one.node = node
}

// Store what is new, and only then send and apply it.
func (one *replica) work(a *answer) {
	for one.node.HasReady() {
		ready := one.node.Ready()
		check(one.storage.Append(ready.Entries))
		if !raft.IsEmptyHardState(ready.HardState) {
			check(one.storage.SetHardState(ready.HardState))
		}
		for _, m := range ready.Messages {
			data, err := m.Marshal()
			check(err)
			a.Messages = append(a.Messages, message{m.To, data})
		}
		for _, e := range ready.CommittedEntries {
			if number := requestOf(e); number > 0 {
				a.Applied = append(a.Applied, [2]uint64{e.Index, number})
			}
		}
		one.node.Advance(ready)
	}
}

func requestOf(e raftpb.Entry) uint64 {
	if e.Type != raftpb.EntryNormal || len(e.Data) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(e.Data)
}

// Show the whole state; of a stopped replica, what its storage holds.
func (one *replica) show(a *answer) {
	hard, _, err := one.storage.InitialState()
	check(err)
	first, _ := one.storage.FirstIndex()
	last, _ := one.storage.LastIndex()
	if last >= first {
		entries, err := one.storage.Entries(first, last+1, 1<<30)
		check(err)
		for _, e := range entries {
			a.Log = append(a.Log, [2]uint64{e.Term, requestOf(e)})
		}
	}
	a.Fields = []uint64{0, hard.Term, hard.Vote, 0, hard.Commit}
	if one.node == nil {
		return
	}
	status := one.node.Status()
	a.Fields[0], a.Fields[3] = uint64(status.RaftState), status.Lead
	inside := reflect.ValueOf(one.node).Elem().FieldByName("raft").Elem()
	for _, name := range []string{"electionElapsed", "heartbeatElapsed",
		"randomizedElectionTimeout", "leadTransferee", "pendingConfIndex", "uncommittedSize"} {
		a.Inside += fmt.Sprintf("%s=%v ", name, inside.FieldByName(name))
	}
	votes := inside.FieldByName("prs").FieldByName("Votes")
	a.Inside += fmt.Sprintf("votes=%v applied=%d drawn=%d", votes, status.Applied, one.random.drawn)
	ids := []uint64{}
	for id := range status.Progress {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for _, id := range ids {
		progress := status.Progress[id]
		a.Inside += fmt.Sprintf(" %d:%s", id, progress.String())
	}
}

func handle(r request) answer {
	a := answer{Messages: []message{}, Applied: [][2]uint64{}, Log: [][2]uint64{}}
	if r.Op == "start" {
		start(r)
	}
	one := replicas[r.Id]
	if one.node != nil {
		globalRand.rand = rand.New(one.random)
	}
	switch r.Op {
	case "crash":
		one.node = nil
		return a
	case "state":
		one.show(&a)
		return a
	case "tick":
		one.node.Tick()
	case "step":
		var m raftpb.Message
		check(m.Unmarshal(r.Data))
		_ = one.node.Step(m) // a message that does not apply is ignored
	case "propose":
		data := make([]byte, 8)
		binary.BigEndian.PutUint64(data, r.Request)
		a.Taken = one.node.Propose(data) == nil
	}
	one.work(&a)
	return a
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return // the simulation has ended
		}
		var r request
		check(json.Unmarshal(line, &r))
		text, err := json.Marshal(handle(r))
		check(err)
		_, _ = output.Write(append(text, '\n'))
		check(output.Flush())
	}
}
