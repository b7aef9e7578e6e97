// SPDX-License-Identifier: GPL-2.0-only

// Registers replicated by hashicorp/raft, for raft_nemesis.py. A client posts /read?key=K,
// /write?key=K&value=V or /cas?key=K&value=EXPECTED&value=NEW, and gets a value of JSON. Status 421
// means that the request has not happened: the server is not the leader.
//
// With -bug local_read, each server answers reads from its memory, without asking the others.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb"
)

const timeout = 2 * time.Second

// command is an entry of the log.
type command struct {
	Key    string
	Values []string // a value to write, or an expected and a new value
}

// registers are the values of the keys, and their snapshots.
type registers struct {
	sync.Mutex
	Values map[string]string
}

func (r *registers) get(key string) string {
	if value, ok := r.Values[key]; ok {
		return value
	}
	return "0"
}

// Apply executes an entry, and returns whether it has changed a value.
func (r *registers) Apply(entry *raft.Log) interface{} {
	var c command
	if err := json.Unmarshal(entry.Data, &c); err != nil {
		log.Fatal(err)
	}
	r.Lock()
	defer r.Unlock()
	if len(c.Values) == 2 && r.get(c.Key) != c.Values[0] {
		return false
	}
	r.Values[c.Key] = c.Values[len(c.Values)-1]
	return true
}

func (r *registers) Snapshot() (raft.FSMSnapshot, error) {
	r.Lock()
	defer r.Unlock()
	copied := map[string]string{}
	for key, value := range r.Values {
		copied[key] = value
	}
	return &registers{Values: copied}, nil
}

func (r *registers) Restore(from io.ReadCloser) error {
	r.Lock()
	defer r.Unlock()
	return json.NewDecoder(from).Decode(&r.Values)
}

func (r *registers) Persist(sink raft.SnapshotSink) error {
	if err := json.NewEncoder(sink).Encode(r.Values); err != nil {
		sink.Cancel()
		return err
	}
	return sink.Close()
}

func (r *registers) Release() {}

// execute executes a request of a client.
func execute(node *raft.Raft, r *registers, path string, c command, bug string) (interface{}, error) {
	if path != "/read" {
		entry, _ := json.Marshal(c)
		future := node.Apply(entry, timeout)
		if err := future.Error(); err != nil {
			return nil, err
		}
		return future.Response(), nil
	}
	if bug != "local_read" {
		if err := node.Barrier(timeout).Error(); err != nil {
			return nil, err
		}
	}
	r.Lock()
	defer r.Unlock()
	return json.Number(r.get(c.Key)), nil
}

func main() {
	name := flag.String("name", "", "name of this server")
	address := flag.String("address", "", "IP address of this server")
	peers := flag.String("peers", "", "NAME=ADDRESS of all servers, separated by commas")
	data := flag.String("data", "", "folder of the log")
	bug := flag.String("bug", "none", "local_read, or none")
	flag.Parse()

	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(*name)
	config.LogLevel = "WARN"
	transport, err := raft.NewTCPTransport(*address+":7000", nil, 3, timeout, os.Stderr)
	check(err)
	store, err := raftboltdb.NewBoltStore(filepath.Join(*data, "raft.db"))
	check(err)
	snapshots, err := raft.NewFileSnapshotStore(*data, 2, os.Stderr)
	check(err)
	r := &registers{Values: map[string]string{}}
	node, err := raft.NewRaft(config, r, store, store, snapshots, transport)
	check(err)
	var all raft.Configuration
	for _, peer := range strings.Split(*peers, ",") {
		parts := strings.SplitN(peer, "=", 2)
		all.Servers = append(all.Servers, raft.Server{
			ID: raft.ServerID(parts[0]), Address: raft.ServerAddress(parts[1] + ":7000")})
	}
	node.BootstrapCluster(all) // fails after a restart, when the log has the servers

	check(http.ListenAndServe(*address+":7001", http.HandlerFunc(
		func(answer http.ResponseWriter, request *http.Request) {
			query := request.URL.Query()
			c := command{query.Get("key"), query["value"]}
			result, err := execute(node, r, request.URL.Path, c, *bug)
			if err == raft.ErrNotLeader {
				http.Error(answer, err.Error(), http.StatusMisdirectedRequest)
			} else if err != nil {
				http.Error(answer, err.Error(), http.StatusInternalServerError)
			} else {
				json.NewEncoder(answer).Encode(result)
			}
		})))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
