package node

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings/delivery/api"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/identity"
	"tidings/node/member"
	"tidings/store"
	"tidings/view"
)

// onLoopback lets a node of the tests join a network that does not leave the machine.
func onLoopback(c *Config) {
	c.NoNetwork, c.NoMDNS = false, true
	c.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
	c.Logger = slog.New(slog.DiscardHandler) // attempts in vain are part of these tests
}

// restartable runs a node on loopback that can be started again on its data.
type restartable struct {
	t      *testing.T
	config Config
	*Node
	client *api.Client
	joined <-chan struct{} // closed when it has its place in a ring
	stop   func()
}

func newRestartable(t *testing.T, change ...func(*Config)) *restartable {
	t.Helper()
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.IDWork = t.TempDir(), "127.0.0.1:0", true, 0
	onLoopback(&c)
	for _, f := range change {
		f(&c)
	}
	r := &restartable{t: t, config: c}
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *restartable) start() {
	r.t.Helper()
	if r.client != nil {
		r.client.Close()
	}
	c, joined := r.config, make(chan struct{})
	r.joined = joined
	join := sync.OnceFunc(func() { close(joined) })
	c.Trace = func(event any) {
		if _, is := event.(pastry.Joined); is {
			join()
		}
		if r.config.Trace != nil {
			r.config.Trace(event)
		}
	}
	r.Node, r.stop = runNode(r.t, c)
	r.client = api.Dial(api.SocketPath(r.config.Data)) // one for all calls: each keeps a connection open
	r.t.Cleanup(r.client.Close)
}

func (r *restartable) view() view.Network {
	r.t.Helper()
	network, err := r.Network(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return network
}

// awaitRing waits until a node has its place in a ring, even one of its own. Until then it owns nothing, and refuses
// items for the archive.
func (r *restartable) awaitRing() {
	r.t.Helper()
	select {
	case <-r.joined:
	case <-time.After(patience):
		r.t.Fatal("the node never had its place in a ring")
	}
}

func (r *restartable) address() string { return r.view().Addresses[0] }

// sees reports whether a node has another as its neighbour.
func (r *restartable) sees(other *restartable) bool {
	return slices.ContainsFunc(r.view().Neighbours, func(p view.Peer) bool { return p.ID == other.id })
}

// join returns how joining by an address stands.
func (r *restartable) join(address string) view.Join {
	for _, j := range r.view().Joins {
		if j.Address == address {
			return j
		}
	}
	return view.Join{}
}

// failsToJoin waits until joining by an address has failed, and returns how it stands. An attempt that a busy machine
// cut off does not count: it is made again.
func (r *restartable) failsToJoin(address string) (j view.Join) {
	r.t.Helper()
	await(r.t, "the failure is shown", func() bool {
		j = r.join(address)
		return j.State == view.Waiting && j.Failure != live.ErrTimeout.Error()
	})
	return j
}

func (r *restartable) adds(address string) {
	r.t.Helper()
	if err := r.member.AddJoin(r.t.Context(), address); err != nil {
		r.t.Fatal(err)
	}
}

func joiningBy(address string) func(*Config) {
	return func(c *Config) { c.Join = []string{address} }
}

// patience is how long a test waits for what must come: so long that only what never comes exceeds it, on any machine.
const patience = 10 * time.Minute

// await waits until a condition is true.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("this never came to be: %s", what)
		}
	}
}

func TestTwoNodesShowEachOther(t *testing.T) {
	a := newRestartable(t)
	b := newRestartable(t, joiningBy(a.address()))
	await(t, "they are neighbours", func() bool { return a.sees(b) && b.sees(a) })
	await(t, "the neighbour is shown as connected, with its address, as one of two nodes", func() bool {
		network := b.view()
		return network.Nodes == 2 && network.Neighbours[0].Address == a.address() && network.Neighbours[0].Connected
	})
	await(t, "the join is shown as such", func() bool { return b.join(a.address()).State == view.Joined })
	if j := b.join(a.address()); !j.Saved || j.Failure != "" {
		t.Errorf("joined by %+v", j)
	}
	await(t, "it is the only peer", func() bool {
		peers, err := a.Peers(t.Context())
		return err == nil && len(peers) == 1 && peers[0].ID == b.id
	})
}

