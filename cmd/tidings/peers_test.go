package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/node"
	"tidings/view"
)

const (
	friendID = "6e1f0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"
	friend   = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/12D3KooWFriend"
	silent   = "/ip4/192.0.2.9/tcp/7601/p2p/12D3KooWSilent"
)

// fakeNetwork is a node's part among others as the tests want it.
type fakeNetwork struct {
	now     view.Network
	peers   []view.Peer
	friends []view.Friend
	overlay view.Overlay
	tree    view.Tree
	zones   map[string]view.Zone
}

func (f *fakeNetwork) Network(context.Context) (view.Network, error) { return f.now, nil }
func (f *fakeNetwork) Peers(context.Context) ([]view.Peer, error)    { return f.peers, nil }
func (f *fakeNetwork) Friends(context.Context, tidings.AccountID) ([]view.Friend, error) {
	return f.friends, nil
}
func (f *fakeNetwork) Overlay(context.Context, tidings.AccountID) (view.Overlay, error) {
	return f.overlay, nil
}
func (f *fakeNetwork) Tree(context.Context, string) (view.Tree, error) { return f.tree, nil }
func (f *fakeNetwork) Zone(_ context.Context, path string) (view.Zone, error) {
	z, ok := f.zones[path]
	if !ok {
		return view.Zone{}, fmt.Errorf("%w: not a zone of this node: %s", tidings.ErrNotFound, path)
	}
	return z, nil
}
func (f *fakeNetwork) JoinZone(_ context.Context, o view.ZoneOrder) (view.ZoneMembership, error) {
	if o.Path == "/evil" {
		return view.ZoneMembership{Home: o.Path, Problem: "It is " + evil, Hint: "do " + evil,
			Attributes: map[string]string{"a": evil}}, nil
	}
	return view.ZoneMembership{Home: o.Path, Closed: o.Closed}, nil
}
func (f *fakeNetwork) SetZoneAttribute(_ context.Context, name, _ string) error {
	return fmt.Errorf("%w: nothing of %q", tidings.ErrNotFound, name)
}
func (f *fakeNetwork) SpreadFunction(context.Context, view.ZoneInstallation) error {
	return tidings.Invalidf("not by a key that it trusts")
}
func (f *fakeNetwork) SendToZone(_ context.Context, o view.ZoneSending) (view.ZoneSent, error) {
	return view.ZoneSent{Zone: o.Zone, Sender: friendID, Members: 1207,
		Items: []view.ZoneSentItem{{ID: "urn:1", Title: "Rain" + evil}, {ID: "urn:2"}}}, nil
}
func (f *fakeNetwork) NetworkChanged() <-chan struct{} { return nil }

func (f *fakeNetwork) AddJoin(_ context.Context, address string) error {
	join := view.Join{Address: address, Saved: true, State: view.Joined}
	switch {
	case !strings.HasPrefix(address, "/"):
		return tidings.Invalidf("%q is no address of a node", address)
	case address == silent:
		join.State, join.Failure, join.Next = view.Waiting, "nobody answers "+evil, time.Now().Add(85*time.Second)
	}
	f.now.Joins = append(f.now.Joins, join)
	return nil
}

func (f *fakeNetwork) RemoveJoin(_ context.Context, address string) error {
	if address != friend {
		return fmt.Errorf("join %s: %w", address, tidings.ErrNotFound)
	}
	return nil
}

func among() *fakeNode {
	neighbour := view.Peer{ID: friendID, Address: friend, Position: 0.43, RTT: 12.34, Neighbour: true,
		Connected: true}
	f := newFakeNode()
	f.network = &fakeNetwork{
		now: view.Network{
			ID: "abc", Addresses: []string{"/ip4/192.0.2.1/udp/7601/quic-v1/p2p/12D3KooWSelf",
				"/ip4/192.0.2.1/tcp/7601/p2p/12D3KooWSelf"},
			Position: 0.25, Nodes: 1200, Neighbours: []view.Peer{neighbour}, Reachable: view.ReachPrivate,
			DuplicateKey: true, DuplicateKeyMet: time.Now().Add(-3*time.Minute - time.Second),
			Joins: []view.Join{{Address: friend, State: view.Joined},
				{Address: silent, Saved: true, State: view.Waiting, Failure: "nobody answers " + evil,
					Next: time.Now().Add(85 * time.Second)}},
			Traffic: []view.Traffic{{Kind: "pastry.Ping" + evil, Sent: 1234, SentBytes: 56789, Received: 5,
				ReceivedBytes: 250, Dropped: 3}, {Kind: "vivaldi.Never"}},
		},
		peers: []view.Peer{neighbour,
			{ID: strings.Repeat("0", 40), Address: "/ip4/192.0.2.8/tcp/1/p2p/12D3KooWFar " + evil, RTT: 3.21}},
	}
	return f
}

