package version

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

var hashes = rapid.Custom(func(t *rapid.T) (h Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), len(h), len(h)).Draw(t, "hash"))
	return h
})

// Whatever time of modification is claimed, numbers rise strictly, stay below 2^63, and belong to
// their contents.
func TestNumbersRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := uint64(0)
		for _, h := range rapid.SliceOfN(hashes, 1, 20).Draw(t, "contents") {
			next, ok := follow(last, h, rapid.Int64().Draw(t, "modified"), rapid.Uint64().Draw(t, "latest"))
			if !ok || next <= last || next>>63 != 0 || !numbers(h, next) {
				t.Fatalf("after %x comes %x, %v", last, next, ok)
			}
			last = next
		}
	})
}

// Two nodes that number independently assign one content after one version the same number, and different contents
// different ones.
func TestNumbersOfTwoPrimaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := uint64(rapid.Uint32().Draw(t, "last"))<<tagBits | 7
		a, b := hashes.Draw(t, "a"), hashes.Draw(t, "b")
		at := rapid.Int64Range(0, 1<<41).Draw(t, "modified")
		one, _ := follow(last, a, at, maxModified)
		same, _ := follow(last, a, at, maxModified)
		other, _ := follow(last, b, at, maxModified)
		if one != same || (one == other) != (tagOf(a) == tagOf(b)) {
			t.Fatalf("%x, %x and %x", one, same, other)
		}
		if tagOf(a) != tagOf(b) && numbers(b, one) {
			t.Fatalf("%x could be the number of both", one)
		}
	})
}

func TestLastNumber(t *testing.T) {
	h := Hash{1, 2, 3}
	if last, ok := follow((maxCounter-1)<<tagBits, h, 0, 0); !ok || !numbers(h, last) {
		t.Errorf("%x, %v", last, ok)
	}
	if next, ok := follow(maxCounter<<tagBits, h, 0, 0); ok {
		t.Errorf("after the last comes %x", next)
	}
}

// A channel knows its last contents again, each once, and no more than it is to.
func TestRecent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r recent
		var all []Hash
		for _, b := range rapid.SliceOfN(rapid.ByteRange(0, 40), 1, 100).Draw(t, "contents") {
			h := Hash{b}
			r.note(h.Start())
			all = append(all, h)
		}
		distinct := make(map[Hash]bool)
		for i := len(all) - 1; i >= 0; i-- {
			if distinct[all[i]] = true; len(distinct) > maxRecent {
				break
			}
			if !r.has(all[i]) {
				t.Fatalf("%x is forgotten by %x", all[i][0], r)
			}
		}
		if len(r) > maxRecent || r.has(Hash{41}) {
			t.Fatalf("%x", r)
		}
	})
}

// Lies are counted for a day, and of a bounded number of nodes.
func TestFalseReportsAreBounded(t *testing.T) {
	var l falseReporters
	a := engine.PrefixID("a0")
	for range maxFalseReports - 1 {
		l.add(a, time.Hour)
	}
	if l.known(a, time.Hour) {
		t.Error("it is known too early")
	}
	if times := l.add(a, 2*time.Hour); times != maxFalseReports || !l.known(a, 3*time.Hour) {
		t.Errorf("after %d lies it is not known", times)
	}
	if l.known(a, 2*time.Hour+falseReportAge) {
		t.Error("it is known for too long")
	}
	if times := l.add(a, 3*falseReportAge); times != 1 {
		t.Errorf("old lies count: %d", times)
	}
	for i := range 2 * maxFalseReporters {
		l.add(engine.IDOf([]byte{byte(i), byte(i >> 8)}), 3*falseReportAge)
	}
	if len(l.list) != maxFalseReporters {
		t.Errorf("%d nodes are remembered", len(l.list))
	}
}

func TestAllowance(t *testing.T) {
	var b allowance
	spent := 0
	for at := time.Duration(0); at < 10*time.Minute; at += time.Second {
		if b.spend(at, time.Minute, 3) {
			spent++
		}
	}
	if spent != 30 {
		t.Errorf("%d were counted in ten periods of three", spent)
	}
}

// A version's number is its modification time, in seconds, if that is above the last number, possible by now, and not
// so far ahead that it would use up numbers. Otherwise it is the next number.
func TestNumbersByModification(t *testing.T) {
	t.Parallel()
	h := Hash{1, 2, 3}
	for what, c := range map[string]struct {
		last         uint64
		modified     int64
		latest, want uint64
	}{
		"later":              {100, 5_000_999, 9000, 5000},
		"the latest":         {100, 9_000_000, 9000, 9000},
		"beyond the latest":  {100, 9_001_000, 9000, 101},
		"before the last":    {100, 50_000, 9000, 101},
		"the last":           {100, 100_000, 9000, 101},
		"none":               {100, 0, 9000, 101},
		"before all times":   {100, -5_000_000, 9000, 101},
		"almost too far":     {100, (maxModified - 1) * 1000, 1 << 40, maxModified - 1},
		"too far":            {100, maxModified * 1000, 1 << 40, 101},
		"the first, undated": {0, 0, 9000, 1},
	} {
		got, ok := follow(c.last<<tagBits|5, h, c.modified, c.latest)
		if want := c.want<<tagBits | tagOf(h); !ok || got != want {
			t.Errorf("%s: number %x, not %x", what, got, want)
		}
	}
}
