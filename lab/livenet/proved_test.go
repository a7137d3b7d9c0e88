package livenet

import (
	"sync"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/budget"
	"tidings/network/corona/version/report"
	"tidings/network/engine"
	"tidings/node"
)

// proofs notes what nodes trace of channels.
type proofs struct {
	mu       sync.Mutex
	proved   map[engine.ID]bool // to a node that is to poll it
	numbered map[engine.ID]bool // a version after the first
}

func (c *proofs) receive(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case budget.Paid:
		if e.Readers >= 1 {
			c.proved[e.Channel] = true
		}
	case report.Numbered:
		if e.Version > 1 {
			c.numbered[e.Channel] = true
		}
	}
}

func (c *proofs) of(some map[engine.ID]bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(some)
}

// In a test network the primary of each channel proves its readers to the other pollers, as by default. All its nodes
// obey the usual ceiling of hosts.
func TestReadersAreProvedAmongWholeNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole nodes for a quarter of a minute")
	}
	w := Workload{Seed: 1, Processes: 1, Nodes: 3, Hosts: 2, Interval: 2 * time.Second, Router: network.Scribe}
	var all []int
	for i := range 6 {
		all = append(all, i)
		w.Channels = append(w.Channels, Channel{Name: string(rune('a' + i)), Kind: Edited, Readers: []int{0, 1, 2, 3}})
	}
	c := &proofs{proved: make(map[engine.ID]bool), numbered: make(map[engine.ID]bool)}
	net, err := Launch(t.Context(), w, Options{Change: func(_ int, n *node.Config) { n.Trace = c.receive }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range net.Nodes {
		status, err := n.Client.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := status.Coop.Params.HostCeiling, node.Default().HostCeiling; got != want || got == 0 {
			t.Errorf("node %d lets a host have %d requests in an interval, ordinary nodes %d", n.Index, got, want)
		}
	}
	led := 0 // channels with a traced primary: it is in this process
	for i := range w.Channels {
		if net.primary(t, i).process == nil {
			led++
		}
	}
	if err := net.Play(Phase{Events: w.Begin(0), Await: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := net.within(Patience, pause, func() (bool, error) {
		return c.of(c.proved) >= len(all), nil
	}); err != nil ||
		c.of(c.proved) < len(all) {
		t.Fatalf("the readers of %d of %d channels are proved: %v", c.of(c.proved), len(all), err)
	}
	edit := Event{Do: Edit, Node: Origin, Channels: all}
	if err := net.Play(Phase{Events: []Event{edit}, Await: true}); err != nil {
		t.Fatal(err)
	}
	if found := c.of(c.numbered); found < led {
		t.Errorf("changes of %d of %d channels were found", found, led)
	}
	if hosts := map[string]bool{corona.HostOf(net.URL(0)): true, corona.HostOf(net.URL(1)): true,
		corona.HostOf(net.URL(2)): true}; len(hosts) != 2 {
		t.Errorf("the channels have the hosts %v, want 2", hosts)
	}
	if tally := net.Tally(Rules{First: true}); tally.Lost > 0 || tally.Twice > 0 {
		t.Errorf("%+v", tally)
	}
}

// primary returns the node that is closest to a channel.
func (n *Net) primary(t *testing.T, channel int) (closest *Node) {
	t.Helper()
	key := engine.IDOf([]byte(n.URL(channel)))
	var least engine.ID
	for _, node := range n.Nodes {
		id, err := engine.ParseID(node.ID)
		if err != nil {
			t.Fatal(err)
		}
		if closest == nil || engine.Closer(key, id, least) {
			closest, least = node, id
		}
	}
	return closest
}
