package roster

import (
	"bytes"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// readers is the table of one channel's subscriptions, one entry for each subscriber. Of two entries of one subscriber
// the one with the higher stamp stays, of equal stamps the one with the higher count. So tables that received the same
// entries are the same, in whatever order and however often. An entry without readers is kept as well: it keeps an
// older one from coming back.
type readers struct {
	entries []entry             // in no meaningful order
	index   map[uint32]uint32   // by subscriber, in entries; nil while there are few
	proofs  []machine.Signature // by entry; nil if nothing is signed

	sum   uint64 // of hashes of all entries
	live  int    // entries with readers
	total uint64 // readers, of each entry at most Config.MaxCount
}

// entry has 24 bytes: owners hold millions of them.
type entry struct {
	stamp    uint64
	number   uint32 // in subscribers
	count    uint32
	received uint32 // when its stamp first arrived, by Env.Now in seconds
}

// few is how many entries are searched without an index.
const few = 64

// beats reports whether e replaces f of the same subscriber.
func (e entry) beats(f entry) bool {
	return e.stamp > f.stamp || e.stamp == f.stamp && e.count > f.count
}

// hash returns what an entry adds to a sum. Its time of arrival is no part of it.
func (e entry) hash(p *subscribers) uint64 {
	return engine.Mix(engine.Mix(p.list[e.number].hash^e.stamp) + uint64(e.count))
}

// find returns the index of a subscriber's entry.
func (r *readers) find(number uint32) (int, bool) {
	if r.index != nil {
		i, ok := r.index[number]
		return int(i), ok
	}
	for i := range r.entries {
		if r.entries[i].number == number {
			return i, true
		}
	}
	return 0, false
}

// put merges an entry, with its signature, and reports whether it changed the table. An entry counts up to most
// readers.
func (r *readers) put(p *subscribers, e entry, proof []byte, most int) bool {
	i, known := r.find(e.number)
	switch {
	case !known:
		p.hold(e.number)
		i = len(r.entries)
		r.entries = append(r.entries, e)
		r.note(i)
	case !e.beats(r.entries[i]):
		return false
	default:
		r.count(p, r.entries[i], most, false)
		r.entries[i] = e
	}
	r.count(p, e, most, true)
	if len(proof) == engine.SignatureLength {
		for len(r.proofs) < len(r.entries) {
			r.proofs = append(r.proofs, machine.Signature{})
		}
		r.proofs[i] = machine.Signature(proof)
	}
	return true
}

// note adds the i-th entry to the index, which is made beyond few entries.
func (r *readers) note(i int) {
	if r.index == nil && len(r.entries) > few {
		r.index = make(map[uint32]uint32, 2*len(r.entries))
		for j := range r.entries {
			r.note(j)
		}
	}
	if r.index != nil {
		r.index[r.entries[i].number] = uint32(i)
	}
}

// remove removes the i-th entry; the last one moves to its place.
func (r *readers) remove(p *subscribers, i, most int) {
	e, last := r.entries[i], len(r.entries)-1
	r.entries[i] = r.entries[last]
	if r.note(i); r.index != nil {
		delete(r.index, e.number)
	}
	r.entries = r.entries[:last]
	if r.proofs != nil {
		r.proofs[i] = r.proofs[last]
		r.proofs = r.proofs[:last]
	}
	r.count(p, e, most, false)
	p.release(e.number)
}

// proof returns a copy of the signature of the i-th entry, or nil. A message with it may still be under way when the
// entry is renewed.
func (r *readers) proof(i int) []byte {
	if i >= len(r.proofs) {
		return nil
	}
	return bytes.Clone(r.proofs[i][:])
}

// count adds an entry to the sums, or subtracts it.
func (r *readers) count(p *subscribers, e entry, most int, add bool) {
	hash, readers, live := e.hash(p), uint64(min(int64(e.count), int64(most))), 1
	if !add {
		hash, readers, live = -hash, -readers, -1
	}
	r.sum += hash
	if e.count > 0 {
		r.total += readers
		r.live += live
	}
}

// seconds converts a time by Env.Now to an entry's.
func seconds(t time.Duration) uint32 { return uint32(max(t, 0) / time.Second) }
