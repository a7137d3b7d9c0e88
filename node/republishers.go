package node

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store"
)

// republishers is what people here think of the nodes that find changes for them. It concerns what is stored
// here, and nothing else: versions of distrusted nodes are passed on to others, and numbered where this
// node owns the channel, like all that the network has found to be true.
type republishers struct {
	self  engine.ID
	store *store.Store

	mu     sync.Mutex
	of     map[engine.ID]*republisher // the zero ID: all of whom nothing else is said
	doubts map[engine.ID]doubted      // by channel
}

// republisher is a node that is preferred or distrusted.
type republisher struct {
	store.Republisher
	waited, seen int64
}

// doubted is a content that a distrusted node has told of, and no poll of this node has seen so far.
type doubted struct {
	hash   corona.Hash
	finder engine.ID
	polled time.Time // when this node looked for that reason last
}

// maxDoubts bounds how many channels have a doubted content. Of others it is not noted whether a poll sees it.
const maxDoubts = 1 << 14

func newRepublishers(ctx context.Context, s *store.Store, self string) (*republishers, error) {
	r := &republishers{store: s, of: make(map[engine.ID]*republisher), doubts: make(map[engine.ID]doubted)}
	var err error
	if r.self, err = engine.ParseID(self); err != nil {
		return nil, err
	}
	all, err := s.Republishers(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		r.of[engine.ID(p.Node)] = &republisher{Republisher: p}
	}
	return r, nil
}

// standing returns what is thought of a node. This node believes itself.
func (r *republishers) standing(id engine.ID) tidings.TrustLevel {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.ruling(id); p != nil && id != r.self {
		return p.Standing
	}
	return tidings.Neutral
}

// ruling returns what holds for a node; nil if nothing is said of it. The caller holds r.mu.
func (r *republishers) ruling(id engine.ID) *republisher {
	if p := r.of[id]; p != nil {
		return p
	}
	return r.of[engine.ID{}]
}

// doubt notes that the word of a distrusted node was not enough for a content.
func (r *republishers) doubt(channel engine.ID, h corona.Hash, finder engine.ID, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, known := r.doubts[channel]
	if d.hash == h {
		return
	}
	if p := r.ruling(finder); p != nil {
		p.waited++
	}
	if known || len(r.doubts) < maxDoubts {
		d.hash, d.finder = h, finder
		r.doubts[channel] = d
	}
}

// mayPoll tells whether this node polls a channel now because of a doubt: it does so no more often than every
// so often. One that it has no room to note is polled in its turn.
func (r *republishers) mayPoll(channel engine.ID, every time.Duration, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, known := r.doubts[channel]
	if !known || now.Sub(d.polled) < every {
		return false
	}
	d.polled = now
	r.doubts[channel] = d
	return true
}

// saw notes which content a poll of this node has seen.
func (r *republishers) saw(channel engine.ID, h corona.Hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, known := r.doubts[channel]
	if !known || d.hash != h {
		return
	}
	delete(r.doubts, channel)
	if p := r.ruling(d.finder); p != nil {
		p.seen++
	}
}

// counts sums up what is thought of nodes.
func (r *republishers) counts() (sum tidings.RepublisherCounts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.of {
		if p.Standing == tidings.Preferred {
			sum.Preferred++
		} else {
			sum.Distrusted++
		}
		sum.Waited, sum.Seen = sum.Waited+p.waited, sum.Seen+p.seen
	}
	return sum
}

func (p *republisher) told() tidings.Republisher {
	name := engine.ID(p.Node).String()
	if p.Node == (store.Point{}) {
		name = tidings.AllNodes
	}
	return tidings.Republisher{Node: name, Trust: p.Standing, Since: p.Since, Waited: p.waited, Seen: p.seen}
}

// Republishers lists the nodes that are preferred or distrusted, in the order in which people said so.
func (n *Node) Republishers(context.Context) ([]tidings.Republisher, error) {
	r := n.republishers
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]tidings.Republisher, 0, len(r.of))
	for _, p := range r.of {
		all = append(all, p.told())
	}
	slices.SortFunc(all, func(a, b tidings.Republisher) int {
		if c := a.Since.Compare(b.Since); c != 0 {
			return c
		}
		return strings.Compare(a.Node, b.Node)
	})
	return all, nil
}

