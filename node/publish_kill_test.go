package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/node/keyring"
	"tidings/view"
)

// hostile 33, 51: kill -9 at any moment, again and again, while items are published. The numbers go on without a gap or
// a repeat. What was acknowledged is there under its number, and what was kept and not sent is sent. So a reader has
// everything, once.
func TestAKilledPublisherGoesOn(t *testing.T) {
	t.Parallel()
	const seed = 20261122
	chance := rand.New(rand.NewPCG(seed, seed))
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	other := newRestartable(t)
	dir, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	key, err := keyring.In(dir).New("me", "")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, other, key.Fingerprint)
	v := &victim{t: t, dir: dir, client: api.Dial(api.SocketPath(dir))}
	defer v.client.Close()
	acknowledged := make(map[uint64]string) // by number: the entry's ID
	for round := range rounds {
		cmd := startAuthor(t, dir, other.address())
		v.awaitReady(t.Context())
		life, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(chance.IntN(400))*time.Millisecond, func() { // the moment is the point of the test
			_ = cmd.Process.Signal(syscall.SIGKILL)
			_ = cmd.Wait() // it was killed
			cancel()
		})
		for n := 0; life.Err() == nil; n++ {
			publishShortly(life, t, v.client, fmt.Sprint(round, "-", n), acknowledged)
		}
		<-life.Done()
	}
	cmd := startAuthor(t, dir, other.address())
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	v.awaitReady(t.Context())
	// A slow machine may have killed the node each time before it had published anything.
	issued, err := v.client.PublishEntry(t.Context(), ownFeed, "me",
		tidings.PublishedEntry{ID: "last", Title: "Entry last"})
	if err != nil || len(issued.Items) != 1 {
		t.Fatalf("seed %d: %+v, %v", seed, issued, err)
	}
	acknowledged[issued.Items[0].Number] = "last"
	var last view.Publication
	await(t, "all is sent", func() bool {
		all, err := v.client.Publications(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("seed %d: %+v, %v", seed, all, err)
		}
		last = all[0]
		return last.Unsent == 0
	})
	await(t, "the reader has everything", func() bool { return r.status(topicOf(key)).Have == last.Items })
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := make(map[string]uint64)
	for i, item := range r.items {
		id := opened(t, item).ID
		if item.Number != uint64(i+1) || seen[id] != 0 {
			t.Errorf("seed %d: in place %d came number %d, %s, which was number %d too", seed, i+1, item.Number, id,
				seen[id])
		}
		seen[id] = item.Number
		if was := acknowledged[item.Number]; was != "" && was != id {
			t.Errorf("seed %d: number %d is %s, and was acknowledged as %s", seed, item.Number, id, was)
		}
		delete(acknowledged, item.Number)
	}
	if len(acknowledged) > 0 || last.Items == 0 {
		t.Errorf("seed %d: of %d items acknowledged ones are missing: %v", seed, last.Items, acknowledged)
	}
	t.Logf("seed %d: %d kills, %d items", seed, rounds, last.Items)
}

// publishShortly publishes an entry, and does not wait for other nodes for long.
func publishShortly(ctx context.Context, t *testing.T, client *api.Client, id string, acknowledged map[uint64]string) {
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	issued, err := client.PublishEntry(short, ownFeed, "me", tidings.PublishedEntry{ID: id, Title: "Entry " + id})
	var refused *api.Error
	switch {
	case err == nil:
		for _, item := range issued.Items {
			acknowledged[item.Number] = item.ID
		}
	case errors.As(err, &refused):
		t.Errorf("publishing %s: %v", id, err)
	}
}

// startAuthor runs a node that joins another in a process of its own.
func startAuthor(t *testing.T, dir, join string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envNode+"="+dir, envJoin+"="+join)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}
