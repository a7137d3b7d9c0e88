package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostile 29: a node of the next version is understood as long as it speaks this one too.
func TestNextVersionIsNegotiated(t *testing.T) {
	here := NewHello("tidings 1.0", 1)
	next := NewHello("tidings 2.0", 2)
	next.Newest++
	for _, pair := range [][2]*Hello{{here, next}, {next, here}, {here, here}} {
		if v, err := pair[0].Negotiate(pair[1]); v != NewestVersion || err != nil {
			t.Errorf("%v meets %v: %d, %v", pair[0], pair[1], v, err)
		}
	}
	next.Oldest = next.Newest
	_, mine := here.Negotiate(next)
	_, theirs := next.Negotiate(here)
	if mine == nil || !strings.Contains(mine.Error(), "update this node") ||
		!strings.Contains(mine.Error(), "tidings 2.0") {
		t.Errorf("the older node says: %v", mine)
	}
	if theirs == nil || !strings.Contains(theirs.Error(), "the other node needs an update") {
		t.Errorf("the newer node says: %v", theirs)
	}
}

func TestNegotiateAgreesOnBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() *Hello {
			return &Hello{Oldest: Version(rapid.IntRange(0, 5).Draw(t, "oldest")),
				Newest: Version(rapid.IntRange(0, 5).Draw(t, "newest"))}
		}
		decent := func(h *Hello) bool { return h.Oldest > 0 && h.Oldest <= h.Newest }
		a, b := draw(), draw()
		got, err := a.Negotiate(b)
		if !decent(b) {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v meets %v: %d, %v", a, b, got, err)
			}
			return
		}
		if !decent(a) {
			return // no node is like that
		}
		want := Version(0)
		for v := Version(1); v <= 5; v++ {
			if a.Oldest <= v && v <= a.Newest && b.Oldest <= v && v <= b.Newest {
				want = v
			}
		}
		back, _ := b.Negotiate(a)
		if got != want || back != want || (err == nil) != (want > 0) || errors.Is(err, ErrMalformed) {
			t.Fatalf("%v meets %v: %d, %v, on the other side %d, want %d", a, b, got, err, back, want)
		}
	})
}

// hostile 29: what a newer version adds to Hello itself does no harm.
func TestHelloWithUnknownField(t *testing.T) {
	c := NewCodec(TransportVocabulary)
	data, err := c.Append(nil, NewHello("tidings", 7))
	if err != nil {
		t.Fatal(err)
	}
	data[1]++ // the map's count
	m, err := c.Decode(append(data, 0x17, 0xf5))
	if err != nil || fmt.Sprint(m) != fmt.Sprint(NewHello("tidings", 7)) {
		t.Errorf("%v, %v", m, err)
	}
}