// Republisher tells what people here think of a node: by its ID, at least 8 digits of it if no other that is
// known begins so, or tidings.AllNodes. Errors: tidings.ErrInvalid if that names none.
func (n *Node) Republisher(ctx context.Context, node string) (tidings.Republisher, error) {
	id, err := n.resolve(ctx, node)
	if err != nil {
		return tidings.Republisher{}, err
	}
	return n.republishers.tell(id), nil
}

func (r *republishers) tell(id engine.ID) tidings.Republisher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.of[id]; p != nil {
		return p.told()
	}
	p := republisher{Republisher: store.Republisher{Node: id, Standing: tidings.Neutral}}
	return p.told()
}

// SetRepublisher has this node believe another, or all of which nothing else is said, as a person wishes. Errors
// are those of Republisher, and tidings.ErrInvalid if that cannot be.
func (n *Node) SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (tidings.Republisher, error) {
	id, err := n.resolve(ctx, node)
	if err != nil {
		return tidings.Republisher{}, err
	}
	switch {
	case id == n.republishers.self && standing != tidings.Neutral:
		return tidings.Republisher{}, tidings.Invalidf("this node always believes itself")
	case id == (engine.ID{}) && standing == tidings.Preferred:
		return tidings.Republisher{}, tidings.Invalidf("all nodes cannot be preferred; they are believed unless they are distrusted")
	case standing != tidings.Neutral && standing != tidings.Preferred && standing != tidings.Distrusted:
		return tidings.Republisher{}, tidings.Invalidf("a node is neutral, preferred or distrusted, not %s", tidings.Quote(string(standing)))
	}
	if err := n.store.SetRepublisher(ctx, store.Point(id), standing); err != nil {
		return tidings.Republisher{}, err
	}
	if err := n.republishers.renew(ctx); err != nil {
		return tidings.Republisher{}, err
	}
	return n.republishers.tell(id), nil
}

// renew takes over what the store has; what was counted of those who stay as they are goes on.
func (r *republishers) renew(ctx context.Context) error {
	all, err := r.store.Republishers(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.of
	r.of = make(map[engine.ID]*republisher, len(all))
	for _, p := range all {
		id := engine.ID(p.Node)
		if old := before[id]; old != nil && old.Standing == p.Standing {
			r.of[id] = old
		} else {
			r.of[id] = &republisher{Republisher: p}
		}
	}
	return nil
}

// leastDigits is how much of an ID is enough where no other that is known begins so: as much as lists show.
const leastDigits = 8

// resolve returns the ID that a person means; zero for all nodes.
func (n *Node) resolve(ctx context.Context, text string) (engine.ID, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == tidings.AllNodes {
		return engine.ID{}, nil
	}
	if id, err := engine.ParseID(text); err == nil && id != (engine.ID{}) {
		return id, nil
	}
	if _, err := hex.DecodeString(text + strings.Repeat("0", len(text)%2)); err != nil || len(text) < leastDigits || len(text) >= 2*len(engine.ID{}) {
		return engine.ID{}, tidings.Invalidf("%s is no node's ID: 40 hexadecimal digits, or the first %d or more of them", tidings.Quote(text), leastDigits)
	}
	found, err := n.beginning(ctx, text)
	switch {
	case err != nil:
		return engine.ID{}, err
	case len(found) == 0:
		return engine.ID{}, tidings.Invalidf("no node is known whose ID begins with %s; give all 40 digits", text)
	case len(found) > 1:
		return engine.ID{}, tidings.Invalidf("the IDs of several nodes begin with %s; give more digits", text)
	}
	return engine.ParseID(found[0])
}

// beginning returns the IDs of nodes that are known and begin so.
func (n *Node) beginning(ctx context.Context, text string) ([]string, error) {
	found, err := n.store.Finders(ctx, text, 2)
	if err != nil {
		return nil, err
	}
	peers, err := n.Peers(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for a node: %w", err)
	}
	for _, p := range peers {
		found = append(found, p.ID)
	}
	decided, err := n.Republishers(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range decided {
		found = append(found, p.Node)
	}
	found = slices.DeleteFunc(found, func(id string) bool { return !strings.HasPrefix(id, text) })
	slices.Sort(found)
	return slices.Compact(found), nil
}

// mark fills in what is thought of nodes, where that is not nothing.
func (r *republishers) mark(peers []tidings.Peer) {
	for i := range peers {
		id, err := engine.ParseID(peers[i].ID)
		if s := r.standing(id); err == nil && s != tidings.Neutral {
			peers[i].Trust = s
		}
	}
}