// A node without configured peers returns by the nodes that it has met.
func TestANodeReturnsByThoseItRemembers(t *testing.T) {
	a := newRestartable(t)
	b := newRestartable(t, joiningBy(a.address()))
	await(t, "they are neighbours", func() bool { return a.sees(b) })
	former := a.address()
	a.stop()
	b.stop()
	b.config.Join = nil
	b.config.Listen = []string{strings.Split(b.former(), "/p2p/")[0]}
	b.start()
	if joins := b.view().Joins; len(joins) != 1 || joins[0].Address != former || !joins[0].Saved {
		t.Errorf("the saved join was not kept: %+v", joins)
	}
	a.start() // at another port, so that b finds it by no address that b has
	await(t, "they are neighbours again", func() bool { return a.sees(b) && b.sees(a) })
	if joins := a.view().Joins; len(joins) != 0 {
		t.Errorf("whom it remembers is shown as joins: %+v", joins)
	}
}

// former returns where the node was, as those that met it remember.
func (r *restartable) former() string { return live.FormatAddress(r.connections.Self()) }

// An address without an answer keeps no node from starting. It is named, and tried until a node answers.
func TestAJoinInVainIsShownAndTriedAgain(t *testing.T) {
	t.Parallel()
	a := newRestartable(t)
	address := a.address()
	a.stop()
	b := newRestartable(t, joiningBy(address))
	if j := b.failsToJoin(address); j.Failure != live.ErrRefused.Error() || j.Next.IsZero() {
		t.Errorf("shown as %+v", j)
	}
	a.config.Listen = []string{strings.Split(address, "/p2p/")[0]}
	a.start()
	await(t, "it is joined when it is there", func() bool { return b.join(address).State == view.Joined && b.sees(a) })
}

func TestAnotherNodeAnswers(t *testing.T) {
	a, b, c := newRestartable(t), newRestartable(t), newRestartable(t)
	place, _, _ := strings.Cut(a.address(), "/p2p/")
	_, id, _ := strings.Cut(b.address(), "/p2p/")
	wrong := place + "/p2p/" + id
	c.adds(wrong)
	if j := c.failsToJoin(wrong); j.Failure != live.ErrOtherKey.Error() {
		t.Errorf("shown as %+v", j)
	}
	if c.sees(a) || c.sees(b) {
		t.Error("it took another node for the one that it was to join by")
	}
	for address, want := range map[string]string{"nonsense": "not a multiaddr", c.address(): "own"} {
		if err := c.member.AddJoin(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("joining by %s: %v", address, err)
		}
	}
}

