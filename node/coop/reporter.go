package coop

import (
	"context"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/source"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
)

// reporter reports the findings of this node's polls to the network.
type reporter struct{ *core }

// polled reports the result of a poll of a channel to Corona, once that is stored. The caller holds the channel's lock;
// name is that of what was stored, zero if nothing was.
func (s *reporter) polled(ctx context.Context, w source.Job, r source.Result, name corona.Hash) error {
	id := engine.ID(w.ID())
	s.table.mu.Lock()
	c := s.table.channels[id]
	turns := c != nil && c.turns
	s.table.mu.Unlock()
	switch {
	case c == nil:
		return nil
	case turns:
		return s.turns.polled(ctx, c, r, name)
	}
	report := corona.PollResult{Wait: r.Wait, Interval: r.Least, Size: uint32(min(max(r.Poll.Bytes, 0), 1<<31))}
	version, held := s.library.Held(id)
	if r.Change != nil {
		s.table.mu.Lock()
		c.seen = r.Change.Found
		s.table.mu.Unlock()
	}
	if r.Poll.Outcome.Read() {
		var err error
		if report.Hash, err = s.seen(ctx, c, r, name); err != nil {
			return err
		}
		s.trust.Saw(id, report.Hash)
		if err := s.confirm(ctx, c, report.Hash); err != nil {
			return err
		}
		switch {
		case report.Hash == held || report.Hash == (corona.Hash{}):
		case !s.tells(c, report.Hash, r.Poll.At, time.Now()):
			s.withhold(c, held, r)
			report.Hash = corona.Hash{} // it says nothing that was not said
		case s.isBrief(c, r):
			report.Update = s.brief(c, held, report.Hash, r)
			report.Update.Version = version
		default:
			if report.Update, err = s.library.pack(ctx, c, held, report.Hash); err != nil {
				return err
			}
			report.Update.Version = version
		}
	}
	s.report(ctx, c, r.Poll.At, report, version == 0) // Corona may wait to have the number of what is here
	return nil
}

// confirm notes that a poll of this node has seen what it had from others.
func (s *reporter) confirm(ctx context.Context, c *channel, h corona.Hash) error {
	s.table.mu.Lock()
	fits := c.unseen == h && h != (corona.Hash{})
	if fits {
		c.unseen = corona.Hash{}
	}
	s.table.mu.Unlock()
	if !fits {
		return nil
	}
	return s.config.Store.Number(ctx, shared.Version{URL: c.url, Hash: h}, content.Seen{ConfirmedBy: []string{s.config.NodeID}})
}

// tells reports whether a content without a number is to be reported to the network. It is when it is new or requested,
// and then ever more rarely, as long as no number comes. Corona itself ensures that reports arrive. If every poll
// reported everything it sees, each poll would cost as much as a change in a slow network, and make it slower.
func (s *reporter) tells(c *channel, h corona.Hash, at, now time.Time) bool {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	t := &c.telling
	if t.hash != h {
		t.hash, t.times, t.again = h, 0, time.Time{}
	}
	if now.Before(t.again) && !c.isVerification(at) {
		return false
	}
	if t.times == 0 && s.mayBeNumbered(c) && !c.isVerification(at) {
		t.withheld, t.times = true, 1 // whatever the owners answer, it is reported at the next poll
		return false
	}
	t.withheld, t.first = false, nil
	t.again = now.Add(s.params.now().Interval << min(t.times, maxTellDoublings))
	t.times++
	return true
}

// isBrief reports whether the network learns only that there is a new content. Its owners poll themselves before they
// believe it, and have it then. It is false if the origin wants to be polled rarely, or if the report is repeated
// because no number came. Then the owners may not reach the origin.
func (s *reporter) isBrief(c *channel, r source.Result) bool {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	return r.Change != nil && r.Least == 0 && c.telling.times <= 1
}

// withhold remembers the report of a content in case its owners have no number for it.
func (s *reporter) withhold(c *channel, base corona.Hash, r source.Result) {
	if !s.isBrief(c, r) {
		return
	}
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if t := &c.telling; t.withheld {
		t.first = s.brief(c, base, t.hash, r)
	}
}

// brief is what pack makes, without what leads to the content.
func (s *reporter) brief(c *channel, base, hash corona.Hash, r source.Result) *corona.Update {
	u := &corona.Update{Channel: c.id, URL: c.url, Base: base, Hash: hash, FoundAt: r.Change.Found.UnixMilli(), Size: uint32(min(max(r.Poll.Bytes, 1), 1<<31))}
	u.FoundBy, _ = engine.ParseID(s.config.NodeID) // it is one
	if changed := r.Change.OriginChanged; !changed.IsZero() {
		u.Modified = changed.UnixMilli()
	}
	return u
}

// mayBeNumbered reports whether the owners are likely to have a number for the first content here. It comes when they
// acknowledge that the channel is followed. If many nodes begin to follow a channel, one reports its content. The
// caller holds table.mu.
func (s *reporter) mayBeNumbered(c *channel) bool {
	return c.version == 0 && s.subscribes(c) && c.suspicion == "" && (!c.acked || c.telling.owned > 0)
}

