package identity

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tidings/network/live"
)

// The found key has the work, and replaces the former key, which is kept.
func TestMining(t *testing.T) {
	dir := t.TempDir()
	former, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := NewMiner(8)
	key := m.Run(t.Context())
	if id := live.NodeID(key.Public().(ed25519.PublicKey)); id.Work() < 8 {
		t.Fatalf("found an ID with %d bits of work", id.Work())
	}
	if p := m.Progress(); p.Tried == 0 || p.Bits != 8 || p.Expected != 256 || p.Expects() <= 0 {
		t.Errorf("progress is %+v", p)
	}
	if err := Replace(dir, former, key); err != nil {
		t.Fatal(err)
	}
	if now, err := Of(dir); err != nil || !now.Equal(key) {
		t.Errorf("the node has not the key that was found: %v", err)
	}
	file := filepath.Join(dir, FormerKeyFile)
	if err := os.Rename(file, filepath.Join(dir, KeyFile)); err != nil {
		t.Fatal(err)
	}
	if back, err := Of(dir); err != nil || !back.Equal(former) {
		t.Errorf("the key before is not kept: %v", err)
	}
}

func TestMiningEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	m := NewMiner(200) // never found
	ended := make(chan ed25519.PrivateKey)
	go func() { ended <- m.Run(ctx) }()
	for m.Progress().Tried == 0 {
		runtime.Gosched()
	}
	stop()
	if key := <-ended; key != nil {
		t.Error("a key was found that cannot be")
	}
	if none := (*Miner)(nil); none.Progress() != nil {
		t.Error("who looks for nothing makes progress")
	}
}