func TestFriendsArePrinted(t *testing.T) {
	f := among()
	out, _, _ := f.command(t, "", "peers", "--friends")
	if want := "This node has no friends: "; !strings.HasPrefix(out, want) {
		t.Errorf("it printed %q, want %q", out, want)
	}
	f.network.(*fakeNetwork).friends = []view.Friend{{
		ID: friendID, Address: friend + evil, RTT: 12.34, Distance: 9.8, Shared: 1200,
		Channels: []string{"https://a.example/feed", "https://b.example/" + evil},
		Since:    time.Now().Add(-3*time.Minute - time.Second)}}
	out, _, _ = f.command(t, "", "peers", "--friends")
	for _, want := range []string{"ID        ADDRESS", "RTT  DISTANCE  SHARED CHANNELS  SINCE      WHICH",
		"6e1f0a4b  " + friend,
		"12 ms    9.8 ms            1,200  3 min ago  https://a.example/feed https://b.example/"} {
		if !strings.Contains(out, want) || strings.ContainsRune(out, '\x1b') {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

// The way is printed from the root down. Each way that updates can come has its sentence.
func TestTreeIsPrinted(t *testing.T) {
	parent := view.TreeNode{ID: friendID, Address: friend + evil, RTT: 12.34}
	above := view.TreeNode{ID: "77aa00ff12345678"}
	child := view.TreeNode{ID: strings.Repeat("0", 40), Address: silent, RTT: 3.21}
	for want, tree := range map[string]view.Tree{
		"No other node brings the updates of this channel: this node checks by itself.\n": {},
		"This node is the primary owner of this channel, and sends its updates to all subscribers itself.\n": {
			Router: "direct", Root: true, Rooted: true},
		"sends its updates to this node itself.\nROLE        ID         RTT  ADDRESS\nowner       6e1f0a4b  12 ms " +
			" /ip4/": {
			Router: "direct", Rooted: true, Ancestors: []view.TreeNode{parent}},
		"Updates of this channel go down a tree (router rappel), and this node is its root.\n": {
			Router: "rappel", Root: true, Rooted: true},
		"come down a tree (router rappel), in which this node is looking for a parent.\n": {Router: "rappel"},
		"come from its publisher, down a tree (router scribe); this node is 1 step below its root.\n": {
			Router: "scribe", Pushed: true, Rooted: true, Ancestors: []view.TreeNode{parent}},
		"come from the nodes that check in turns, down a tree (router scribe); this node does not know the whole " +
			"way from the root.\n": {
			Router: "scribe", Turns: true, Ancestors: []view.TreeNode{parent, above}},
		"this node is 2 steps below its root.\nROLE        ID          RTT  ADDRESS\nroot        77aa00ff       -\n" +
			"parent      6e1f0a4b   12 ms  /ip4/192.0.2.7/udp/7601/quic-v1/p2p/12D3KooWFriend[31mred[0m " +
			"evil2J\nthis node\nchild       00000000  3.2 ms  " + silent: {
			Router: "rappel", Rooted: true, Ancestors: []view.TreeNode{parent, above},
			Children: []view.TreeNode{child}},
	} {
		f := among()
		f.network.(*fakeNetwork).tree = tree
		out, _, status := f.command(t, "", "peers", "--tree", feedURL)
		squeezed := strings.Join(strings.Fields(out), " ")
		if status != 0 || !strings.Contains(squeezed, strings.Join(strings.Fields(want), " ")) ||
			strings.ContainsRune(out, '\x1b') {
			t.Errorf("status %d; %q is not in:\n%s", status, want, out)
		}
	}
	f := among()
	f.network.(*fakeNetwork).tree = view.Tree{Router: "rappel", Ancestors: []view.TreeNode{parent, above}}
	out, _, _ := f.command(t, "", "peers", "--json", "--tree", feedURL)
	if !strings.HasPrefix(out, `{"channel":"","router":"rappel","root":false,"rooted":false,"ancestors":[{"id":"`+
		friendID) || strings.Count(out, "\n") != 1 {
		t.Errorf("as JSON: %s", out)
	}
	if _, errOut, status := f.command(t, "", "peers", "--friends", "--tree", feedURL); status != 2 {
		t.Errorf("both at once: %d %s", status, errOut)
	}
	if _, errOut, status := f.command(t, "", "peers", "--tree", "https://nowhere.example/"); status != 1 ||
		!strings.Contains(errOut, "not followed") {
		t.Errorf("a channel that is not followed: %d %s", status, errOut)
	}
}

func TestNetworkCommandsPrint(t *testing.T) {
	for name, test := range map[string]struct {
		args   string
		status int
		want   []string // lines
	}{
		"peers": {args: "peers", want: []string{
			"ID        ADDRESS                                                    RTT  NEIGHBOUR  CONNECTED",
			"6e1f0a4b  " + friend + "       12 ms  yes        yes",
			"00000000  /ip4/192.0.2.8/tcp/1/p2p/12D3KooWFar [31mred[0m evil2J  3.2 ms"}},
		"status": {args: "status", want: []string{
			"node           abc",
			"ring           at 0.2500, among about 1,200 nodes, 1 neighbour; not reachable from outside",
			"addresses      /ip4/192.0.2.1/udp/7601/quic-v1/p2p/12D3KooWSelf",
			"               /ip4/192.0.2.1/tcp/7601/p2p/12D3KooWSelf",
			"joins          " + friend + ": joined (not saved)",
			"               " + silent + ": nobody answers [31mred[0m evil2J; again in 1 min",
			"duplicate key  another node runs with this one's key, last met 3 min ago; see: tidings doctor",
			"  0.4300  6e1f0a4b  12 ms  " + friend,
			"KIND                           SENT           RECEIVED         DROPPED",
			"pastry.Ping[31mred[0m evil2J  1,234  56.8 kB         5  250 B        3"}},
		"join": {args: "join " + friend, want: []string{"Joined by " + friend}},
		"join in vain": {args: "join " + silent, status: 1, want: []string{"tidings: joining by " + silent +
			": nobody answers [31mred[0m evil2J (the address is kept, and tried again with growing pauses)"}},
		"join nonsense": {args: "join nonsense", status: 1,
			want: []string{`tidings: "nonsense" is no address of a node`}},
		"forget": {args: "join --forget " + friend, want: []string{"Forgot " + friend}},
		"forget no join": {args: "join --forget " + silent, status: 1,
			want: []string{"tidings: the node was not told to join by that address (those that it was told: " +
				"tidings status)"}},
		"join whom": {args: "join", status: 2,
			want: []string{`tidings: expected "<address>" (see: tidings --help)`}},
		"no such port": {args: "up --port 70000", status: 2,
			want: []string{"tidings: --port must be between 0 and 65535, not 70000 (see: tidings --help)"}},
		"no such address": {args: "up --join 192.0.2.7:7601", status: 2,
			want: []string{"tidings: \"192.0.2.7:7601\": not a multiaddr such as " +
				"/ip4/192.0.2.1/udp/4001/quic-v1/p2p/12D3KooW…; the other node's `tidings status` shows its " +
				"addresses (see: tidings up --help)"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, status := among().command(t, "", strings.Fields(test.args)...)
			if status != test.status {
				t.Errorf("exit status %d, want %d", status, test.status)
			}
			for _, want := range test.want {
				if !strings.Contains("\n"+out+errOut, "\n"+want+"\n") {
					t.Errorf("%q is no line of:\n%s%s", want, out, errOut)
				}
			}
			if i := strings.IndexAny(out+errOut, "\x1b\a\u202e\u202c\u009b"); i >= 0 {
				t.Errorf("it printed %q", (out + errOut)[i:])
			}
		})
	}
}

// Programs find what they look for first.
func TestNetworkAsJSON(t *testing.T) {
	out, _, _ := among().command(t, "", "peers", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"id":"`+friendID+`","address":"`+friend+
		`","position":0.43,"rtt_ms":12.34,`) {
		t.Errorf("peers: %s", out)
	}
	out, _, _ = among().command(t, "", "status", "--json")
	if !strings.HasPrefix(out, `{"id":"abc","addresses":["/ip4/192.0.2.1/udp/7601/quic-v1/p2p/12D3KooWSelf",`) ||
		!regexp.MustCompile(`"position":0.25,"nodes":1200,"neighbours":\[\{"id":"`+friendID+
			`".*"traffic":\[\{"kind":"pastry.Ping.*"page":""`).MatchString(out) {
		t.Errorf("status: %s", out)
	}
}

func TestWhoIsAlone(t *testing.T) {
	f := newFakeNode()
	f.network = &fakeNetwork{now: view.Network{ID: "abc", Position: 0.5, Nodes: 1, Reachable: view.ReachPublic}}
	if out, _, status := f.command(t, "", "peers"); status != 0 || strings.Count(out, "\n") != 1 ||
		!strings.Contains(out, "alone") || !strings.Contains(out, "tidings join") {
		t.Errorf("peers: %d %q", status, out)
	}
	if out, _, status := f.command(t, "", "peers", "--json"); status != 0 || out != "" {
		t.Errorf("peers --json: %d %q", status, out)
	}
	if out, _, _ := f.command(t, "", "status"); !strings.Contains(out,
		"\nring           at 0.5000, alone; reachable from outside\n") || strings.Contains(out, "Neighbours") {
		t.Errorf("status: %q", out)
	}
	f.network = nil
	if _, errOut, status := f.command(t, "", "peers"); status != 1 ||
		errOut != "tidings: the node works alone (start it without --no-network, or wait while its status says "+
			"that it makes a key)\n" {
		t.Errorf("without a network: %d %q", status, errOut)
	}
	if out, _, _ := f.command(t, "", "status"); !strings.HasSuffix(out,
		"\nnetwork        none: the node works alone\n") {
		t.Errorf("status without a network: %q", out)
	}
}

func TestKeyNetwork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	f := newFakeNode()
	out, errOut, status := f.command(t, "", "key", "network", file)
	if status != 0 || !strings.Contains(out, "tidings up --network-key "+file+"\n") {
		t.Errorf("%d %s%s", status, out, errOut)
	}
	first, err := os.ReadFile(file)
	if err != nil || !regexp.MustCompile(`^/key/swarm/psk/1\.0\.0/\n/base16/\n[0-9a-f]{64}\n$`).Match(first) {
		t.Errorf("the file holds %q, %v", first, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	_, errOut, status = f.command(t, "", "key", "network", file)
	if again, _ := os.ReadFile(file); status != 1 || !strings.Contains(errOut, "already") ||
		string(again) != string(first) {
		t.Errorf("a second time: %d %s", status, errOut)
	}
}

// Every flag of the network reaches the node, from all three places.
func TestNetworkFlags(t *testing.T) {
	const file = "[up]\njoin = ['/ip4/192.0.2.1/tcp/1/p2p/a', '/ip4/192.0.2.2/tcp/1/p2p/b']\nno-mdns = true\nport " +
		"= 4001\nid-work = 0"
	cli, _, err := parsed(t, "up --listen /ip4/127.0.0.1/tcp/0 --listen /ip4/127.0.0.1/udp/0/quic-v1 --config $HOME/c",
		map[string]string{"c": file},
		map[string]string{"TIDINGS_NETWORK_KEY": "/k", "TIDINGS_RELAY": "1"})
	if err != nil {
		t.Fatal(err)
	}
	got := cli.Up.config("/d")
	if len(got.Join) != 2 || len(got.Listen) != 2 || !got.NoMDNS || !got.Relay || got.NoNetwork || got.Port != 4001 ||
		got.IDWork != 0 || got.NetworkKeyFile != "/k" {
		t.Errorf("got %+v", got)
	}
	cli, _, err = parsed(t, "up --no-network", nil,
		map[string]string{"TIDINGS_JOIN": "/dns/a.example/tcp/1/p2p/a\n/dns/b.example/tcp/1/p2p/b"})
	if got := cli.Up.config("/d"); err != nil || !got.NoNetwork || got.NoMDNS || got.Port != 7601 ||
		got.IDWork != node.UsualIDWork || len(got.Join) != 2 || got.Join[1] != "/dns/b.example/tcp/1/p2p/b" {
		t.Errorf("got %+v, %v", got, err)
	}
}