// offer reports to the network the content here, and that it was not reported so far.
func (s *reporter) offer(ctx context.Context, c *channel) {
	defer s.table.lock(c.id)()
	s.table.mu.Lock()
	u, content := c.telling.first, c.content
	c.telling.first = nil
	s.table.mu.Unlock()
	if u != nil && u.Hash == content {
		if version, held := s.library.Held(c.id); u.Base == held && u.Hash != held {
			u.Version = version
			s.InLoop(ctx, func() { s.corona.Polled(c.id, corona.PollResult{Hash: u.Hash, Update: u}) })
		}
		return
	}
	now, err := s.library.contentOf(ctx, c)
	version, held := s.library.Held(c.id)
	if err != nil || now.hash == (corona.Hash{}) || now.hash == held {
		return
	}
	u, err = s.library.pack(ctx, c, held, now.hash)
	if err != nil {
		s.config.Log.Debug("the network was not told of a channel", "channel", c.id, "error", err)
		return
	}
	u.Version = version
	s.InLoop(ctx, func() { s.corona.Polled(c.id, corona.PollResult{Hash: now.hash, Update: u}) })
}

// telling is how far a channel's content without a number was reported to the network.
type telling struct {
	hash  corona.Hash // of the content
	times int
	again time.Time // of the next report
	// withheld says that the first content here is unreported so far: the owners may have a number for it.
	withheld bool
	first    *corona.Update // what it is told then, if brief; nil: all that leads there
	owned    uint64         // version that the owners had when they acknowledged that the channel is followed; 0: none
}

// maxTellDoublings is how often the pause before a repeated report doubles: by default, up to half a day.
const maxTellDoublings = 5

// seen returns the hash of the content after a poll. name is the one under which that was stored, zero if it was not.
func (s *reporter) seen(ctx context.Context, c *channel, r source.Result, name corona.Hash) (corona.Hash, error) {
	if name == (corona.Hash{}) {
		return s.named(ctx, c, r.Change != nil)
	}
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	c.content = name
	return name, nil
}

// named returns the hash of a channel's content, and has it found again by that.
func (s *reporter) named(ctx context.Context, c *channel, fresh bool) (corona.Hash, error) {
	s.table.mu.Lock()
	before := c.content
	s.table.mu.Unlock()
	if !fresh && before != (corona.Hash{}) {
		return before, nil
	}
	now, err := s.library.contentOf(ctx, c)
	if err != nil || now.hash == (corona.Hash{}) {
		return now.hash, err
	}
	s.table.mu.Lock()
	c.content = now.hash
	s.table.mu.Unlock()
	return now.hash, s.config.Store.Name(ctx, c.url, now.hash, shared.Version{})
}

// isVerification reports whether a poll that began at a time is the one that Corona has asked for. One that was
// under way then may have seen what was there before. The caller holds table.mu.
func (c *channel) isVerification(at time.Time) bool {
	return !c.checking.IsZero() && !at.Before(c.checking)
}

// isAsked reports whether Corona waits for what a poll of a channel gave.
func (s *reporter) isAsked(w source.Job, r source.Result) bool {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	c := s.table.channels[engine.ID(w.ID())]
	return c != nil && c.isVerification(r.Poll.At)
}

// report gives Corona a report of a poll that began at a time, if it says anything or is awaited.
func (s *reporter) report(ctx context.Context, c *channel, at time.Time, r corona.PollResult, awaited bool) {
	s.table.mu.Lock()
	if r.Verified = c.isVerification(at); r.Verified {
		c.checking = time.Time{}
	}
	s.table.mu.Unlock()
	if awaited || r.Verified || r.Update != nil || r.Wait > 0 || r.Interval > 0 {
		s.Work(func(ctx context.Context) { s.InLoop(ctx, func() { s.corona.Polled(c.id, r) }) })
	}
}

// Prepare completes what is to be stored of a poll of a shared channel.
func (c *Coop) Prepare(job source.Job, r source.Result, record *store.Record) {
	c.polls.count(job, r)
	record.Named = record.Change != nil
	record.First = job.Version == 0 && !c.reporter.isAsked(job, r)
}

// Report reports a poll of a shared channel to others, once its result is stored. The caller holds the channel's lock.
func (c *Coop) Report(ctx context.Context, job source.Job, r source.Result, stored channels.Stored) {
	if stored.Overtaken {
		if ch := c.table.get(engine.ID(job.ID())); ch != nil {
			c.reporter.report(ctx, ch, r.Poll.At, corona.PollResult{Wait: r.Wait, Interval: r.Least}, false)
		}
		return
	}
	if err := c.reporter.polled(ctx, job, r, stored.Hash); err != nil && !isGone(err) {
		c.config.Log.Error("the network was not told of a check", "channel", job.URL, "error", err)
	}
}
