package coop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/volunteer"
	"tidings/source"
	"tidings/store/shared"
)

// turns makes the node poll channels in turns with their other followers, if the network's settings say so. It stands
// between package volunteer, which lives in the loop and must not wait, and the scheduler and the store.
type turns struct {
	*core

	// Set before the loop starts, and used in it alone.
	volunteers *volunteer.Node
	ring       *pastry.Node
}

// start makes the volunteers; it is called in the loop.
func (s *turns) start(env engine.Env, ring *pastry.Node) *volunteer.Node {
	c, params := volunteer.Default(), s.params.now()
	c.Interval = params.Interval
	s.ring, s.volunteers = ring, volunteer.New(env, s.loop.Keys(), s, c)
	s.volunteers.SetCeiling(params.HostCeiling, ring.Nodes)
	s.volunteers.OnHeard(s.heard)
	s.volunteers.OnLacks(s.lacks)
	return s.volunteers
}

// follow has a channel polled in turns, or not any more. It returns errNoTurns if there is no room for it. The caller
// holds the channel's lock.
func (s *turns) follow(ctx context.Context, c *channel, now channel, wanted bool) (err error) {
	if wanted == now.turns {
		return nil
	}
	var hash corona.Hash
	if wanted {
		if hash, err = s.reporter.named(ctx, c, false); err != nil {
			return fmt.Errorf("beginning to check in turns: %w", err)
		}
	}
	follows := false
	s.InLoop(ctx, func() {
		if wanted {
			follows = s.volunteers.Follow(c.id, corona.HostOf(c.url))
			s.volunteers.Holds(c.id, volunteer.Hash(hash))
		} else {
			s.volunteers.Unfollow(c.id)
		}
		s.table.mu.Lock()
		defer s.table.mu.Unlock()
		c.turns = follows
	})
	if wanted && !follows {
		return errNoTurns
	}
	return nil
}

// errNoTurns says that a channel is not polled in turns: there are too many, or the network has stopped.
var errNoTurns = errors.New("there is no room to check in turns")

// agreed has the node go by what the network has agreed on; it is called in the loop.
func (s *turns) agreed(before, now corona.Agreement) {
	s.volunteers.SetInterval(now.Interval)
	s.volunteers.SetCeiling(now.HostCeiling, s.ring.Nodes)
	if before.Volunteers == now.Volunteers {
		return
	}
	s.each(s.reconciler.enqueue)
}

// turnWhy is what a poll is called that this node has volunteered for.
const turnWhy = "its turn among those who follow it"

// Poll has a channel polled, unless its origin wants to be left alone; it is called in the loop.
func (s *turns) Poll(channel engine.ID) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[channel]; c != nil {
		s.Work(func(context.Context) { s.config.Scheduler.Check(c.url, turnWhy) })
	}
}

// describe fills in how many nodes poll the channels that are polled in turns, as far as this node has lately learned.
// The number of their readers, and how often a channel changes, is not reported by any node.
func (s *turns) describe(ctx context.Context, followed []tidings.Subscription) {
	s.table.mu.Lock()
	inTurns := make(map[int]engine.ID)
	for i := range followed {
		id := engine.ID(tidings.IDOf(followed[i].URL))
		if c := s.table.channels[id]; c != nil && c.turns && followed[i].Privacy == tidings.Public {
			inTurns[i] = id
		}
	}
	s.table.mu.Unlock()
	if len(inTurns) == 0 {
		return
	}
	pollers := make(map[int]int, len(inTurns))
	s.InLoop(ctx, func() {
		for i, id := range inTurns {
			pollers[i] = s.volunteers.Pollers(id)
		}
	})
	for i, nodes := range pollers {
		if nodes > 0 {
			followed[i].Polling = &tidings.PollingStats{Nodes: nodes, Interval: s.params.now().Interval, Told: time.Now(), Turns: true}
		}
	}
}

// polled reports the result of a poll to the others, once that is stored. The caller holds the channel's lock.
func (s *turns) polled(ctx context.Context, c *channel, r source.Result, name corona.Hash) error {
	if !r.Poll.Outcome.Read() {
		return nil
	}
	s.table.mu.Lock()
	base := c.content
	s.table.mu.Unlock()
	hash, err := s.reporter.seen(ctx, c, r, name)
	if err != nil {
		return err
	}
	s.trust.Saw(c.id, hash)
	found := volunteer.Found{Hash: volunteer.Hash(hash)}
	if hash != base && hash != (corona.Hash{}) {
		u, err := s.library.pack(ctx, c, base, hash)
		if err != nil {
			return err
		}
		found.Base, found.Modified, found.Payload = volunteer.Hash(u.Base), u.Modified, u.Payload
	}
	s.InLoop(ctx, func() { s.volunteers.Polled(c.id, found) })
	return nil
}

// Take keeps what another node has found. It is called in the loop. Of a channel there is one under way at a time.
func (s *turns) Take(m *volunteer.PollReport) {
	s.Work(func(ctx context.Context) {
		defer s.table.lock(m.Channel)()
		err := s.take(ctx, m)
		if err != nil && ctx.Err() == nil {
			s.config.Log.Debug("what a volunteer has found was not taken", "channel", m.Channel, "finder", m.Finder.ID, "error", err)
		}
		s.InLoop(ctx, func() { s.volunteers.Taken(m, err == nil) })
	})
}

// take stores the way to a content, if it fits what is here. The caller holds the channel's lock.
func (s *turns) take(ctx context.Context, m *volunteer.PollReport) error {
	s.table.mu.Lock()
	c := s.table.channels[m.Channel]
	s.table.mu.Unlock()
	if c == nil {
		return fmt.Errorf("taking what was found: %w", tidings.ErrNotFollowed)
	}
	now, err := s.library.contentOf(ctx, c)
	if err != nil || now.hash == corona.Hash(m.Hash) {
		return err
	}
	u := &corona.Update{
		Channel: c.id, Base: corona.Hash(m.Base), Hash: corona.Hash(m.Hash), FoundBy: m.Finder.ID, FoundAt: m.Time, Modified: m.Modified, Payload: m.Payload,
	}
	f, err := s.library.unpack(ctx, c, u, now.kind)
	if err != nil {
		return err
	}
	return s.library.apply(ctx, c, f, shared.Version{URL: c.url, Hash: u.Hash})
}

// Opinion returns what people here think of a node that polls for them. It is called in the loop.
func (s *turns) Opinion(finder engine.ID) volunteer.Opinion {
	switch s.trust.Level(finder) {
	case tidings.Preferred:
		return volunteer.Preferred
	case tidings.Distrusted:
		return volunteer.Distrusted
	}
	return volunteer.Neutral
}

// heard counts a poll that another node has made. It is called in the loop.
func (s *turns) heard(e volunteer.Heard) {
	if e.Opinion != volunteer.Distrusted {
		s.polls.add(time.Now(), tally{ByOthers: 1})
	}
}

// lacks notes a distrusted node's report of a content that this node must see for itself. It is called in the loop.
func (s *turns) lacks(e volunteer.Lacks) {
	if s.trust.Level(e.Finder) == tidings.Distrusted {
		s.trust.Doubt(e.Channel, corona.Hash(e.Hash), e.Finder)
	}
}

var _ volunteer.Poller = (*turns)(nil)
