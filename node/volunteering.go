package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/volunteer"
	"tidings/source"
	"tidings/store"
)

// volunteering has the node poll channels in turns with the others who follow them, where the network goes
// by that. It stands between package volunteer, which lives in the host's loop and must not wait, and the
// watcher and the store. Its work is done by the workers of sharing, which also knows the channels.
type volunteering struct {
	node *Node

	// Set before the loop starts, and used in it alone.
	turns *volunteer.Node
	ring  *pastry.Node
}

// start makes the node's part; it is called in the host's loop.
func (v *volunteering) start(env engine.Env, ring *pastry.Node) *volunteer.Node {
	c, terms := volunteer.Default(), v.node.sharing.terms()
	c.Interval = terms.Interval
	v.ring, v.turns = ring, volunteer.New(env, v.node.sharing.host.Keys(), v, c)
	v.turns.SetCeiling(terms.HostCeiling, ring.Nodes)
	v.turns.OnHeard(v.heard)
	v.turns.OnLacks(v.lacks)
	return v.turns
}

// speakers are those whose events go down Scribe's trees. Each has messages of its own, so that nobody can have
// one take what another would refuse.
type speakers struct {
	trees   *feedtree.Node
	turns   *volunteer.Node
	updates corona.TreeMember
}

func (s speakers) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	return s.of(event).Admit(topic, event, from)
}

func (s speakers) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	s.of(event).Deliver(topic, event, from)
}

// Recovers reports whether the topic is that of a polled channel, whose versions owners are asked for.
func (s speakers) Recovers(topic engine.ID) bool { return s.updates.Recovers(topic) }

func (s speakers) of(event engine.Message) router.Member {
	switch event.(type) {
	case *volunteer.PollReport:
		return s.turns
	case *corona.Update:
		return s.updates
	}
	return s.trees
}

// accord has a channel followed by turns, or not any more, as is wanted. The caller holds the channel's lock.
func (v *volunteering) accord(ctx context.Context, c *sharedChannel, want sharedChannel) error {
	s := v.node.sharing
	if want.volunteer == want.turns {
		return nil
	}
	var hash corona.Hash
	var err error
	if want.volunteer {
		if hash, err = s.named(ctx, c, false); err != nil {
			return fmt.Errorf("beginning to check in turns: %w", err)
		}
	}
	follows := false
	s.inLoop(ctx, func() {
		if want.volunteer {
			follows = v.turns.Follow(want.id, corona.HostOf(want.url))
			v.turns.Holds(want.id, volunteer.Hash(hash))
		} else {
			v.turns.Unfollow(want.id)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		c.turns = follows
	})
	if want.volunteer && !follows {
		return errNoTurns
	}
	return nil
}

// errNoTurns says that a channel is not polled in turns: there are too many, or the network has stopped.
var errNoTurns = errors.New("there is no room to check in turns")

// agreed has the node go by the terms that the network has agreed on; it is called in the loop.
func (v *volunteering) agreed(before, now corona.Agreement) {
	v.turns.SetInterval(now.Interval)
	v.turns.SetCeiling(now.HostCeiling, v.ring.Nodes)
	if before.Volunteers == now.Volunteers {
		return
	}
	s := v.node.sharing
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		s.accordSoon(c)
	}
}

// backup is the slot of a channel that is polled in turns: whatever others tell, this node polls now and then.
func (v *volunteering) backup(c *sharedChannel) source.Slot {
	slot := v.node.sharing.backup(c)
	slot.Regular += ", if no turn of this node's comes before"
	return slot
}

// turnWhy is what a poll is called that this node has volunteered for.
const turnWhy = "its turn among those who follow it"

// Poll has a channel polled, unless its origin wants to be left alone; it is called in the loop.
func (v *volunteering) Poll(channel engine.ID) {
	s := v.node.sharing
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		s.work(func(context.Context) { v.node.watcher.Check(c.url, turnWhy) })
	}
}

