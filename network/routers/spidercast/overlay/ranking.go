package overlay

// ranking keeps candidates ordered by score: how many topics that a task lacks each follows. All operations but those
// that list candidates need constant time, as scores change by one at a time. Equal scores lie together, and a
// candidate that gains or loses one swaps places with the first or last of its equals.
//
// A candidate is known by a slot. Invariant: order[:ends[s]] are the candidates with a score of s or more, so that ends
// falls.
type ranking struct {
	order  []int32 // slots, best first
	places []place // by slot
	ends   []int32 // by score
}

// place is where a candidate stands. at is its index in order plus 1; 0: it is not in.
type place struct{ at, score int32 }

func (r *ranking) has(slot int32) bool { return int(slot) < len(r.places) && r.places[slot].at > 0 }

// add puts a candidate in that is not.
func (r *ranking) add(slot int32, score int) {
	for int(slot) >= len(r.places) {
		r.places = append(r.places, place{})
	}
	if len(r.ends) == 0 {
		r.ends = append(r.ends, 0)
	}
	r.order = append(r.order, slot)
	r.ends[0]++
	r.places[slot] = place{at: int32(len(r.order))}
	for range score {
		r.raise(slot)
	}
}

// remove drops a candidate.
func (r *ranking) remove(slot int32) {
	for r.places[slot].score > 0 {
		r.lower(slot)
	}
	r.swap(slot, int32(len(r.order))-1)
	r.order = r.order[:len(r.order)-1]
	r.ends[0]--
	r.places[slot].at = 0
}

// raise adds 1 to a candidate's score.
func (r *ranking) raise(slot int32) {
	score := r.places[slot].score + 1
	if int(score) == len(r.ends) {
		r.ends = append(r.ends, 0)
	}
	r.swap(slot, r.ends[score])
	r.ends[score]++
	r.places[slot].score = score
}

// lower subtracts 1 from a candidate's score, which is above 0.
func (r *ranking) lower(slot int32) {
	score := r.places[slot].score
	r.ends[score]--
	r.swap(slot, r.ends[score])
	r.places[slot].score = score - 1
}

// swap puts a candidate where the at-th stands, and that one in its place.
func (r *ranking) swap(slot, at int32) {
	from, other := r.places[slot].at-1, r.order[at]
	r.order[from], r.order[at] = other, slot
	r.places[other].at, r.places[slot].at = from+1, at+1
}

// best returns the candidates of the highest score, if that is above 0.
func (r *ranking) best() []int32 {
	for score := len(r.ends) - 1; score > 0; score-- {
		if r.ends[score] > 0 {
			r.ends = r.ends[:score+1]
			return r.order[:r.ends[score]]
		}
	}
	return nil
}

// useful returns the candidates with a score above 0.
func (r *ranking) useful() []int32 {
	if len(r.ends) < 2 {
		return nil
	}
	return r.order[:r.ends[1]]
}