// What people say to join by, and no more, outlives the node.
func TestJoinsAreKept(t *testing.T) {
	gone := newRestartable(t)
	first := gone.address()
	_, id, _ := strings.Cut(first, "/p2p/")
	second := "/ip4/127.0.0.1/tcp/1/p2p/" + id
	gone.stop()
	n := newRestartable(t)
	n.adds(first)
	n.adds(second)
	n.stop()
	n.start()
	addresses := func() (all []string) {
		for _, j := range n.view().Joins {
			all = append(all, j.Address)
		}
		return all
	}
	if got := addresses(); !slices.Equal(got, []string{first, second}) {
		t.Fatalf("after a restart: %q", got)
	}
	if err := n.member.RemoveJoin(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	n.stop()
	n.start()
	if got := addresses(); !slices.Equal(got, []string{second}) {
		t.Errorf("after a removal and a restart: %q", got)
	}
}

// A directory that was copied: both nodes get to know.
func TestACopiedKeyIsShown(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for two nodes to displace each other")
	}
	third := newRestartable(t)
	one := newRestartable(t, joiningBy(third.address()))
	await(t, "the original is in the ring", func() bool { return third.sees(one) })
	key, err := os.ReadFile(filepath.Join(one.config.Data, identity.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	other := newRestartable(t, joiningBy(third.address()), func(c *Config) {
		c.New = true // it has its key already
		if err := os.WriteFile(filepath.Join(c.Data, identity.KeyFile), key, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	for _, r := range []*restartable{one, other} {
		await(t, "each of the two is told", func() bool {
			return r.view().DuplicateKey && !r.view().DuplicateKeyMet.IsZero()
		})
	}
	if third.view().DuplicateKey {
		t.Error("the third node takes itself for a copy")
	}
}

func TestANetworkKeyKeepsOthersOut(t *testing.T) {
	keys := make([]string, 2)
	for i := range keys {
		keys[i] = filepath.Join(t.TempDir(), "key")
		if err := member.WriteNetworkKey(keys[i]); err != nil {
			t.Fatal(err)
		}
	}
	holding := func(file string) func(*Config) { return func(c *Config) { c.NetworkKeyFile = file } }
	a := newRestartable(t, holding(keys[0]))
	friend := newRestartable(t, holding(keys[0]), joiningBy(a.address()))
	others := []*restartable{newRestartable(t, holding(keys[1]), joiningBy(a.address())),
		newRestartable(t, joiningBy(a.address()))}
	await(t, "those with the same key are neighbours", func() bool { return a.sees(friend) && friend.sees(a) })
	for _, o := range others {
		if j := o.failsToJoin(a.address()); !strings.Contains(j.Failure, "network") || len(o.view().Neighbours) != 0 ||
			a.sees(o) {
			t.Errorf("shown as %+v", j)
		}
	}
}

// What is kept of the network may be damaged: the node starts and makes it anew.
func TestADamagedMemoryKeepsNoNodeFromStarting(t *testing.T) {
	for _, text := range []string{"{", `{"port": "x"}`, `{"port": 1000000}`, `{"joins": ["nonsense"], "peers": [""]}`} {
		n := newRestartable(t)
		n.stop()
		ctx := context.Background()
		s, err := store.Open(ctx, store.Default(n.config.Data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DB.SetSetting(ctx, "network", text); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		n.start()
		if n.address() == "" {
			t.Errorf("with %s it listens nowhere", text)
		}
	}
}

// A node with a configured address does not start at another one.
func TestATakenAddressIsSaidPlainly(t *testing.T) {
	a := newRestartable(t, func(c *Config) {
		c.Listen = []string{"/ip4/127.0.0.1/udp/0/quic-v1", "/ip4/127.0.0.1/tcp/0"}
	})
	for _, address := range a.view().Addresses {
		place, _, _ := strings.Cut(address, "/p2p/")
		c := a.config
		c.Data, c.Listen = t.TempDir(), []string{place}
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		err = n.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), place+": the port is taken") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("listening at %s: %v", place, err)
		}
	}
}

// hostile 61: a node stops within five seconds, whatever its neighbour and a browser do.
func TestStoppingWaitsForNobodyLong(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for farewells in vain")
	}
	a := newRestartable(t)
	b := newRestartable(t, joiningBy(a.address()))
	await(t, "they are neighbours", func() bool { return a.sees(b) && b.sees(a) })
	wake := make(chan struct{})
	asleep := make(chan struct{})
	go func() { _ = b.connections.Do(context.Background(), func() { close(asleep); <-wake }) }()
	defer close(wake)
	<-asleep
	browser, err := net.Dial("tcp", strings.TrimPrefix(a.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	if _, err := browser.Write([]byte("GET / HTTP/1.1\r\n")); err != nil { // and no more
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() { a.stop(); close(stopped) }()
	select {
	case <-stopped:
	case <-time.After(patience): // two seconds are enough, and a failure would wait for ever
		t.Error("it waits for those who do not answer")
	}
}
