package campaign

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A run that is interrupted has no outcome, and a bounded one says so.
func TestRunEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Small(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	w := Small(3)
	w.MaxEvents = 5000
	o, err := Run(t.Context(), w)
	if err != nil || o.Bounded == "" || o.Events > 5000+2*checkEvery {
		t.Errorf("bounded: %+v, %v", o, err)
	}
	if e := entryOf(w, &o, 0, 0); e.Result != Bounded {
		t.Errorf("the entry says %s", e.Result)
	}
	w.Nodes = 3
	if _, err := Run(t.Context(), w); err == nil {
		t.Error("a world of three nodes is run")
	}
}

// A campaign that is resumed runs the worlds that are missing, and none twice.
func TestCampaignGoesOn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log.jsonl")
	l, err := Begin(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(Entry{Seed: 101}); err != nil {
		t.Fatal(err)
	}
	c := &Campaign{Log: l, Scenes: dir, Worlds: 1}
	if err := errors.Join(c.Run(t.Context()), l.Close()); err != nil {
		t.Fatal(err)
	}
	if l, err = Resume(path); err != nil {
		t.Fatal(err)
	}
	shown := 0
	c = &Campaign{Log: l, Scenes: dir, Worlds: 1, Show: func(Entry) { shown++ }}
	if err := errors.Join(c.Run(t.Context()), l.Close()); err != nil {
		t.Fatal(err)
	}
	seeds := l.seeds()
	if len(l.Entries) != 3 || !seeds[100] || !seeds[101] || !seeds[102] || shown != 1 {
		t.Errorf("%d worlds: %v", len(l.Entries), seeds)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c = &Campaign{Log: l, Scenes: dir}
	if err := c.Run(ctx); err != nil || len(l.Entries) != 3 {
		t.Errorf("a campaign that is over: %v, %d worlds", err, len(l.Entries))
	}
}

// A failing world is kept as a scene that is the same world.
func TestFailingWorldIsKept(t *testing.T) {
	c := &Campaign{Scenes: t.TempDir()}
	path, err := c.write(Small(3))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := Parse(text); err != nil || !bytes.Equal(w.Scene(), Small(3).Scene()) {
		t.Errorf("another world: %v", err)
	}
}
