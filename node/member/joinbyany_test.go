package member

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/broadcast"
	"tidings/store"
)

// bare is a node with nothing on its ring.
type bare struct{}

func (bare) Start(engine.Env, *live.Host, *pastry.Node, *engine.Stack) {}
func (bare) Stopped()                                                  {}
func (bare) Friends() []string                                         { return nil }

// bareMember starts a member that is given addresses to join by, until the end of the test.
func bareMember(t *testing.T, joins ...string) *Member {
	t.Helper()
	s, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(t.Context(), bare{}, Config{
		Key: key, Codec: engine.NewCodec(engine.TransportVocabulary, live.Vocabulary, pastry.Vocabulary), Agent: "test",
		Join: joins, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Descriptors: 64, OnRTT: func(time.Duration) {},
		Changed: broadcast.New(), Settings: s.DB, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		m.Close()
	})
	return m
}

// A node without a working address joins by any node that is connected to it.
func TestJoinsByAnyConnectedNode(t *testing.T) {
	other := bareMember(t)
	lonely := bareMember(t, "/ip4/127.0.0.1/tcp/1/p2p/12D3KooWR46ctNavRMxpfprs9mgGrLYz8rKYUX3nLC6ysRVV7VfT")
	// and does not join by it
	if _, err := other.connections.Connect(t.Context(), lonely.connections.Addresses()[0]); err != nil {
		t.Fatal(err)
	}
	patience := time.After(10 * time.Minute)
	for lonely.IsAlone(t.Context()) || other.IsAlone(t.Context()) {
		select {
		case <-patience:
			t.Fatal("they are connected, and each is alone")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
