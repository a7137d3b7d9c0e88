package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings/view"
)

const (
	someID    = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"
	someJoin  = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/" + someID
	otherJoin = "/dns4/tidings.example/tcp/7601/p2p/" + someID
)

// wellConnected is a node with nothing to complain of.
func wellConnected() view.Network {
	return view.Network{
		Addresses: []string{someJoin, "/ip4/192.0.2.7/tcp/7601/p2p/" + someID}, Nodes: 40,
		Neighbours: make([]view.Peer, 16), Reachable: view.ReachPublic,
		Joins: []view.Join{{Address: otherJoin, State: view.Joined}},
	}
}

// texts returns diagnoses as a person reads them.
func texts(all []Diagnosis) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s: %s\n", f.Level, f.Text)
		if f.Hint != "" {
			fmt.Fprintf(&b, "  %s\n", f.Hint)
		}
	}
	return b.String()
}

// expect requires the given lines among the diagnoses, and no others that are not ok.
func expect(t *testing.T, all []Diagnosis, want ...string) {
	t.Helper()
	text := texts(all)
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
	bad := 0
	for _, w := range want {
		if strings.HasPrefix(w, "warning: ") || strings.HasPrefix(w, "problem: ") {
			bad++
		}
	}
	if got := strings.Count("\n"+text, "\nwarning: ") + strings.Count("\n"+text, "\nproblem: "); got != bad {
		t.Errorf("%d complaints, want %d:\n%s", got, bad, text)
	}
}

func TestDoctorOnConnectivity(t *testing.T) {
	at := time.Date(2026, 5, 1, 15, 4, 5, 0, time.Local)
	for name, test := range map[string]struct {
		change func(*view.Network)
		want   []string
	}{
		"all is well": {func(*view.Network) {},
			[]string{"ok: The node knows 16 neighbours in a ring of about 40 nodes.",
				"ok: Joined by " + otherJoin, "ok: Nodes outside can connect"}},
		"told to work alone": {func(n *view.Network) { *n = view.Network{Off: true} },
			[]string{"ok: The node works alone, as it was told to."}},
		"alone": {func(n *view.Network) { n.Neighbours, n.Joins, n.Reachable = nil, nil, view.ReachUnknown },
			[]string{"warning: The node knows no other node", "tidings join MULTIADDR"}},
		"joining in vain": {func(n *view.Network) {
			n.Neighbours, n.Reachable = nil, view.ReachUnknown
			n.Joins = []view.Join{{Address: someJoin, State: view.Waiting, Failure: "nobody answers there.", Next: at},
				{Address: otherJoin, State: view.Joining}}
		}, []string{"warning: The node knows no other node", "goes on trying",
			"warning: Joining by " + someJoin + " fails: nobody answers there. It is tried again at 15:04:05.",
			"tidings join --forget " + someJoin}},
		"behind a router": {func(n *view.Network) { n.Reachable = view.ReachPrivate },
			[]string{"warning: Nodes outside cannot connect", "let TCP port 7601 and UDP port 7601 through"}},
		"behind a router that asks each other node for another port": {func(n *view.Network) {
			n.Reachable, n.Router = view.ReachPrivate, view.Router{Ports: view.PortsVary, NoUDP: true}
		}, []string{"warning: Nodes outside cannot connect", "another port towards each", "UDP does not come through",
			"No other node relays to it so far.", "UPnP"}},
		"behind a router through which holes can be punched": {func(n *view.Network) {
			n.Reachable, n.Router = view.ReachPrivate, view.Router{Ports: view.PortsSame, Relays: 2}
			n.Neighbours = []view.Peer{{ID: "0123456789", Way: view.WayRelayed}, {Way: view.WayPunched},
				{Way: view.WayPunched}, {Way: view.WayDirect}, {}, {Way: view.WayForwarded}}
		}, []string{"warning: Nodes outside cannot connect", "the same port towards everybody",
			"2 other nodes relay to it.",
			"ok: Of its neighbours the node is connected to 1 directly; 2 directly, through both routers, after a third node introduced them; 1 through a relay (01234567); 1 not at present; 1 only by neighbours of both, which forward messages."}},
		"behind a router that does as it is asked": {func(n *view.Network) { n.Router.Forwards = true },
			[]string{"ok: Nodes outside can connect to this one: the router forwards its port"}},
		"connected and not let in": {func(n *view.Network) { n.Neighbours, n.Reachable = nil, view.ReachUnknown },
			[]string{"warning: The node knows no other node", "warning: The node has connected by " + otherJoin +
				", and nobody there has let it into the ring"}},
		"not known yet": {func(n *view.Network) { n.Reachable = view.ReachUnknown },
			[]string{"ok: Whether nodes outside can connect"}},
		"a duplicate key": {func(n *view.Network) {
			n.DuplicateKey, n.DuplicateKeyAt, n.DuplicateKeyMet = true, "/ip4/192.0.2.9/tcp/1", at
		},
			[]string{"problem: Another running node at /ip4/192.0.2.9/tcp/1 has the key of this one",
				"It was last met at 15:04:05.", "move node.key", "not met for 15 minutes"}},
		"no address": {func(n *view.Network) { n.Addresses = nil }, []string{"problem: The node has no address"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := wellConnected()
			test.change(&n)
			expect(t, Config{KeyFile: "node.key"}.connectivity(n), test.want...)
		})
	}
}
