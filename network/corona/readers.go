package corona

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// readers is the table of one channel's subscriptions, one entry for each subscriber. Of two
// entries of one subscriber the one with the higher stamp stays, of equal stamps the one with
// the higher count. So tables that were told the same are the same, in whatever order and
// however often they were told it. An entry of no readers is kept as well: it keeps an older
// one from coming back.
type readers struct {
	entries []entry           // in no order that means anything
	index   map[uint32]uint32 // by subscriber, in entries; nil while these are few
	agents  map[uint32]agent  // by node, of those that speak for others; nil while there are none

	proofs []machine.Signature // by entry; nil where nothing is signed

	sum   uint64 // of hashes of all entries
	live  int    // entries that count
	total uint64 // readers, of each entry at most Config.MaxCount
}

// entry is 24 bytes: owners hold millions of them.
type entry struct {
	stamp uint64
	who   uint32 // in subscribers
	count uint32
	heard uint32 // when its stamp was heard first, by Env.Now in seconds
}

// agent is a node with live subscriptions of addresses outside.
type agent struct {
	live uint32
	who  uint32 // one of them, which stands for all where nodes are listed
}

// few is how many entries are looked through without an index.
const few = 64

// beats reports whether e replaces f of the same subscriber.
func (e entry) beats(f entry) bool {
	return e.stamp > f.stamp || e.stamp == f.stamp && e.count > f.count
}

// hash returns what an entry adds to a sum. When it was heard has no part in it.
func (e entry) hash(p *subscribers) uint64 {
	return engine.Mix(engine.Mix(p.list[e.who].hash^e.stamp) + uint64(e.count))
}

// find returns where a subscriber's entry is.
func (r *readers) find(who uint32) (int, bool) {
	if r.index != nil {
		i, ok := r.index[who]
		return int(i), ok
	}
	for i := range r.entries {
		if r.entries[i].who == who {
			return i, true
		}
	}
	return 0, false
}

// put merges an entry and reports whether it changed the table. most is what an entry counts
// for at most.
func (r *readers) put(p *subscribers, e entry, most int) bool {
	i, known := r.find(e.who)
	switch {
	case !known:
		p.hold(e.who)
		r.entries = append(r.entries, e)
		r.note(e.who, len(r.entries)-1)
	case !e.beats(r.entries[i]):
		return false
	default:
		r.count(p, r.entries[i], most, false)
		r.entries[i] = e
	}
	r.count(p, e, most, true)
	return true
}

// remove takes the i-th entry out; the last one takes its place.
func (r *readers) remove(p *subscribers, i, most int) {
	e, last := r.entries[i], len(r.entries)-1
	r.entries[i] = r.entries[last]
	r.entries = r.entries[:last]
	if r.proofs != nil {
		r.proofs[i] = r.proofs[last]
		r.proofs = r.proofs[:last]
	}
	if r.index != nil {
		delete(r.index, e.who)
		if i < last {
			r.index[r.entries[i].who] = uint32(i)
		}
	}
	r.count(p, e, most, false)
	p.release(e.who)
}

// keepProof keeps the signature of an entry that was put.
func (r *readers) keepProof(who uint32, s []byte) {
	if len(s) != engine.SignatureLength {
		return
	}
	for len(r.proofs) < len(r.entries) {
		r.proofs = append(r.proofs, machine.Signature{})
	}
	i, _ := r.find(who)
	r.proofs[i] = machine.Signature(s)
}

// proof returns the signature of the i-th entry; nil if there is none.
func (r *readers) proof(i int) []byte {
	if i >= len(r.proofs) {
		return nil
	}
	return r.proofs[i][:]
}

// note puts an entry that was added into the index, which is made once it is worth it.
func (r *readers) note(who uint32, i int) {
	switch {
	case r.index != nil:
		r.index[who] = uint32(i)
	case len(r.entries) > few:
		r.index = make(map[uint32]uint32, 2*len(r.entries))
		for i, e := range r.entries {
			r.index[e.who] = uint32(i)
		}
	}
}

// count adds what an entry counts for, or takes it away.
func (r *readers) count(p *subscribers, e entry, most int, add bool) {
	hash, readers, live := e.hash(p), uint64(min(int64(e.count), int64(most))), 1
	if !add {
		hash, readers, live = -hash, -readers, -1
	}
	r.sum += hash
	if e.count > 0 {
		r.total += readers
		r.live += live
		if home := p.list[e.who].home; home != e.who {
			r.speak(p, home, e.who, add)
		}
	}
}

// speak notes that a node speaks for a subscriber more, or less.
func (r *readers) speak(p *subscribers, home, who uint32, more bool) {
	a := r.agents[home]
	switch {
	case more && a.live == 0:
		a = agent{1, who}
	case more:
		a.live++
	default:
		a.live--
		if a.who == who && a.live > 0 {
			a.who = r.another(p, home, who)
		}
	}
	if r.agents == nil {
		r.agents = make(map[uint32]agent)
	}
	if r.agents[home] = a; a.live == 0 {
		delete(r.agents, home)
	}
}

// another returns a live subscriber that a node speaks for, other than who.
func (r *readers) another(p *subscribers, home, who uint32) uint32 {
	for _, e := range r.entries {
		if e.count > 0 && e.who != who && e.who != home && p.list[e.who].home == home {
			return e.who
		}
	}
	panic("corona: an agent that speaks for nobody")
}

// nodes returns nodes that have live subscriptions, each once, by looking at up to most
// entries. To begin, at is -1; then it is what was returned before; less than zero: that was
// all. Whoever subscribed before the beginning, and still does, is on some page; a node may be
// on two if entries went away in between.
func (r *readers) nodes(p *subscribers, at, most int) (page []engine.Peer, next int) {
	if at < 0 || at > len(r.entries) {
		at = len(r.entries)
	}
	for ; at > 0 && most > 0; most-- {
		at--
		if e := r.entries[at]; e.count > 0 && r.standsForNode(p, e.who) {
			page = append(page, p.peer(e.who))
		}
	}
	if at == 0 {
		return page, -1
	}
	return page, at
}

// standsForNode reports whether of all live entries of a node the one of who is the one by which
// the node is listed: its own if that lives, else one of those that it speaks for.
func (r *readers) standsForNode(p *subscribers, who uint32) bool {
	home := p.list[who].home
	if home == who {
		return true
	}
	if i, ok := r.find(home); ok && r.entries[i].count > 0 {
		return false
	}
	return r.agents[home].who == who
}

// seconds turns a time by Env.Now into what stands in an entry.
func seconds(t time.Duration) uint32 { return uint32(max(t, 0) / time.Second) }
