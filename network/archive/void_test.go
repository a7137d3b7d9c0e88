package archive_test

import (
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// Once its withdrawal is accepted, no node returns an item any more: not one that was away, nor if the item is inserted
// again.
func TestWhatIsTakenBackIsServedByNobody(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newPlace(t, archivetest.Default(20))
		v.fill(30, 3)
		name := v.Kept()[int(t.Seed())%len(v.Kept())]
		away := v.Owners(name.Key())[1]
		v.Crash(away)
		v.Settle()
		put := func(bytes []byte) (ended bool) {
			n := v.Any()
			v.Do(n, func(engine.Protocol) {
				v.Node(n).Archive.Insert(name, bytes, func(_ int, why archive.Refusal) {
					ended = true
					if why != archive.Accepted {
						t.Errorf("it was not accepted: %v", why)
					}
				})
			})
			v.Run(time.Minute)
			return ended
		}
		if !put(archivetest.Void(name)) {
			t.Fatal("taking it back does not end")
		}
		v.Boot(away)
		v.Settle()
		v.Run(5 * time.Minute)
		put(archivetest.Item(name, 300))
		for _, n := range v.Live() {
			if b := v.Disk(n).Get(name); b != nil && !archive.IsVoid(b) {
				t.Errorf("node %d keeps it", n)
			}
			l := v.Find(n, name)
			v.Run(10 * time.Second)
			if !l.Done || !archive.IsVoid(l.Bytes) {
				t.Errorf("node %d is given %d bytes, %v", n, len(l.Bytes), l.Err)
			}
		}
	})
}
