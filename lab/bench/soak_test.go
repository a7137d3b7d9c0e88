package bench

import (
	"bytes"
	"testing"
	"time"
)

// A short soak: what it says of growth means nothing. But nothing may fail on the way, all nodes must stop while their
// polls hang, and nothing may be left of them (hostile 61).
func TestSoakLeavesNothingBehind(t *testing.T) {
	c := DefaultSoak()
	c.Nodes, c.Channels, c.Clients, c.For, c.Samples = 2, 40, 1, 3*time.Second, 5
	var out bytes.Buffer
	if err := Soak(t.Context(), c, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	t.Log(out.String())
}
