package ideal

import (
	"math"

	"tidings/network/engine"
	"tidings/network/spidercast/overlay"
)

// worth returns how much cover of a topic counts: in proportion to one over the root of how many follow it.
func (t *Table) worth(topic int32) int32 {
	if t.scale == 0 {
		all, roots := 0.0, 0.0
		for _, followers := range t.byTopic {
			all += float64(len(followers))
			roots += math.Sqrt(float64(len(followers)))
		}
		t.scale = overlay.MeanWorth * all / max(roots, 1)
	}
	return int32(t.scale / math.Sqrt(float64(max(len(t.byTopic[topic]), 1))))
}

// Worth is as in overlay.Weighing.
func (v *View) Worth(topic engine.ID) int { return int(v.table.worth(v.table.topic(topic))) }

// BestPair is as in overlay.Weighing: all nodes know what the others lack, at once. Ties are broken randomly.
func (v *View) BestPair(task overlay.Task) (p engine.Peer, ours, theirs int, ok bool) {
	t := v.table
	v.weigh(task)
	chosen, most, same := int32(-1), int32(0), 0
	for _, n := range t.touched {
		sum := t.worths[n] + t.gains[n]
		if sum < most || v.excluded[n]&(1<<task) != 0 || !v.sees(n) {
			continue
		}
		if sum > most {
			most, same = sum, 0
		}
		if same++; same == 1 || v.chance.IntN(same) == 0 {
			chosen, ours, theirs = n, int(t.worths[n]), int(t.gains[n])
		}
	}
	for _, n := range t.touched {
		t.worths[n] = 0
	}
	clear(t.gains)
	if chosen < 0 {
		return engine.Peer{}, 0, 0, false
	}
	return t.nodes[chosen].peer, ours, theirs, true
}

// Unsettled is as in overlay.Weighing.
func (v *View) Unsettled(task overlay.Task) float64 {
	return float64(v.table.lackers[task]) / float64(max(v.table.up, 1))
}

// weigh fills in what a link to each node would be worth to this one, and to that.
func (v *View) weigh(task overlay.Task) {
	t := v.table
	t.touched = t.touched[:0]
	for _, topic := range v.needs[task] {
		worth := t.worth(topic)
		for _, n := range t.byTopic[topic] {
			if t.worths[n] == 0 {
				t.touched = append(t.touched, n)
			}
			t.worths[n] += worth
		}
	}
	for _, topic := range t.nodes[v.self].topics {
		worth := t.worth(topic)
		for _, n := range t.lacking[task][topic] {
			t.gains[n] += worth
		}
	}
}

var _ overlay.Weighing = (*View)(nil)
