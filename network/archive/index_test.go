package archive

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// oracle is an index that looks at everything each time.
type oracle struct{ entries []*entry }

func (o *oracle) in(a keyRange) (entries []*entry) {
	for _, e := range o.entries {
		if a.contains(e.key) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(x, y *entry) int {
		return before(a.from.Clockwise(x.key), a.from.Clockwise(y.key))
	})
	return entries
}

// before compares distances of which zero is the whole way round.
func before(a, b engine.ID) int {
	switch zero := (engine.ID{}); {
	case a == b:
		return 0
	case a == zero:
		return 1
	case b == zero:
		return -1
	}
	return a.Compare(b)
}

func (o *oracle) sum(a keyRange) (p Part) {
	p.From, p.To = a.from, a.to
	for _, e := range o.entries {
		if a.contains(e.key) {
			p.Count++
			p.Sum += e.mark
		}
	}
	return p
}

// The index finds, sums, lists and splits as one does that looks at everything.
func TestIndexAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, o := newIndex(), &oracle{}
		count := rapid.IntRange(0, 1600).Draw(t, "items")
		for i := range count {
			e := newEntry(Held{Name: Name{Number: uint64(i)}, Size: uint32(1 + i%9), Print: uint64(i)})
			x.add(e)
			o.entries = append(o.entries, e)
		}
		for range rapid.IntRange(0, count).Draw(t, "removed") {
			i := rapid.IntRange(0, len(o.entries)-1).Draw(t, "which")
			x.remove(o.entries[i])
			o.entries = slices.Delete(o.entries, i, i+1)
		}
		var bytes int64
		for _, e := range o.entries {
			bytes += int64(e.Size)
			if x.find(e.Name) != e {
				t.Fatal("an entry is not found")
			}
		}
		if x.bytes != bytes || len(x.names) != len(o.entries) {
			t.Fatalf("%d bytes of %d items, not %d of %d", x.bytes, len(x.names), bytes, len(o.entries))
		}
		point := func(label string) engine.ID {
			if len(o.entries) > 0 && rapid.Bool().Draw(t, label+" is a key") {
				return o.entries[rapid.IntRange(0, len(o.entries)-1).Draw(t, label)].key
			}
			return drawID(t, label)
		}
		for range 10 {
			a := keyRange{point("from"), point("to")}
			want := o.in(a)
			if got := x.list(a, len(o.entries)+1); !slices.Equal(got, want) {
				t.Fatalf("%d of the %d in %v are listed", len(got), len(want), a)
			}
			sum := x.sum(a)
			if sum != o.sum(a) {
				t.Fatalf("the sum of %v is %+v, not %+v", a, sum, o.sum(a))
			}
			if sum.Count > maxParts {
				checkSplit(t, &x, o, a, sum)
			}
		}
		var down []*entry
		far := point("far")
		x.down(far, func(e *entry) bool { down = append(down, e); return true })
		slices.Reverse(down)
		if want := o.in(keyRange{far, far}); !slices.Equal(down, want) {
			t.Fatalf("downwards there are %d of %d entries, or in another order", len(down), len(want))
		}
	})
}

func checkSplit(t rapid.TB, x *index, o *oracle, a keyRange, whole Part) {
	parts := x.split(a, whole.Count)
	if len(parts) > maxParts || parts[0].From != a.from || parts[len(parts)-1].To != a.to {
		t.Fatalf("%v is split into %d parts from %v to %v", a, len(parts), parts[0].From, parts[len(parts)-1].To)
	}
	total := Part{From: a.from, To: a.to}
	for i, p := range parts {
		if i > 0 && p.From != parts[i-1].To {
			t.Fatal("there is a gap between two parts")
		}
		if p != o.sum(keyRange{p.From, p.To}) {
			t.Fatalf("part %d of %v is %+v, not %+v", i, a, p, o.sum(keyRange{p.From, p.To}))
		}
		total.Count += p.Count
		total.Sum += p.Sum
	}
	if total != whole {
		t.Fatalf("the parts of %+v sum up to %+v", whole, total)
	}
}

// Of so many that parts end where chunks do, the same holds.
func TestSplitOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x, o := newIndex(), &oracle{}
	for i := range 40_000 {
		e := newEntry(Held{Name: Name{Number: uint64(i)}, Print: uint64(i)})
		x.add(e)
		o.entries = append(o.entries, e)
	}
	for _, a := range []keyRange{
		{},
		{o.entries[1].key, o.entries[1].key},
		{engine.ID{}, opposite(engine.ID{})},
		{o.entries[2].key, opposite(o.entries[2].key)},
		{engine.PrefixID("f8"), engine.PrefixID("f0")},
	} {
		sum := x.sum(a)
		if sum != o.sum(a) || sum.Count < 16*2*maxChunk {
			t.Fatalf("the sum of %v is %+v, not %+v", a, sum, o.sum(a))
		}
		checkSplit(t, &x, o, a, sum)
		for _, p := range x.split(a, sum.Count) {
			if p.Count > sum.Count/maxParts+2*maxChunk {
				t.Errorf("a part has %d of %d entries", p.Count, sum.Count)
			}
		}
	}
}

// BenchmarkIndex measures the cost of an index of as many items as a node may keep.
func BenchmarkIndex(b *testing.B) {
	const items = 1 << 18
	x := newIndex()
	entries := make([]*entry, 2*items)
	for i := range entries {
		entries[i] = newEntry(Held{Name: Name{Number: uint64(i)}, Size: 1, Print: uint64(i)})
	}
	for _, e := range entries[:items] {
		x.add(e)
	}
	half := keyRange{engine.ID{}, opposite(engine.ID{})}
	b.Run("change", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			x.remove(entries[i%len(entries)])
			x.add(entries[(i+items)%len(entries)])
		}
	})
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			x.sum(half)
		}
	})
	b.Run("split", func(b *testing.B) {
		count := x.sum(half).Count
		for b.Loop() {
			x.split(half, count)
		}
	})
}
