package sql

import (
	"errors"
	"math"
	"testing"

	"tidings/network/astrolabe/attr"

	"pgregory.net/rapid"
)

var anyValue = rapid.OneOf(
	rapid.Just(attr.Value{}),
	rapid.Map(rapid.Int64(), attr.Int),
	rapid.Map(rapid.Float64(), attr.Float),
	rapid.Map(rapid.StringN(0, 5, -1), attr.String),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 5), attr.Bytes),
	rapid.SampledFrom([]attr.Value{attr.Int(math.MaxInt64), attr.Int(math.MinInt64), attr.Int(1<<53 + 1),
		attr.Float(1 << 53), attr.Float(1 << 63),
		attr.Float(-1 << 63), attr.Float(math.Copysign(0, -1)), attr.Int(0), attr.Float(0.5), attr.String(""),
		attr.String("a\x00b"), attr.Bytes(nil)}),
)

// What a row holds comes back from SQLite as it was, and attr.Compare orders as SQLite does.
func TestValuesAndTheirOrder(t *testing.T) {
	same := compileTest(t, "SELECT a AS a, b AS b FROM children LIMIT 1")
	order := compileTest(t,
		"SELECT FIRST(1, n ORDER BY a) AS low, FIRST(1, n ORDER BY a DESC) AS high, COUNT(DISTINCT a) AS n FROM "+
			"children WHERE a IS NOT NULL")
	sorted := compileTest(t, "SELECT FIRST(2, label ORDER BY a) AS labels FROM children")
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyValue.Draw(t, "a"), anyValue.Draw(t, "b")
		one := attr.Of(attr.Attribute{Name: "a", Value: a}, attr.Attribute{Name: "b", Value: b})
		if got, err := same.Aggregate([]attr.Row{one}); err != nil || !got.Equal(one) {
			t.Fatalf("%v became %v, %v", one, got, err)
		}
		rows := []attr.Row{
			attr.Of(attr.Attribute{Name: "label", Value: attr.String("1")},
				attr.Attribute{Name: "n", Value: attr.Int(1)}, attr.Attribute{Name: "a", Value: a}),
			attr.Of(attr.Attribute{Name: "label", Value: attr.String("2")},
				attr.Attribute{Name: "n", Value: attr.Int(2)}, attr.Attribute{Name: "a", Value: b}),
		}
		c := attr.Compare(a, b)
		want := list("1", "2")
		if c > 0 {
			want = list("2", "1")
		}
		if got, err := sorted.Aggregate(rows); err != nil || !got.Get("labels").Equal(attr.Bytes(want)) {
			t.Fatalf("%v, %v: %d, SQLite %v, %v", a, b, c, got, err)
		}
		if a.Type == attr.Null || b.Type == attr.Null {
			return
		}
		low, high, n := 1, 1, 1
		switch {
		case c < 0:
			high, n = 2, 2
		case c > 0:
			low, n = 2, 2
		}
		if got, err := order.Aggregate(rows); err != nil || !got.Equal(row("low", low, "high", high, "n", n)) {
			t.Fatalf("%v, %v: %d, SQLite %v, %v", a, b, c, got, err)
		}
	})
}

// Row 48 of the hostile inputs: SUM saturates; what is no number does not count.
func TestHostile48Sum(t *testing.T) {
	f := compileTest(t, "SELECT SUM(n) AS sum, AVG(n) AS mean FROM children")
	for _, c := range []struct {
		values []any
		want   attr.Row
	}{
		{[]any{math.MaxInt64, math.MaxInt64}, row("sum", math.MaxInt64, "mean", float64(math.MaxInt64)/2)},
		{[]any{math.MinInt64, -1}, row("sum", math.MinInt64, "mean", float64(math.MinInt64)/2)},
		{[]any{math.MaxInt64, 1, -1}, row("sum", math.MaxInt64, "mean", float64(math.MaxInt64)/3)},
		{[]any{math.MaxFloat64, math.MaxFloat64}, row()},
		{[]any{1, "7", []byte("8"), nil, 2}, row("sum", 3, "mean", 1.5)},
		{[]any{1, 0.5}, row("sum", 1.5, "mean", 0.75)},
		{[]any{"7"}, row()},
	} {
		var rows []attr.Row
		for _, v := range c.values {
			rows = append(rows, row("n", v))
		}
		if got, err := f.Aggregate(rows); err != nil || !got.Equal(c.want) {
			t.Errorf("%v: %v, %v", c.values, got, err)
		}
	}
}

// Sums of Reals differ by order, so they are added in the order of labels.
func TestSumsInTheOrderOfLabels(t *testing.T) {
	f := compileTest(t, "SELECT SUM(n) AS sum FROM children")
	rows := []attr.Row{row("label", "a", "n", 1e100), row("label", "b", "n", 1.0), row("label", "c", "n", -1e100),
		row("label", "d", "n", 1.0)}
	for range 20 {
		if got, err := f.Aggregate(rows); err != nil || !got.Equal(row("sum", 1.0)) {
			t.Fatal(got, err)
		}
		shuffle(rows)
	}
}

// Too many rows, or too many instructions for them, are an error, and the function can be used after it.
func TestHostile45Bounds(t *testing.T) {
	f := compileTest(t, "SELECT COUNT(*) AS n FROM children")
	if got, err := f.Aggregate(make([]attr.Row, MaxRows)); err != nil || !got.Equal(row("n", MaxRows)) {
		t.Error(got, err)
	}
	expectLimit(t, f, make([]attr.Row, MaxRows+1))
	long := compileTest(t, hostileTexts["bits of numbers"].text(120))
	most := MaxSteps/long.compiled.length - 1
	if _, err := long.Aggregate(make([]attr.Row, most)); err != nil {
		t.Error(err)
	}
	expectLimit(t, long, make([]attr.Row, most+1))
	read := compileTest(t, "SELECT COUNT(a||'') AS n FROM children")
	full := rowsOf(MaxRows, 4096)
	if _, err := read.Aggregate(full); err != nil {
		t.Error(err)
	}
	expectLimit(t, compileTest(t, "SELECT COUNT(a||b) + COUNT(b||a) AS n FROM children"), full)
	if got, err := read.Aggregate(full[:1]); err != nil || !got.Equal(row("n", 1)) {
		t.Error(got, err)
	}
}

func expectLimit(t *testing.T, f *Function, rows []attr.Row) {
	t.Helper()
	if got, err := f.Aggregate(rows); !errors.Is(err, ErrLimit) {
		t.Error(got, err)
	}
}
