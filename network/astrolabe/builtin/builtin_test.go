package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"

	"pgregory.net/rapid"
)

// attribute pairs a name with a value.
func attribute(name string, v attr.Value) attr.Attribute { return attr.Attribute{Name: name, Value: v} }

// names are the attributes that the aggregation reads.
var names = strings.Fields("depth filter h label load members rep up x y z")

// likely are values that an attribute mostly has, so that not all of a random table is out of bounds.
var likely = map[string]*rapid.Generator[attr.Value]{
	"depth": rapid.Custom(func(t *rapid.T) attr.Value { return attr.Int(rapid.Int64Range(-1, 64).Draw(t, "depth")) }),
	"filter": rapid.Custom(func(t *rapid.T) attr.Value {
		return attr.Bytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t,
			"filter"))
	}),
	"label": rapid.Custom(func(t *rapid.T) attr.Value { return attr.String(rapid.StringN(0, 3, -1).Draw(t, "label")) }),
	"load": rapid.Custom(func(t *rapid.T) attr.Value {
		return attr.Float(rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, 1.01, -0.01, math.Copysign(0, -1)}).Draw(t,
			"load"))
	}),
	"members": rapid.Custom(func(t *rapid.T) attr.Value {
		return attr.Int(rapid.Int64Range(-1, 5).Draw(t,
			"members"))
	}),
	"rep": rapid.Custom(func(t *rapid.T) attr.Value { return attr.String(rapid.StringN(0, 3, -1).Draw(t, "rep")) }),
	"up":  rapid.Custom(func(t *rapid.T) attr.Value { return attr.Int(rapid.Int64Range(0, 2).Draw(t, "up")) }),
}

var coordinate = rapid.Custom(func(t *rapid.T) attr.Value {
	return attr.Float(rapid.Float64Range(-1.1e6, 1.1e6).Draw(t, "coordinate"))
})

// anything is a value of any type, with those at which types and numbers end.
var anything = rapid.OneOf(
	rapid.Custom(func(t *rapid.T) attr.Value { return attr.Int(rapid.Int64().Draw(t, "integer")) }),
	rapid.Custom(func(t *rapid.T) attr.Value { return attr.Float(rapid.Float64().Draw(t, "real")) }),
	rapid.SampledFrom([]attr.Value{
		attr.Int(math.MaxInt64), attr.Int(math.MinInt64), attr.Int(1 << 53), attr.Int(1<<53 + 1), attr.Int(0),
		attr.Int(1), attr.Int(62), attr.Int(63),
		attr.Int(1_000_000), attr.Int(1_000_001),
		attr.Float(math.MaxFloat64), attr.Float(-math.MaxFloat64), attr.Float(math.SmallestNonzeroFloat64),
		attr.Float(math.Copysign(0, -1)),
		attr.Float(0), attr.Float(1), attr.Float(1e6), attr.Float(1 << 53), attr.Float(1 << 63), attr.Float(-1 << 63),
		attr.String(""), attr.String("0.5"), attr.String("1"), attr.String("a\x00b"), attr.Bytes(nil),
		attr.Bytes([]byte{0}), attr.Bytes([]byte("1")),
		attr.String(strings.Repeat("r", 200)), attr.String(strings.Repeat("r", 201)), attr.Bytes(make([]byte, 256)),
		attr.Bytes(make([]byte, 257)),
	}),
)

var anyRow = rapid.Custom(func(t *rapid.T) attr.Row {
	var all []attr.Attribute
	for _, name := range names {
		value := coordinate
		if likely[name] != nil {
			value = likely[name]
		}
		switch rapid.IntRange(0, 9).Draw(t, name) {
		case 0:
			value = anything
		case 1, 2:
			continue // missing
		}
		all = append(all, attribute(name, value.Draw(t, name)))
	}
	return attr.Of(all...)
})

// The aggregation in Go and its SQL text compute the same rows, to the last bit, in whatever order the children come.
func TestSameAsSQL(t *testing.T) {
	functions := make(map[int]*sql.Function)
	for _, k := range []int{1, 2, 3, 16, 17} {
		f, err := sql.Compile(Text(k))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		functions[k] = f
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]int{1, 2, 3, 16, 17}).Draw(t, "k")
		rows := rapid.SliceOfN(anyRow, 0, 70).Draw(t, "rows")
		want, err := functions[k].Aggregate(rows)
		if err != nil {
			t.Fatal(err)
		}
		got := Aggregate(rows, k)
		if !got.Equal(want) {
			t.Fatalf("of %v\n got %v\nwant %v", rows, got, want)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		if again := Aggregate(rapid.Permutation(rows).Draw(t, "permuted"), k); !again.Equal(got) {
			t.Fatalf("in another order:\n got %v\nwant %v", again, got)
		}
	})
}

