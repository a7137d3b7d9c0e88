package pastry

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// At most one repair is due at any time. Damage ends only after a repair that has brought no node.
func TestDamageEndsAfterARepairThatBringsNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var d damage
		due, since, gained := false, time.Duration(0), false
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			now := time.Duration(i + 1)
			switch rapid.SampledFrom([]string{"loss", "gain", "repair", "settle"}).Draw(t, "step") {
			case "loss":
				if d.found(now) == due {
					t.Fatalf("a repair is due twice, or never: %+v", d)
				}
				if !due {
					due, gained = true, false
				}
				if since == 0 {
					since = now
				}
			case "gain":
				d.gain()
				gained = true
			case "repair":
				if due {
					d.repair()
					due = false
				}
			case "settle":
				if due || d.due {
					break
				}
				if d.grew() != (since > 0 && gained) {
					t.Fatalf("somebody came: %v, and not for %+v", gained, d)
				}
				if d.grew() {
					break
				}
				if lasted, was := d.mended(now); was != (since > 0) || was && lasted != now-since {
					t.Fatalf("damage since %v lasted %v", since, lasted)
				}
				since = 0
			}
		}
	})
}

// The first to find a neighbour dead asks all neighbours, in one repair.
func TestOneRepairAsksAll(t *testing.T) {
	t.Parallel()
	var d damage
	d.notify()
	d.found(1)
	if !d.repair() {
		t.Error("the neighbours are not asked")
	}
	if d.found(2); d.repair() {
		t.Error("all neighbours are asked again")
	}
}
