package share

// Tally counts how often this node finished each part of a message. It keeps MaxSeen parts at most, and forgets the
// oldest. A part can come again later, such as a version of a page that repeats an earlier one. The count then gives it
// another name, and the same one at other nodes. The zero Tally is empty.
type Tally struct {
	counts map[Key]int
	order  []Key
}

// Of returns the count of a part.
func (t *Tally) Of(k Key) int { return t.counts[k] }

// Add counts parts.
func (t *Tally) Add(keys []Key) {
	if t.counts == nil {
		t.counts = make(map[Key]int)
	}
	for _, k := range keys {
		if t.counts[k]++; t.counts[k] > 1 {
			continue
		}
		if t.order = append(t.order, k); len(t.order) > MaxSeen {
			delete(t.counts, t.order[0])
			t.order = t.order[1:]
		}
	}
}
