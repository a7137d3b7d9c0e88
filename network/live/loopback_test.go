package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peerstore"

	"tidings/network/engine"
)

// talk has two hosts on this machine's loopback say something to each other.
func talk(t *testing.T, a, b *running) {
	t.Helper()
	if len(b.Addresses()) == 0 {
		t.Fatal("b knows no address of its own")
	}
	p, err := a.Connect(t.Context(), b.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	if p.ID != b.id {
		t.Fatalf("connected to %v, not %v", p.ID, b.id)
	}
	for i := range uint64(100) {
		a.send(p, someNews(i, 10_000))
	}
	eventually(t, "b has all", func() bool { return sameNumbers(b.numbers(), upTo(100)) })
	if from := b.gotten()[0].from; from != a.Host.Self() {
		t.Errorf("from %v at %v, not from %v", from, FormatAddresses(from), a.Addresses())
	}
	b.send(b.gotten()[0].from, aWord(0))
	eventually(t, "a has the answer", func() bool { return sameNumbers(a.numbers(), upTo(1)) })
	eventually(t, "both show the peer", func() bool { return len(a.Peers()) == 1 && len(b.Peers()) == 1 })
	if peers := a.Peers(); peers[0].Peer.ID != b.id || peers[0].Inbound || peers[0].Program != "test 2" {
		t.Errorf("a shows %+v", peers[0])
	}
	b.stop()
	eventually(t, "a knows that b stopped", func() bool { return a.downCount() == 1 })
}

func TestLoopbackQUIC(t *testing.T) {
	talk(t, startHost(t, loopback(1)), startHost(t, loopback(2)))
}

func onTCP(n int) Config {
	c := loopback(n)
	c.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
	return c
}

func TestLoopbackTCP(t *testing.T) {
	talk(t, startHost(t, onTCP(1)), startHost(t, onTCP(2)))
}

func TestQUICComesFirst(t *testing.T) {
	c := loopback(1)
	c.Listen = []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}
	b := startHost(t, c)
	if all := b.Addresses(); len(all) != 2 || !strings.Contains(all[0], "/quic-v1/") {
		t.Errorf("addresses: %v", all)
	}
	a := startHost(t, loopback(2))
	if _, err := a.Connect(t.Context(), strings.Join(b.Addresses(), ",")); err != nil {
		t.Fatal(err)
	}
	if over := a.Peers()[0].Over; !strings.Contains(over, "/quic-v1") {
		t.Errorf("connected over %s", over)
	}
}

// With a network key, hosts speak TCP, to those that hold the same key.
func TestNetworkKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "swarm.key")
	if err := WriteNetworkKey(file, NewNetworkKey()); err != nil {
		t.Fatal(err)
	}
	key, err := ReadNetworkKey(file)
	if err != nil {
		t.Fatal(err)
	}
	private := func(n int, key []byte) Config {
		c := loopback(n)
		c.NetworkKey = key
		c.Listen = append(c.Listen, "/ip4/127.0.0.1/tcp/0")
		return c
	}
	a, b := startHost(t, private(1, key)), startHost(t, private(2, key))
	for _, text := range a.Addresses() {
		if strings.Contains(text, "quic") {
			t.Errorf("a private node says that it is at %s", text)
		}
	}
	wrong, open := startHost(t, private(3, NewNetworkKey())), startHost(t, onTCP(4))
	if _, err := wrong.Connect(t.Context(), a.Addresses()[0]); !errors.Is(err, ErrNetworkKey) {
		t.Errorf("a wrong key gives: %v", err)
	}
	if _, err := open.Connect(t.Context(), a.Addresses()[0]); err == nil ||
		!strings.Contains(err.Error(), "network key") {
		t.Errorf("no key gives: %v", err)
	}
	if _, err := a.Connect(t.Context(), open.Addresses()[0]); !errors.Is(err, ErrNetworkKey) {
		t.Errorf("an open node gives: %v", err)
	}
	talk(t, a, b)
	c := loopback(5)
	c.NetworkKey = key
	if err := c.Validate(); err == nil {
		t.Error("a private node without TCP is valid")
	}
}

