package view

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// pending is the shuffle that waits for its reply.
type pending struct {
	peer   engine.Peer
	number uint32
	on     bool
}

// round shuffles with one node (Cyclon: Voulgaris, Gavidia and van Steen, 2005). One that did not reply since the last
// round counts as dead.
func (v *View) round() {
	now := v.env.Now()
	if v.pending.on {
		v.bury(v.pending.peer)
		v.rest = min(v.rest, 2*v.config.FastRound) // another in its place
	}
	v.expire(now)
	v.survey()
	p, ok := v.lost.fresh()
	if !ok {
		p, ok = v.partner()
	}
	if !ok {
		p, ok = v.lost.next()
	}
	if ok {
		v.pending = pending{peer: p, number: v.env.Rand().Uint32(), on: true}
		v.shuffle(p, v.pending.number)
	}
	v.alarm.Set(v.env, now+v.rest, v.round)
	v.rest = min(2*v.rest, v.config.Round)
}

// partner returns the entry that was not confirmed for longest: so each is confirmed, or found dead, in its turn.
func (v *View) partner() (engine.Peer, bool) {
	if len(v.entries) == 0 {
		return engine.Peer{}, false
	}
	oldest := v.entries[0]
	for _, e := range v.entries {
		if e.born < oldest.born {
			oldest = e
		}
	}
	return oldest.Peer, true
}

// retry asks one of the lost whether it is back.
func (v *View) retry() {
	if p, ok := v.lost.next(); ok {
		v.shuffle(p, 0)
	}
	v.retries.Set(v.env, v.env.Now()+v.config.Retry, v.retry)
}

func (v *View) shuffle(p engine.Peer, number uint32) {
	var follows interest.Set
	if e := v.byID[p.ID]; e != nil {
		follows = e.Follows
	}
	sample, alike := v.choose(p.ID, follows, nil)
	v.env.Send(p, &Shuffle{number, v.own(), sample, alike, interest.List(v.thin(maxSought))})
}

// own returns this node's entry.
func (v *View) own() Entry {
	v.self.Peer = v.env.Self()
	return v.self
}

// choose returns entries for a node: a random sample, and those that follow what the node seeks, or share most topics
// with it.
func (v *View) choose(to engine.ID, follows, seek interest.Set) (sample, alike []Entry) {
	now := v.env.Now()
	chosen := make(map[*entry]bool)
	copyOf := func(e *entry) (Entry, bool) {
		if e.Peer.ID == to || chosen[e] {
			return Entry{}, false
		}
		chosen[e] = true
		return v.aged(e, now), true
	}
	for range 2 * v.config.Sample {
		if len(sample) == v.config.Sample || len(v.entries) == 0 {
			break
		}
		if e, ok := copyOf(v.entries[v.env.Rand().IntN(len(v.entries))]); ok {
			sample = append(sample, e)
		}
	}
	for _, e := range v.mostAlike(follows, seek) {
		if len(alike) == v.config.Alike {
			break
		}
		if e, ok := copyOf(e); ok {
			alike = append(alike, e)
		}
	}
	return sample, alike
}

// mostAlike returns entries by how much they are to a node that follows and seeks topics, the best first: enough to
// choose from.
func (v *View) mostAlike(follows, seek interest.Set) []*entry {
	type scored struct {
		*entry
		score int
	}
	var list []scored
	for _, e := range v.entries {
		const sought = 1 << 16 // before all that is only alike
		if e.broad {
			continue
		}
		if score := sought*interest.Common(seek, e.Follows) + interest.Common(follows, e.Follows); score > 0 {
			list = append(list, scored{e, score})
		}
	}
	// The youngest of equals first.
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.born, a.born))
	})
	best := make([]*entry, min(len(list), v.config.Alike+v.config.Sample+1))
	for i := range best {
		best[i] = list[i].entry
	}
	return best
}

// Receive handles one of Messages.
func (v *View) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Shuffle:
		v.onShuffle(from, m)
	case *ShuffleReply:
		v.onShuffleReply(from, m)
	}
}

// onShuffle answers, and adopts what is new. A node that shuffles too often is answered alone, so that it cannot fill
// the view with its inventions.
func (v *View) onShuffle(from engine.Peer, m *Shuffle) {
	now := v.env.Now()
	if m.Seek.Validate() != nil || !m.Seek.Exact() || m.Self.Follows.Validate() != nil {
		v.env.Trace(Refused{from, "malformed"})
		return
	}
	believed := v.meters.allow(from.ID, now, v.config.FastRound/2, v.config.MaxMetered)
	if !believed {
		v.env.Trace(Refused{from, "too often"})
		return
	}
	sample, alike := v.choose(from.ID, m.Self.Follows, m.Seek)
	v.env.Send(from, &ShuffleReply{m.Number, v.own(), sample, alike})
	v.merge(from, &m.Self, m.Sample, m.Alike)
}

func (v *View) onShuffleReply(from engine.Peer, m *ShuffleReply) {
	if m.Number != 0 && (!v.pending.on || v.pending.number != m.Number || v.pending.peer.ID != from.ID) {
		v.env.Trace(Refused{from, "not asked"})
		return
	}
	if m.Number == 0 && !v.lost.asked(from.ID) {
		v.env.Trace(Refused{from, "not asked"})
		return
	}
	if m.Number != 0 {
		v.pending.on = false
	}
	v.merge(from, &m.Self, m.Sample, m.Alike)
}

// merge adopts the entries of a message.
func (v *View) merge(from engine.Peer, self *Entry, sample, alike []Entry) {
	now := v.env.Now()
	v.lost.remove(from.ID)
	own := *self
	own.Peer, own.Age = from, 0 // it speaks of itself, from where it is
	v.learn(&own, now, true)
	for i := range sample {
		v.size.saw(v.learn(&sample[i], now, false))
	}
	for i := range alike {
		v.learn(&alike[i], now, false)
	}
}

// PeerDown reports that a peer cannot be reached.
func (v *View) PeerDown(p engine.Peer) { v.bury(p) }

// bury removes a node that does not answer, until it says something again.
func (v *View) bury(p engine.Peer) {
	if v.pending.peer.ID == p.ID {
		v.pending.on = false
	}
	if e := v.byID[p.ID]; e != nil {
		v.remove(e)
		v.lost.add(p, v.env.Now())
		v.env.Trace(Buried{p})
	}
}

// never is earlier than everything that was said.
const never = -time.Duration(1<<63 - 1)
