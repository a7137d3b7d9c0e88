package share

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world is a server with nodes. It delivers each message to its recipient and to the other nodes that are present. It
// announces the present nodes, in one order for all. A node's stream holds what was sent to it until the node reads.
type world struct {
	t     *rapid.T
	now   time.Time
	nodes []*node
	got   map[string]int // parts that the recipient has
}

type node struct {
	name   string
	state  *State
	online bool
	starts int             // answers to a request of an earlier start are to an ID that nobody awaits
	stream []func()        // what the server has sent and the node has not read
	up     []func()        // what the node has written and the server has not read
	outbox map[string]bool // parts that wait
}

func (w *world) others(of *node) (all []*node) {
	for _, n := range w.nodes {
		if n != of && n.online {
			all = append(all, n)
		}
	}
	return all
}

// start brings a node up. It learns what the others have sent once what they have written is with the server.
func (w *world) start(n *node) {
	n.online, n.stream, n.up = true, nil, nil
	n.starts++
	start := n.starts
	n.state.Begin()
	for _, o := range w.others(n) {
		o.stream = append(o.stream, func() { o.state.Appear(n.name) })
		n.stream = append(n.stream, func() { n.state.Appear(o.name) })
	}
	waits := len(w.others(n))
	if waits == 0 {
		n.stream = append(n.stream, n.state.Join)
		return
	}
	for _, o := range w.others(n) {
		// The request is read after the presence, and answered after what was under way has gone through.
		o.stream = append(o.stream, func() {
			o.up = append(o.up, func() {
				if n.starts != start {
					return
				}
				after := uint64(0)
				for {
					keys, last := o.state.Page(after, 3)
					if last == 0 {
						break
					}
					after = last
					n.stream = append(n.stream, func() { n.state.Saw(keys) })
				}
				n.stream = append(n.stream, func() {
					if waits--; waits == 0 {
						n.state.Join()
					}
				})
			})
		})
	}
}

func (w *world) kill(n *node) {
	n.online, n.stream, n.up = false, nil, nil
	for _, o := range w.others(n) {
		o.stream = append(o.stream, func() { o.state.Leave(n.name) })
	}
}

// send writes a part that is granted.
func (w *world) send(n *node, part string) {
	n.up = append(n.up, func() {
		w.got[part]++
		key := []Key{KeyOf("alice", part)}
		n.state.Saw(key) // the acknowledgement
		for _, o := range w.others(n) {
			o.stream = append(o.stream, func() { o.state.Saw(key) })
		}
	})
}

func step(queue *[]func()) bool {
	if len(*queue) == 0 {
		return false
	}
	do := (*queue)[0]
	*queue = (*queue)[1:]
	do()
	return true
}

// attempt is an attempt of a node's outbox.
func (w *world) attempt(n *node, part string) {
	key := []Key{KeyOf("alice", part)}
	if len(n.state.Unsent(key)) == 0 {
		delete(n.outbox, part)
		return
	}
	if !n.online || !n.state.Joined() {
		return
	}
	if c, held := n.state.claims[key[0]]; held && c.by == n.name {
		return // it is under way
	}
	if n.state.Primary("alice") == n.name {
		if granted, wait := n.state.Claim(n.name, "alice", key, w.now); !wait && len(granted) == 1 {
			w.send(n, part)
		}
	}
}

// However nodes come and go, one of two is always there. Then every message is sent once, and none is left.
func TestEveryMessageOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, now: time.Unix(1, 0), got: make(map[string]int)}
		for i := range 2 {
			w.nodes = append(w.nodes, &node{name: fmt.Sprint("n", i), state: New(fmt.Sprint("n", i)),
				outbox: make(map[string]bool)})
		}
		for _, n := range w.nodes {
			w.start(n)
		}
		settle := func() {
			for more := true; more; {
				more = false
				for _, n := range w.nodes {
					more = step(&n.stream) || more
					more = step(&n.up) || more
				}
			}
		}
		settle()
		parts := 0
		pick := func(t *rapid.T) *node { return w.nodes[rapid.IntRange(0, len(w.nodes)-1).Draw(t, "node")] }
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(*rapid.T) {
				for _, n := range w.nodes {
					n.outbox[fmt.Sprint(parts)] = true
				}
				parts++
			},
			"attempt": func(t *rapid.T) {
				if parts > 0 {
					n, part := pick(t), fmt.Sprint(rapid.IntRange(0, parts-1).Draw(t, "part"))
					if n.outbox[part] {
						w.attempt(n, part)
					}
				}
			},
			"read":  func(t *rapid.T) { step(&pick(t).stream) },
			"write": func(t *rapid.T) { step(&pick(t).up) },
			"kill": func(t *rapid.T) {
				n := pick(t)
				if others := w.others(n); n.online && len(others) > 0 && others[0].state.Joined() {
					w.kill(n)
				}
			},
			"start": func(t *rapid.T) {
				if n := pick(t); !n.online {
					w.start(n)
				}
			},
		})
		for _, n := range w.nodes {
			if !n.online {
				w.start(n)
			}
		}
		for range 3 {
			settle()
			for _, n := range w.nodes {
				for i := range parts {
					if part := fmt.Sprint(i); n.outbox[part] {
						w.attempt(n, part)
					}
				}
			}
		}
		for i := range parts {
			if got := w.got[fmt.Sprint(i)]; got != 1 {
				t.Fatalf("message %d was sent %d times", i, got)
			}
		}
		for _, n := range w.nodes {
			if len(n.outbox) > 0 {
				t.Fatalf("%s has %d messages left", n.name, len(n.outbox))
			}
		}
	})
}

