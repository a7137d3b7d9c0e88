package node

import (
	"context"
	"log/slog"
	"testing"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/coop"
	"tidings/store"
)

// Penalties that could not be written are written the next time: a node that stops after the disk had no room for a
// moment has them when it starts again.
func TestPenaltiesOutliveAFailedWrite(t *testing.T) {
	t.Parallel()
	opened, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	start := func() *coop.Coop { // without Run: what is to be stored waits for Save
		c := coop.New(coop.Config{
			Store: opened, Log: slog.New(slog.DiscardHandler), NodeID: engine.PrefixID("1").String(),
			Own: corona.Default(),
		}, nil, nil)
		if err := c.Recall(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := start()
	giver := engine.PrefixID("91")
	c.Listener().Contradicted(corona.Contradicted{Channel: engine.PrefixID("cd"), Version: 3, Giver: giver,
		Shown: true})
	failing, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Save(failing); err == nil {
		t.Fatal("the write does not fail: the test says nothing")
	}
	if err := c.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := start().Penalties(); len(got) != 1 || got[0].Node != giver.String() || got[0].Times != 1 {
		t.Errorf("after a failed write, another and a start, penalties are %+v; want one of %s", got, giver)
	}
}
