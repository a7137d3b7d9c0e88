package deliver

import (
	"testing"

	"tidings/network/corona/version/update"
)

// An update that lies between waits in its place, once, and no more than a few do.
func TestUpdatesAreSetAsideInOrder(t *testing.T) {
	t.Parallel()
	g := &gap{}
	for _, v := range []uint64{5, 3, 5, 9, 4, 3, 1} {
		g.setAside(&arrival{update: &update.Update{Version: v}})
	}
	var got []uint64
	for _, a := range g.aside {
		got = append(got, a.update.Version)
	}
	if len(got) != maxAfter || got[0] != 3 || got[1] != 4 || got[2] != 5 || got[3] != 9 {
		t.Errorf("aside are %v", got)
	}
}