// What goes wrong when a person gives an address is said in words.
func TestConnectInWords(t *testing.T) {
	a, b := startHost(t, onTCP(1)), startHost(t, onTCP(2))
	to := b.Addresses()[0]
	place, identity, _ := strings.Cut(to, "/p2p/")
	other, err := check(contactOf(t, 7, "/ip4/127.0.0.1/tcp/1"))
	if err != nil {
		t.Fatal(err)
	}
	closed := "/ip4/127.0.0.1/tcp/" + freePort(t) + "/p2p/" + identity
	for _, c := range []struct {
		address string
		want    error
	}{
		{"", ErrNotAddress},
		{"example.org:4001", ErrNotAddress},
		{place, ErrNoIdentity},
		{"/p2p/" + identity, ErrNoIdentity},
		{place + "/p2p/QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", ErrWrongKey},
		{a.Addresses()[0], ErrMyself},
		{closed, ErrRefused},
		{place + FormatAddress(engine.Peer{ID: NodeID(other.key), Address: contact{key: other.key}.address()}),
			ErrOtherKey},
	} {
		if _, err := a.Connect(t.Context(), c.address); !errors.Is(err, c.want) {
			t.Errorf("%q: %v; want %v", c.address, err, c.want)
		}
	}
	over, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for range 100 {
		if _, err := a.Connect(over, to); !errors.Is(err, ErrTimeout) {
			t.Errorf("a context that ended gives: %v", err)
		}
	}
}

// freePort returns a TCP port on which nobody listens, nor can before the test ends: a connection has it.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	holder, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close() })
	_, port, _ := net.SplitHostPort(holder.LocalAddr().String())
	return port
}

func TestListeningOnAUsedPort(t *testing.T) {
	for _, c := range []Config{loopback(1), onTCP(1)} {
		a := startHost(t, c)
		c.Key = testKey(2)
		place, _, _ := strings.Cut(a.Addresses()[0], "/p2p/")
		c.Listen = append([]string{place}, c.Listen...)
		h, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		cannotListen(t, h)
	}
}

// Port is where the host really listens.
func TestPort(t *testing.T) {
	for name, c := range map[string]Config{"QUIC": loopback(1), "TCP": onTCP(2)} {
		h, err := New(c)
		if err != nil || h.Port() != 0 {
			t.Errorf("%s: before it runs, port %d, error %v", name, h.Port(), err)
		}
		r := startHost(t, c)
		if port := fmt.Sprintf("/%d/", r.Port()); !strings.Contains(r.Addresses()[0], port) {
			t.Errorf("%s: port %s of %s", name, port, r.Addresses()[0])
		}
	}
}

func cannotListen(t *testing.T, h *Host) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	err := h.Run(ctx, func(engine.Env) engine.Protocol { cancel(); return &recorder{} })
	if err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("listening on a used port gives: %v", err)
	}
	if err := h.Do(t.Context(), func() {}); !errors.Is(err, ErrStopped) {
		t.Errorf("Do on a host that does not run gives: %v", err)
	}
}

// hostile 49: more peers than there is room for. The good one keeps its link.
func TestMorePeersThanLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 40 hosts")
	}
	c := loopback(1)
	c.Limits.Links, c.Limits.LinksInbound, c.Limits.HighWater, c.Limits.LowWater = 20, 20, 15, 10
	a, good := startHost(t, c), startHost(t, loopback(2))
	if _, err := good.Connect(t.Context(), a.Addresses()[0]); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := range 40 {
		r := startHost(t, loopback(10+n))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := r.Connect(ctx, a.Addresses()[0]); err != nil {
			refused++
		}
		cancel()
	}
	if refused < 20 {
		t.Errorf("of 40 peers, %d were refused", refused)
	}
	good.send(a.Host.Self(), aWord(7))
	eventually(t, "the good peer is heard", func() bool { return sameNumbers(a.numbers(), []uint64{7}) })
	if good.downCount() != 0 {
		t.Error("the good peer lost its link")
	}
}

// A host leaves no goroutine behind.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	a, b := startHost(t, loopback(1)), startHost(t, loopback(2))
	talk(t, a, b)
	a.stop()
	eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// The places of a peer that is being dialled stay known when libp2p's identify service clears up at that moment, behind
// the peer's last connection.
func TestClearingUpForgetsNoPlaces(t *testing.T) {
	a, b := startHost(t, loopback(1)), startHost(t, loopback(2))
	to, err := check(b.Host.Self())
	if err != nil {
		t.Fatal(err)
	}
	ended, cleared := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(cleared)
		for {
			select {
			case <-ended:
				return
			default:
				a.net.Peerstore().UpdateAddrs(b.pid, peerstore.TempAddrTTL, 0)
			}
		}
	}()
	for range 20 {
		s, err := a.connectAndOpen(t.Context(), b.pid, to)
		if err != nil {
			t.Error(err)
			continue
		}
		_ = s.Reset()
		_ = a.net.Network().ClosePeer(b.pid)
	}
	close(ended)
	<-cleared
}
