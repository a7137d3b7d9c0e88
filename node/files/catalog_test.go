package files

import (
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/network/pieces"
	"tidings/store/large"
	"tidings/store/pushed"
)

// takenRoom is a content of these tests: its name, its channel, its bytes, and its age in hours.
type takenRoom struct {
	name    byte
	channel string
	length  int64
	hour    int
	own     bool
}

// The oldest content of the channel that has most is removed. Content published here is never removed for a fetched
// one.
func TestWhatMakesRoom(t *testing.T) {
	t.Parallel()
	const loud, quiet = "https://loud.example/", "https://quiet.example/"
	there := []takenRoom{
		{1, quiet, 10, 1, false}, {2, loud, 30, 2, false}, {3, loud, 30, 3, false}, {4, quiet, 10, 4, false},
		{5, "", 90, 0, true},
	}
	for _, test := range []struct {
		what takenRoom
		goes byte // 0: nothing
	}{
		{takenRoom{9, loud, 30, 5, false}, 2},
		{takenRoom{9, quiet, 10, 5, false}, 2},
		{takenRoom{9, quiet, 100, 5, false}, 1},
		{takenRoom{9, loud, 30, 1, false}, 0}, // it would be the oldest itself
		{takenRoom{9, quiet, 100, 0, false}, 0},
		{takenRoom{9, "", 50, 5, true}, 1},
	} {
		t.Run(fmt.Sprint(test.what), func(t *testing.T) {
			c := newCatalog(1<<30, nil)
			for _, k := range append(there, test.what) {
				ref, at := pieces.Ref{k.name}, time.Unix(int64(k.hour)*3600, 0)
				if k.channel != "" {
					c.carry(pushed.File{File: tidings.File{URL: fmt.Sprint(k.name), Ref: ref, Length: k.length},
						Channel: k.channel, Since: at})
				}
				known := c.of(ref, at)
				known.length, known.own = k.length, k.own
				if k.name != test.what.name {
					known.have, known.of = 1, 1
				}
			}
			l := large.Content{Ref: pieces.Ref{test.what.name}, Length: test.what.length, Own: test.what.own}
			got := c.victim(l)
			if got == nil && test.goes != 0 || got != nil && got.ref != (pieces.Ref{test.goes}) {
				t.Errorf("%+v goes", got)
			}
		})
	}
}
