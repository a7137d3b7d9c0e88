package node

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source"
	"tidings/store"
)

// polled tells Corona what a poll of a channel has given, once that is stored. The caller holds
// the channel's lock; name is that of what was stored, zero if nothing was.
func (s *sharing) polled(ctx context.Context, w source.Job, r source.Result, name corona.Hash) error {
	id := engine.ID(w.ID())
	s.mu.Lock()
	c := s.channels[id]
	turns := c != nil && c.turns
	s.mu.Unlock()
	switch {
	case c == nil:
		return nil
	case turns:
		return s.node.volunteering.polled(ctx, c, r, name)
	}
	report := corona.PollResult{Wait: r.Wait, Interval: r.Least, Size: uint32(min(max(r.Poll.Bytes, 0), 1<<31))}
	version, held := s.Held(id)
	if r.Finding != nil {
		s.mu.Lock()
		c.seen = r.Finding.Found
		s.mu.Unlock()
	}
	if r.Poll.Outcome.Read() {
		var err error
		if report.Hash, err = s.seen(ctx, c, r, name); err != nil {
			return err
		}
		s.node.republishers.saw(id, report.Hash)
		switch {
		case report.Hash == held || report.Hash == (corona.Hash{}):
		case !s.tells(c, report.Hash, r.Poll.At, time.Now()):
			s.withhold(c, held, r)
			report.Hash = corona.Hash{} // it says nothing that was not said
		case s.isBrief(c, r):
			report.Update = s.brief(c, held, report.Hash, r)
			report.Update.Version = version
		default:
			if report.Update, err = s.pack(ctx, c, held, report.Hash); err != nil {
				return err
			}
			report.Update.Version = version
		}
	}
	s.report(ctx, c, r.Poll.At, report, version == 0) // Corona may wait to have the number of what is here
	return nil
}

// tells tells whether the network is to be told of a content that it has given no number so far: when it
// is new, or asked for, and then less and less often, as long as no number comes. Corona itself sees to it that what
// it was told arrives; telling it of all that each poll sees would have every poll cost as much as
// a change where the network is slow to number, and make it slower.
func (s *sharing) tells(c *sharedChannel, h corona.Hash, at, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &c.telling
	if t.hash != h {
		t.hash, t.times, t.again = h, 0, time.Time{}
	}
	if now.Before(t.again) && !c.isVerification(at) {
		return false
	}
	if t.times == 0 && c.mayBeNumbered() && !c.isVerification(at) {
		t.withheld, t.times = true, 1 // whatever the owners say, it is told at the next poll
		return false
	}
	t.withheld, t.first = false, nil
	t.again = now.Add(s.terms().Interval << min(t.times, maxTellDoublings))
	t.times++
	return true
}

// isBrief tells whether the network is told only that there is a new content: its owners poll themselves
// before they believe it, and have it then. Not so where the origin wants to be asked seldom, nor where it is
// told again because no number came: the owners may not reach the origin.
func (s *sharing) isBrief(c *sharedChannel, r source.Result) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.Finding != nil && r.Least == 0 && c.telling.times <= 1
}

