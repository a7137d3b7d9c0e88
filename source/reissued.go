package source

import "tidings"

// ReissuedNote is said of a feed whose items have new identifiers at every fetch.
const ReissuedNote = "this feed gives its items new identifiers at every fetch; they are compared by title and content"

// identifiersHold notes whether a feed's items still have the guids of the last reading. Once, they may all be new
// because the site has moved. Twice in a row, its guids are unreliable, and the channel gets a note for people.
func (k *poll) identifiersHold(items []tidings.FoundItem) {
	before := k.mem.reissued
	k.mem.reissued = reissued(items)
	if before && k.mem.reissued {
		k.result.Health, k.note = tidings.HealthNoisy, ReissuedNote
	}
}

// reissued reports whether more of the known items among some have another guid than they had than have the same.
func reissued(items []tidings.FoundItem) bool {
	other, same := 0, 0
	for i := range items {
		switch f := &items[i]; {
		case f.Row == 0 || f.Was.ID == 0:
		case f.Was.ID != f.Mark.ID:
			other++
		default:
			same++
		}
	}
	return other > same
}
