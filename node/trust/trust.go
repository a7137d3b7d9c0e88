// Package trust is what people here think of the nodes that find changes for them: which they prefer, which they
// distrust, and the results. It concerns only what is stored here. Versions of distrusted nodes are passed on to
// others, and numbered if this node owns the channel, like all that the network has found to be true.
package trust

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store/content"
	"tidings/store/pushed"
	"tidings/store/shared"
	"tidings/view"
)

// Host is what the package needs of its node.
type Host interface {
	// Peers lists the live nodes that this one knows.
	Peers(ctx context.Context) ([]view.Peer, error)
	// Penalties are what this node has against others.
	Penalties() []view.Penalty
}

// Trust is what people here think of other nodes.
type Trust struct {
	host   Host
	self   engine.ID
	found  *content.Store // the finders of each content
	pushed *pushed.Store

	mu     sync.Mutex
	nodes  map[engine.ID]*node // the zero ID: all nodes of which nothing else is said
	doubts doubts
}

// node is one that is preferred or distrusted. Trust.mu guards it.
type node struct {
	pushed.Republisher
	// contents for which its word was not enough, and those of them that polls of this node have seen
	waited, seen int64
}

// Load reads from p what people here think of nodes. self is the ID of this one.
func Load(ctx context.Context, host Host, c *content.Store, p *pushed.Store, self string) (*Trust, error) {
	t := &Trust{host: host, found: c, pushed: p, doubts: make(doubts)}
	var err error
	if t.self, err = engine.ParseID(self); err != nil {
		return nil, err
	}
	return t, t.renew(ctx)
}

// renew loads what the store has. Counts of nodes with an unchanged opinion go on.
func (t *Trust) renew(ctx context.Context) error {
	all, err := t.pushed.Republishers(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.nodes
	t.nodes = make(map[engine.ID]*node, len(all))
	for _, n := range all {
		id := engine.ID(n.Node)
		if old := before[id]; old != nil && old.Trust == n.Trust {
			t.nodes[id] = old
		} else {
			t.nodes[id] = &node{Republisher: n}
		}
	}
	return nil
}

// Level returns what is thought of a node. This node trusts itself.
func (t *Trust) Level(id engine.ID) tidings.TrustLevel {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.ruling(id); n != nil && id != t.self {
		return n.Trust
	}
	return tidings.Neutral
}

// ruling returns what holds for a node; nil if nothing is said of it. The caller holds t.mu.
func (t *Trust) ruling(id engine.ID) *node {
	if n := t.nodes[id]; n != nil {
		return n
	}
	return t.nodes[engine.ID{}]
}

// Doubt notes that the word of a distrusted node was not enough for a content of a channel.
func (t *Trust) Doubt(channel engine.ID, h corona.Hash, finder engine.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.ruling(finder); t.doubts.add(channel, h, finder) && n != nil {
		n.waited++
	}
}

// MayPoll reports whether this node polls a channel now because of a doubt: at most once in every. One that it has no
// room to note is polled in its turn.
func (t *Trust) MayPoll(channel engine.ID, every time.Duration, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doubts.mayPoll(channel, every, now)
}

// Saw notes which content of a channel a poll of this node has seen.
func (t *Trust) Saw(channel engine.ID, h corona.Hash) {
	t.mu.Lock()
	defer t.mu.Unlock()
	finder, doubted := t.doubts.resolve(channel, h)
	if n := t.ruling(finder); doubted && n != nil {
		n.seen++
	}
}

// Counts sums up what is thought of nodes.
func (t *Trust) Counts() (sum view.RepublisherCounts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.nodes {
		if n.Trust == tidings.Preferred {
			sum.Preferred++
		} else {
			sum.Distrusted++
		}
		sum.Waited, sum.Seen = sum.Waited+n.waited, sum.Seen+n.seen
	}
	return sum
}

// Mark fills in what is thought of peers, where that is not nothing.
func (t *Trust) Mark(peers []view.Peer) {
	for i := range peers {
		id, err := engine.ParseID(peers[i].ID)
		if level := t.Level(id); err == nil && level != tidings.Neutral {
			peers[i].Trust = level
		}
	}
}

func (n *node) shown() view.Republisher {
	name := engine.ID(n.Node).String()
	if n.Node == (shared.Point{}) {
		name = view.AllNodes
	}
	return view.Republisher{Node: name, Trust: n.Trust, Since: n.Since, Waited: n.waited, Seen: n.seen}
}

// Republishers returns the nodes that are preferred or distrusted, in the order in which people said so.
func (t *Trust) Republishers(context.Context) ([]view.Republisher, error) { return t.list(), nil }

func (t *Trust) list() []view.Republisher {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]view.Republisher, 0, len(t.nodes))
	for _, n := range t.nodes {
		all = append(all, n.shown())
	}
	slices.SortFunc(all, func(a, b view.Republisher) int {
		if c := a.Since.Compare(b.Since); c != 0 {
			return c
		}
		return strings.Compare(a.Node, b.Node)
	})
	return all
}

// Republisher returns what people here think of a node, by a name. The name is its ID, at least MinDigits digits of it
// if no other known one begins so, or view.AllNodes. Errors: tidings.ErrInvalid if that names none.
func (t *Trust) Republisher(ctx context.Context, name string) (view.Republisher, error) {
	id, err := t.resolve(ctx, name)
	if err != nil {
		return view.Republisher{}, err
	}
	return t.get(id), nil
}

func (t *Trust) get(id engine.ID) view.Republisher {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.nodes[id]; n != nil {
		return n.shown()
	}
	n := node{Republisher: pushed.Republisher{Node: id, Trust: tidings.Neutral}}
	return n.shown()
}

// SetRepublisher has this node trust another, or all of which nothing else is said, as a person wishes. Errors
// are those of Republisher, and tidings.ErrInvalid if that cannot be.
func (t *Trust) SetRepublisher(ctx context.Context, name string, level tidings.TrustLevel) (view.Republisher, error) {
	id, err := t.resolve(ctx, name)
	if err != nil {
		return view.Republisher{}, err
	}
	switch {
	case id == t.self && level != tidings.Neutral:
		return view.Republisher{}, tidings.Invalidf("this node always believes itself")
	case id == (engine.ID{}) && level == tidings.Preferred:
		return view.Republisher{},
			tidings.Invalidf("all nodes cannot be preferred; they are believed unless they are distrusted")
	case level != tidings.Neutral && level != tidings.Preferred && level != tidings.Distrusted:
		return view.Republisher{}, tidings.Invalidf("a node is neutral, preferred or distrusted, not %s",
			tidings.Quote(string(level)))
	}
	if err := t.pushed.SetRepublisher(ctx, shared.Point(id), level); err != nil {
		return view.Republisher{}, err
	}
	if err := t.renew(ctx); err != nil {
		return view.Republisher{}, err
	}
	return t.get(id), nil
}