// withhold remembers what is told of a content if its owners have no number for it.
func (s *sharing) withhold(c *sharedChannel, base corona.Hash, r source.Result) {
	if !s.isBrief(c, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := &c.telling; t.withheld {
		t.first = s.brief(c, base, t.hash, r)
	}
}

// brief is what pack makes, without what leads to the content.
func (s *sharing) brief(c *sharedChannel, base, hash corona.Hash, r source.Result) *corona.Update {
	u := &corona.Update{Channel: c.id, URL: c.url, Base: base, Hash: hash, FoundAt: r.Finding.Found.UnixMilli(), Size: uint32(min(max(r.Poll.Bytes, 1), 1<<31))}
	u.FoundBy, _ = engine.ParseID(s.node.id) // it is one
	if changed := r.Finding.OriginChanged; !changed.IsZero() {
		u.Modified = changed.UnixMilli()
	}
	return u
}

// mayBeNumbered tells whether the owners are likely to have a number for the first content here, which
// comes when they acknowledge that the channel is followed. Where many begin to follow a channel, one
// tells of its content. The caller holds sharing.mu.
func (c *sharedChannel) mayBeNumbered() bool {
	return c.version == 0 && c.wants() > 0 && c.suspicion == "" && (!c.acked || c.telling.owned > 0)
}

// offer tells the network of the content that is here, and that it was not told so far.
func (s *sharing) offer(ctx context.Context, c *sharedChannel) {
	defer s.lock(c.id)()
	s.mu.Lock()
	u, content := c.telling.first, c.content
	c.telling.first = nil
	s.mu.Unlock()
	if u != nil && u.Hash == content {
		if version, held := s.Held(c.id); u.Base == held && u.Hash != held {
			u.Version = version
			s.inLoop(ctx, func() { s.corona.Polled(c.id, corona.PollResult{Hash: u.Hash, Update: u}) })
		}
		return
	}
	now, err := s.contentOf(ctx, c)
	version, held := s.Held(c.id)
	if err != nil || now.hash == (corona.Hash{}) || now.hash == held {
		return
	}
	u, err = s.pack(ctx, c, held, now.hash)
	if err != nil {
		s.log.Debug("the network was not told of a channel", "channel", c.id, "error", err)
		return
	}
	u.Version = version
	s.inLoop(ctx, func() { s.corona.Polled(c.id, corona.PollResult{Hash: now.hash, Update: u}) })
}

// telling is how far the network was told of a channel's content that has no number.
type telling struct {
	hash  corona.Hash // of the content
	times int
	again time.Time // when it is told again
	// withheld says that the first content here was told to nobody so far: the owners may have a number for it.
	withheld bool
	first    *corona.Update // what it is told then, if brief; nil: all that leads there
	owned    uint64         // version that the owners had when they acknowledged that the channel is followed; 0: none
}

// maxTellDoublings is how often the pause doubles after which the network is told of a content again: by
// default, up to half a day.
const maxTellDoublings = 5

// seen returns the hash of what a poll has left; name is the one under which that was stored, zero if it was not.
func (s *sharing) seen(ctx context.Context, c *sharedChannel, r source.Result, name corona.Hash) (corona.Hash, error) {
	if name == (corona.Hash{}) {
		return s.named(ctx, c, r.Finding != nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.content = name
	return name, nil
}

// named returns the hash of a channel's content, and has it found again by that.
func (s *sharing) named(ctx context.Context, c *sharedChannel, fresh bool) (corona.Hash, error) {
	s.mu.Lock()
	before := c.content
	s.mu.Unlock()
	if !fresh && before != (corona.Hash{}) {
		return before, nil
	}
	now, err := s.contentOf(ctx, c)
	if err != nil || now.hash == (corona.Hash{}) {
		return now.hash, err
	}
	s.mu.Lock()
	c.content = now.hash
	s.mu.Unlock()
	return now.hash, s.node.store.Name(ctx, c.url, now.hash, store.Shared{})
}

// isVerification tells whether a poll that began at a time is the one that Corona has asked for. One that was
// under way then may have seen what was there before. The caller holds sharing.mu.
func (c *sharedChannel) isVerification(at time.Time) bool {
	return !c.checking.IsZero() && !at.Before(c.checking)
}

// isAsked tells whether Corona waits for what a poll of a channel gave.
func (s *sharing) isAsked(w source.Job, r source.Result) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[engine.ID(w.ID())]
	return c != nil && c.isVerification(r.Poll.At)
}

// report gives Corona a report of a poll that began at a time, if it says anything or is awaited.
func (s *sharing) report(ctx context.Context, c *sharedChannel, at time.Time, r corona.PollResult, awaited bool) {
	s.mu.Lock()
	if r.Verified = c.isVerification(at); r.Verified {
		c.checking = time.Time{}
	}
	s.mu.Unlock()
	if awaited || r.Verified || r.Update != nil || r.Wait > 0 || r.Interval > 0 {
		s.work(func(ctx context.Context) { s.inLoop(ctx, func() { s.corona.Polled(c.id, r) }) })
	}
}

// settleShared stores what a poll of a shared channel gave, and tells others. A finding that was
// overtaken by what another node has found is made again by the next poll, in its turn.
func (n *Node) settleShared(ctx context.Context, w source.Job, r source.Result) error {
	n.sharing.polls(w, r)
	defer n.sharing.lock(engine.ID(w.ID()))()
	var name corona.Hash
	record := recordOf(w, r)
	if record.Finding != nil {
		record.Name = func(c store.Content) store.Hash {
			name = hashOf(c)
			return name
		}
	}
	record.First = w.Version == 0 && !n.sharing.isAsked(w, r)
	err := n.keep(ctx, w, r, record)
	if isStale(err) {
		r.Finding, r.Memory = nil, source.Forget(r.Memory, w.ID())
		if err := n.settle(ctx, w, r); err != nil {
			return err
		}
		n.watcher.Change(w.URL, func(w *source.Job) { w.Memory = source.Forget(w.Memory, w.ID()) })
		n.sharing.report(ctx, n.sharing.find(w.ID()), r.Poll.At, corona.PollResult{Wait: r.Wait, Interval: r.Least}, false)
		return nil
	}
	if err != nil {
		return err
	}
	if err := n.sharing.polled(ctx, w, r, name); err != nil && !isGone(err) {
		n.log.Error("the network was not told of a check", "channel", w.URL, "error", err)
	}
	return nil
}

// shares tells whether a channel's content is compared with what other nodes see; it may be so since a poll began.
func (s *sharing) shares(id tidings.ChannelID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[engine.ID(id)]
	return c != nil && !c.private && (c.polled || c.relayed || c.readers > 0)
}

// find returns a channel; one that is not shared any more is nobody's.
func (s *sharing) find(id tidings.ChannelID) *sharedChannel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[engine.ID(id)]; c != nil {
		return c
	}
	return &sharedChannel{id: engine.ID(id)}
}

func parseHash(text string) (h corona.Hash, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is no hash", text)
	}
	copy(h[:], b)
	return h, nil
}
