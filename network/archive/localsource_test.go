package archive_test

import (
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// laid is a local source in which one variant of every item lies.
type laid byte

const laidLength = 300

func (d laid) Local(name archive.Name) []byte {
	return archivetest.Variant(name, laidLength, byte(d))
}

// Owners that have an item for purposes of their own do not fetch it, and confirm it once. Owners that have another of
// its name fetch it. All keep the same in the end.
func TestLocalSource(t *testing.T) {
	const items = 20
	for _, c := range []struct {
		name    string
		source  archive.LocalSource
		fetched bool
	}{{"the same", laid(0), false}, {"another", laid(1), true}, {"none", nil, true}} {
		t.Run(c.name, func(t *testing.T) {
			simtest.Run(t, 2, func(t *simtest.T) {
				s := archivetest.Default(12)
				s.LocalSource = c.source
				v := newPlace(t, s)
				for i := range items {
					v.Insert(v.Any(), nameOf(i%3, uint64(1+i/3)), laidLength)
					v.Run(100 * time.Millisecond)
				}
				v.Run(20 * time.Second)
				v.repairs(time.Minute)
				if len(v.Kept()) != items {
					t.Errorf("%d of %d items were accepted", len(v.Kept()), items)
				}
				sent := func(m engine.Message) uint64 {
					if of := v.Counters().Kinds[m.Kind()]; of != nil {
						return of.Sent
					}
					return 0
				}
				others := uint64(items * (s.Archive.Replicas - 1))
				if fetched := sent(new(archive.Item)); fetched > 0 != c.fetched || fetched > others {
					t.Errorf("%d copies of %d were fetched", fetched, others)
				}
				if offers := sent(new(archive.Offer)); offers != others {
					t.Errorf("%d offers were made to %d", offers, others)
				}
				v.finds()
			})
		})
	}
}