func TestAggregate(t *testing.T) {
	leaf := func(label, rep string, load float64, up int64, x float64) attr.Row {
		return attr.Of(attribute("label", attr.String(label)), attribute("rep", attr.String(rep)),
			attribute("load", attr.Float(load)),
			attribute("members", attr.Int(1)), attribute("up", attr.Int(up)), attribute("x", attr.Float(x)),
			attribute("filter", attr.Bytes([]byte{byte(up)})))
	}
	low := Aggregate([]attr.Row{
		leaf("c", "idle", 0.1, 1, 10), leaf("a", "young", 0.2, 3, 20), leaf("b", "younger", 0.2, 2, 30),
		leaf("d", "old", 0.2, 8, 40), leaf("e", "busy", 0.9, 9, 0),
	}, 3)
	want := attr.Of(attribute("depth", attr.Int(1)), attribute("filter", attr.Bytes([]byte{11})),
		attribute("load", attr.Float(0.1)), attribute("members", attr.Int(5)), attribute("rep", attr.String("idle")),
		attribute("reps", attr.Bytes([]byte("\x04idle\x03old\x05young"))), attribute("x", attr.Float(20)))
	if !low.Equal(want) {
		t.Errorf("got  %v\nwant %v", low, want)
	}
	high := Aggregate([]attr.Row{low, leaf("f", "near", 0, 0, 80)}, 3)
	if got := fmt.Sprint(high.Get("members").Integer, high.Get("depth").Integer, high.Get("x").Real); got != "6 2 30" {
		t.Error(got)
	}
	if got := Aggregate(nil, 3); len(got) != 0 {
		t.Error(got)
	}
}

// Row 48 of the hostile inputs: members that overflow when added.
func TestHostile48MembersSaturate(t *testing.T) {
	huge := attr.Of(attribute("members", attr.Int(math.MaxInt64)), attribute("x", attr.Float(1e6)))
	got := Aggregate([]attr.Row{huge, huge, huge}, 3)
	if got.Get("members").Integer != math.MaxInt64 {
		t.Error(got)
	}
	if x := got.Get("x").Real; !(x <= 3e6) {
		t.Error(x)
	}
}

// The largest rows that can be given make a valid row.
func TestHostile48LargestRows(t *testing.T) {
	var rows []attr.Row
	for i := range 64 {
		rows = append(rows, attr.Of(attribute("filter", attr.Bytes(make([]byte, attr.MaxValue))),
			attribute("label", attr.Int(int64(i))),
			attribute("rep", attr.Bytes(make([]byte, MaxRep))),
			attribute("members", attr.Int(1)), attribute("x", attr.Int(1)), attribute("y", attr.Int(1)),
			attribute("z", attr.Int(1)),
			attribute("h", attr.Int(1)), attribute("load", attr.Int(1)), attribute("depth", attr.Int(MaxDepth))))
	}
	got := Aggregate(rows, MaxReps)
	if err := got.Validate(); err != nil || len(got) != 10 {
		t.Error(err, len(got))
	}
}

// table64 returns a table as a simulation has it.
func table64() []attr.Row {
	var rows []attr.Row
	for i := range 64 {
		rows = append(rows, attr.Of(attribute("label", attr.String(fmt.Sprintf("node%02d", i))),
			attribute("members", attr.Int(1)),
			attribute("load", attr.Float(float64(i*37%64)/64)),
			attribute("filter", attr.Bytes(slices.Repeat([]byte{byte(i)}, 128))),
			attribute("rep", attr.String("203.0.113.7:4711")), attribute("up", attr.Int(int64(i))),
			attribute("x", attr.Float(1.5)), attribute("y", attr.Float(2.5)), attribute("z", attr.Float(3.5)),
			attribute("h", attr.Float(0.5))))
	}
	return rows
}

func BenchmarkAggregate(b *testing.B) {
	rows := table64()
	b.ReportAllocs()
	for b.Loop() {
		Aggregate(rows, 3)
	}
}

func BenchmarkAggregateSQL(b *testing.B) {
	f, err := sql.Compile(Text(3))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rows := table64()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Aggregate(rows); err != nil {
			b.Fatal(err)
		}
	}
}
