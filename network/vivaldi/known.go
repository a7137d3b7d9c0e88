package vivaldi

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// maxSamples bounds Config.Samples.
const maxSamples = 15

// known is a peer of which there are samples.
type known struct {
	peer       engine.Peer
	coordinate Coordinate      // as it last said
	samples    []time.Duration // round trips, latest last
	rtt        time.Duration   // their median

	// off is how far the distance was from rtt at the last sample.
	off time.Duration

	// applied is the number of the latest update of the coordinate that was this peer's.
	applied int
}

// sample stores a round trip.
func (k *known) sample(rtt time.Duration, keep int) {
	if len(k.samples) == keep {
		k.samples = append(k.samples[:0], k.samples[1:]...)
	}
	k.samples = append(k.samples, rtt)
	k.rtt = median(k.samples)
}

// errs returns how far off the distance was, as a share of the round trip, in 1/1000.
func (k *known) errs() time.Duration { return 1000 * k.off / max(k.rtt, time.Microsecond) }

// table is the known peers, at most a number of them. It never goes by the order of the map.
type table struct {
	most int
	byID map[engine.ID]*known
	list []*known // the one unheard of for longest first
}

func newTable(most int) *table { return &table{most: most, byID: make(map[engine.ID]*known)} }

// answered returns the entry of a peer that has answered, as the latest one.
func (t *table) answered(p engine.Peer) *known {
	k := t.byID[p.ID]
	if k == nil {
		if len(t.list) == t.most {
			t.forget(t.list[0].peer.ID)
		}
		k = &known{}
		t.byID[p.ID] = k
	} else {
		t.list = slices.DeleteFunc(t.list, func(l *known) bool { return l == k })
	}
	k.peer = p
	t.list = append(t.list, k)
	return k
}

func (t *table) forget(id engine.ID) {
	if k := t.byID[id]; k != nil {
		delete(t.byID, id)
		t.list = slices.DeleteFunc(t.list, func(l *known) bool { return l == k })
	}
}

// medianOf returns the median over all peers of what of says, 0 if there is none. Fewer than
// half of the peers cannot move it out of the range of what the others say.
func (t *table) medianOf(of func(*known) time.Duration) time.Duration {
	var buffer [64]time.Duration
	values := buffer[:0]
	for _, k := range t.list {
		values = append(values, of(k))
	}
	return median(values)
}

// median returns the median of a few, the lower of two in the middle; 0 of none.
func median(of []time.Duration) time.Duration {
	if len(of) == 0 {
		return 0
	}
	var buffer [64]time.Duration
	sorted := append(buffer[:0], of...)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}
