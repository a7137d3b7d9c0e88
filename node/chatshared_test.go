package node

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/xmpp"
	"tidings/delivery/xmpp/xmpptest"
)

// cable is the connection of a node to a server. It can be cut.
type cable struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func newCable(t testing.TB, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{address: l.Addr().String()}
	t.Cleanup(func() { l.Close(); c.cut() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, near, far)
			c.mu.Unlock()
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					near.Close()
					far.Close()
				}()
			}
		}
	}()
	return c
}

// cut breaks the connection. What is under way is lost.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		conn.Close()
	}
	c.open = nil
}

// Two nodes share an account. What people write to it counts at both, and at one that comes later. Each message comes
// once, and in order, though now one node's stream is cut and now the other's.
func TestNodesShareAnAccount(t *testing.T) {
	t.Parallel()
	p, room := xmpptest.Start(t, "alice", "bob", "news"), startNewsroom(t)
	const bot = "news@" + xmpptest.Host
	start := func() (*Node, *cable) {
		line := newCable(t, p.Clients)
		n, _ := startNode(t, func(c *Config) {
			c.XMPP = xmpp.Settings{Account: bot, Server: line.address, CAFile: p.Certificate(),
				Secret: xmpptest.Password, Shared: true}
		})
		return n, line
	}
	a, lineA := start()
	b, lineB := start()
	nodes, lines := []*Node{a, b}, []*cable{lineA, lineB}
	alice, bob := p.NewUser(t, "alice"), p.NewUser(t, "bob")
	users := []*xmpptest.User{alice, bob}
	for _, u := range users {
		u.Online()
		if text := u.Ask(bot, "subscribe "+room.feed); !strings.Contains(text, "You follow") {
			t.Fatalf("subscribe: %q", text)
		}
		for _, n := range nodes {
			awaitChannel(t, n, u.Address, room.feed)
		}
	}
	publish := func(names ...string) {
		for i, n := range rand.Perm(2) {
			if i == 0 {
				room.publish(t, nodes[n], names...)
			} else {
				room.publish(t, nodes[n])
			}
		}
	}
	for round := range 6 {
		var names []string
		for i := range 4 {
			names = append(names, "r"+strconv.Itoa(round)+"-"+strconv.Itoa(i))
		}
		publish(names[:2]...)
		if round > 0 {
			lines[round%2].cut()
		}
		publish(names[2:]...)
		for _, u := range users {
			expect(t, u, names...)
			for _, n := range nodes {
				chatTarget(t, n, u.Address, delivered)
			}
		}
		for _, n := range nodes {
			n.waitForChat(t)
		}
	}

	if text := alice.Ask(bot, "digest 7:30"); !strings.Contains(text, "once a day") {
		t.Errorf("digest: %q", text)
	}
	late, _ := start()
	nodes = append(nodes, late)
	for _, n := range nodes {
		awaitChannel(t, n, alice.Address, room.feed)
		chatTarget(t, n, alice.Address, func(t tidings.Target) bool {
			return t.Schedule.Digest != nil && *t.Schedule.Digest == 7*60+30
		})
	}
	if text := alice.Ask(bot, "unsubscribe 1"); !strings.Contains(text, "any more") {
		t.Errorf("unsubscribe: %q", text)
	}
	if text := bob.Ask(bot, "forget me"); !strings.Contains(text, "nothing is kept") {
		t.Errorf("forget: %q", text)
	}
	for _, n := range nodes {
		eventually(t, "the nodes agree", func() bool {
			account, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+alice.Address)
			if err != nil {
				return false
			}
			all, err := n.store.Channels(t.Context(), account)
			return err == nil && len(all) == 0
		})
		eventually(t, "the nodes agree", func() bool {
			_, err := n.store.Subscribers.Find(t.Context(), "xmpp:"+bob.Address)
			return errors.Is(err, tidings.ErrNotFound)
		})
		eventually(t, "nothing is kept of who wished to be forgotten", func() bool {
			all, err := n.store.Followings.Addresses(t.Context())
			return err == nil && !slices.Contains(all, bob.Address)
		})
	}
}