// A death moves the addresses of the node that died alone, and addresses are spread.
func TestPrimaries(t *testing.T) {
	s := New("a")
	s.Appear("b")
	s.Appear("c")
	before := make(map[string]string)
	count := make(map[string]int)
	for i := range 3000 {
		address := fmt.Sprintf("u%d@example.org", i)
		before[address] = s.Primary(address)
		count[before[address]]++
	}
	for name, n := range count {
		if n < 850 || n > 1150 {
			t.Errorf("%s has %d of 3000 addresses", name, n)
		}
	}
	s.Leave("b")
	for address, was := range before {
		if is := s.Primary(address); is == "b" || was != "b" && is != was {
			t.Fatalf("%s goes from %s to %s", address, was, is)
		}
	}
	other := New("c")
	other.Appear("a")
	for address := range before {
		if s.Primary(address) != other.Primary(address) {
			t.Fatal("two nodes have different primaries")
		}
	}
}

// A part is granted to one node at a time: to another after it was released, its node left, or its time was over; and
// never once it is sent.
func TestClaims(t *testing.T) {
	now := time.Unix(1000, 0)
	begin := func() (*State, string, []Key) {
		s := New("a")
		s.Appear("b")
		s.Appear("c")
		s.Join()
		for i := 0; ; i++ {
			if address := fmt.Sprint("u", i); s.Primary(address) == "a" {
				return s, address, []Key{KeyOf(address, "1"), KeyOf(address, "2")}
			}
		}
	}
	for name, free := range map[string]func(s *State, keys []Key) time.Time{
		"released": func(s *State, keys []Key) time.Time { s.Release("b", keys); return now },
		"left":     func(s *State, _ []Key) time.Time { s.Leave("b"); return now },
		"late":     func(*State, []Key) time.Time { return now.Add(ClaimTime) },
	} {
		s, address, keys := begin()
		if granted, wait := s.Claim("b", address, keys[:1], now); wait || !slices.Equal(granted, []int{0}) {
			t.Fatal(granted, wait)
		}
		if granted, wait := s.Claim("b", address, keys[:1], now); wait || len(granted) != 1 {
			t.Error("the same node is not granted it again")
		}
		s.Release("c", keys)
		for _, by := range []string{"a", "c"} {
			if granted, wait := s.Claim(by, address, keys, now.Add(ClaimTime-1)); !wait || granted != nil {
				t.Errorf("%s is granted %v", by, granted)
			}
		}
		if granted, wait := s.Claim("c", address, keys, free(s, keys)); wait || len(granted) != 2 {
			t.Errorf("%s: %v, %v", name, granted, wait)
		}
		s.Saw(keys[:1])
		if granted, wait := s.Claim("c", address, keys, now); wait || !slices.Equal(granted, []int{1}) {
			t.Errorf("one of two is sent: %v, %v", granted, wait)
		}
		s.Saw(keys)
		if granted, wait := s.Claim("a", address, keys, now); wait || len(granted) != 0 {
			t.Errorf("all is sent: %v, %v", granted, wait)
		}
	}
	for name, change := range map[string]func(s *State) (by string){
		"a stranger":      func(*State) string { return "x" },
		"one that left":   func(s *State) string { s.Leave("b"); return "b" },
		"before it joins": func(s *State) string { s.Begin(); s.Appear("b"); return "b" },
	} {
		s, address, keys := begin()
		if granted, wait := s.Claim(change(s), address, keys, now); !wait || granted != nil {
			t.Errorf("%s is granted %v", name, granted)
		}
	}
	s, address, _ := begin()
	for i := 0; s.Primary(address) == "a"; i++ {
		address = fmt.Sprint("v", i)
	}
	if granted, wait := s.Claim("b", address, []Key{KeyOf(address, "1")}, now); !wait || granted != nil {
		t.Error("a node grants what is another's")
	}
}

// What is remembered is bounded, and listed page by page.
func TestBounds(t *testing.T) {
	s := New("a")
	for i := range MaxSeen + 10 {
		s.Saw([]Key{KeyOf("x", fmt.Sprint(i))})
	}
	if len(s.seen) != MaxSeen || len(s.order) != MaxSeen ||
		len(s.Unsent([]Key{KeyOf("x", "9"), KeyOf("x", "10")})) != 1 {
		t.Errorf("%d and %d are remembered", len(s.seen), len(s.order))
	}
	all, after := 0, uint64(0)
	for {
		keys, last := s.Page(after, 999)
		if last == 0 {
			break
		}
		if keys[0] != KeyOf("x", fmt.Sprint(10+all)) {
			t.Fatalf("page after %d begins elsewhere", after)
		}
		all, after = all+len(keys), last
	}
	if all != MaxSeen {
		t.Errorf("%d are listed", all)
	}
	for i := range 2 * MaxNodes {
		s.Appear(fmt.Sprint("n", i))
	}
	if len(s.Others()) != MaxNodes-1 {
		t.Errorf("%d nodes", len(s.Others()))
	}
	s = New("a")
	s.Join()
	now, refused := time.Unix(1, 0), 0
	for i := range MaxClaims + 10 {
		if _, wait := s.Claim("a", "x", []Key{KeyOf("x", fmt.Sprint(i))}, now); wait {
			refused++
		}
	}
	if refused != 10 || len(s.claims) != MaxClaims {
		t.Errorf("%d refused, %d granted", refused, len(s.claims))
	}
	if _, wait := s.Claim("a", "x", []Key{KeyOf("x", "new")}, now.Add(ClaimTime)); wait {
		t.Error("grants that are over are not forgotten")
	}
}