// describe fills in how many nodes poll the channels that are polled in turns, as far as this node has heard of
// late. Nobody tells for how many readers that is, nor how often a channel changes.
func (v *volunteering) describe(ctx context.Context, followed []tidings.Subscription) {
	s := v.node.sharing
	s.mu.Lock()
	inTurns := make(map[int]engine.ID)
	for i := range followed {
		id := engine.ID(tidings.IDOf(followed[i].URL))
		if c := s.channels[id]; c != nil && c.turns && followed[i].Privacy == tidings.Public {
			inTurns[i] = id
		}
	}
	s.mu.Unlock()
	if len(inTurns) == 0 {
		return
	}
	pollers := make(map[int]int, len(inTurns))
	s.inLoop(ctx, func() {
		for i, id := range inTurns {
			pollers[i] = v.turns.Pollers(id)
		}
	})
	for i, nodes := range pollers {
		if nodes > 0 {
			followed[i].Polling = &tidings.PollingStats{Nodes: nodes, Interval: s.terms().Interval, Told: time.Now(), Turns: true}
		}
	}
}

// polled tells the others what a poll has given, once that is stored. The caller holds the channel's lock.
func (v *volunteering) polled(ctx context.Context, c *sharedChannel, r source.Result, name corona.Hash) error {
	if !r.Poll.Outcome.Read() {
		return nil
	}
	s := v.node.sharing
	s.mu.Lock()
	base := c.content
	s.mu.Unlock()
	hash, err := s.seen(ctx, c, r, name)
	if err != nil {
		return err
	}
	v.node.republishers.saw(c.id, hash)
	found := volunteer.Found{Hash: volunteer.Hash(hash)}
	if hash != base && hash != (corona.Hash{}) {
		u, err := s.pack(ctx, c, base, hash)
		if err != nil {
			return err
		}
		found.Base, found.Modified, found.Payload = volunteer.Hash(u.Base), u.Modified, u.Payload
	}
	s.inLoop(ctx, func() { v.turns.Polled(c.id, found) })
	return nil
}

// Take keeps what another node has found; it is called in the loop. Of a channel there is one under way at a
// time.
func (v *volunteering) Take(m *volunteer.PollReport) {
	s := v.node.sharing
	s.work(func(ctx context.Context) {
		defer s.lock(m.Channel)()
		err := v.take(ctx, m)
		if err != nil && ctx.Err() == nil {
			s.log.Debug("what a volunteer has found was not taken", "channel", m.Channel, "finder", m.Finder.ID, "error", err)
		}
		s.inLoop(ctx, func() { v.turns.Taken(m, err == nil) })
	})
}

// take stores what leads to a content, if it fits what is here. The caller holds the channel's lock.
func (v *volunteering) take(ctx context.Context, m *volunteer.PollReport) error {
	s := v.node.sharing
	s.mu.Lock()
	c := s.channels[m.Channel]
	s.mu.Unlock()
	if c == nil {
		return fmt.Errorf("taking what was found: %w", tidings.ErrNotFollowed)
	}
	now, err := s.contentOf(ctx, c)
	if err != nil || now.hash == corona.Hash(m.Hash) {
		return err
	}
	u := &corona.Update{
		Channel: c.id, Base: corona.Hash(m.Base), Hash: corona.Hash(m.Hash), FoundBy: m.Finder.ID, FoundAt: m.Time, Modified: m.Modified, Payload: m.Payload,
	}
	f, err := s.unpack(ctx, c, u, now.kind)
	if err != nil {
		return err
	}
	return s.accept(ctx, c, f, store.Shared{URL: c.url, Hash: u.Hash})
}

// Opinion tells what people here think of a node that looks for them; it is called in the loop.
func (v *volunteering) Opinion(finder engine.ID) volunteer.Opinion {
	switch v.node.republishers.standing(finder) {
	case tidings.Preferred:
		return volunteer.Preferred
	case tidings.Distrusted:
		return volunteer.Distrusted
	}
	return volunteer.Neutral
}

// heard counts a poll that another node has made; it is called in the loop.
func (v *volunteering) heard(e volunteer.Heard) {
	if e.Opinion != volunteer.Distrusted {
		v.node.sharing.books.add(time.Now(), polls{ByOthers: 1})
	}
}

// lacks notes that a distrusted node has told of a content that this node is to see for itself; it is called in
// the loop.
func (v *volunteering) lacks(e volunteer.Lacks) {
	if v.node.republishers.standing(e.Finder) == tidings.Distrusted {
		v.node.republishers.doubt(e.Channel, corona.Hash(e.Hash), e.Finder, time.Now())
	}
}

var _ volunteer.Poller = (*volunteering)(nil)
