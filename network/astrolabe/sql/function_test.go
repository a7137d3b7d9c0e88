package sql

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tidings/network/astrolabe/attr"
)

// row returns a row of names and values in turn.
func row(pairs ...any) attr.Row {
	var all []attr.Attribute
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, attr.Attribute{Name: pairs[i].(string), Value: value(pairs[i+1])})
	}
	return attr.Of(all...)
}

func value(of any) attr.Value {
	switch v := of.(type) {
	case int:
		return attr.Int(int64(v))
	case float64:
		return attr.Float(v)
	case string:
		return attr.String(v)
	case []byte:
		return attr.Bytes(v)
	}
	return attr.Value{}
}

func list(items ...string) []byte {
	var l []byte
	for _, item := range items {
		l = attr.AppendList(l, []byte(item))
	}
	return l
}

func compileTest(t testing.TB, text string) *Function {
	t.Helper()
	f, err := Compile(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	t.Cleanup(f.Close)
	return f
}

var children = []attr.Row{
	row("label", "a", "members", 3, "load", 0.5, "filter", []byte{1}, "rep", "ann", "up", 10),
	row("label", "b", "members", 1, "load", 0.25, "filter", []byte{2, 0x80}, "rep", "bob"),
	row("label", "c", "members", 2, "load", 0.25, "rep", "cid", "up", 7),
	row("label", "d"),
}

func TestAggregate(t *testing.T) {
	for text, want := range map[string]attr.Row{
		`SELECT SUM(members) AS members, MIN(load) AS load, BITOR(filter) AS filter,
		 FIRST(3, rep ORDER BY load, up DESC) AS reps FROM children`: row("members", 6, "load", 0.25, "filter", []byte{3, 0x80}, "reps", list("cid", "bob", "ann")),
		"SELECT FIRST(1, rep ORDER BY load DESC) AS rep FROM children": row(
			"rep", "ann"),
		"SELECT FIRST(1, rep) AS r, FIRST(16, rep) AS s FROM children WHERE label > 'a'": row(
			"r", "bob", "s", list("bob", "cid")),
		"SELECT FIRST(2, up ORDER BY up) AS up, FIRST(1, up) AS one FROM children": row(
			"up", list("7", "10"), "one", 10),
		"SELECT FIRST(2, nobody) AS x, SUM(nobody) AS y, BITOR(nobody) AS z FROM children": row(),
		"SELECT AVG(members) AS mean, COUNT(*) AS n, COUNT(load) AS l FROM children": row(
			"mean", 2.0, "n", 4, "l", 3),
		"SELECT SUM(members) AS m FROM children WHERE load > 7": row(),
		"SELECT label FROM children WHERE load > 7":             row(),
		"SELECT label, MAX(up) AS up FROM children": row(
			"label", "a", "up", 10),
		"SELECT label FROM children ORDER BY load IS NULL, load, up DESC LIMIT 1": row(
			"label", "c"),
		"SELECT SUM(members) FILTER (WHERE load < 0.3) AS m FROM children;  \n": row(
			"m", 3),
		"SELECT COUNT(DISTINCT load) AS n, SUM(members * load) AS s FROM children -- end": row("n", 2, "s", 2.25),
		"SELECT 1 AS one, NULL AS none": row(
			"one", 1),
		"SELECT BIT(BITOR(filter), 15) AS high, BIT(5, 1) AS low FROM children": row(
			"high", 1, "low", 0),
		"SELECT BIT(NULL, 1) AS a, BIT(x'ff', 8) AS b, BIT(x'ff', -1) AS c, BIT('a', 0) AS d, BIT(1, 'a') AS e": row(
			"b", 0, "c", 0),
		"SELECT SUM(load) AS load, 'load' AS name FROM children HAVING load IS NULL":      row(),
		`SELECT SUM("load") AS [sum], MIN(LOAD) AS "min" FROM Children AS c WHERE c.load`: row("sum", 1.0, "min", 0.25),
	} {
		f := compileTest(t, text)
		for range 3 { // in any order, and more than once
			got, err := f.Aggregate(children)
			if err != nil || !got.Equal(want) {
				t.Errorf("%s:\n got %v, %v\nwant %v", text, got, err, want)
			}
			shuffle(children)
		}
	}
}

func shuffle(rows []attr.Row) {
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

func TestColumnsAndReads(t *testing.T) {
	f := compileTest(t, "SELECT MIN(load) AS low, COUNT(*) AS n FROM children WHERE premium OR load > 2 ORDER BY "+
		"up LIMIT 1")
	if got := fmt.Sprint(f.Columns(), f.Reads()); got != "[low n] [load premium up]" {
		t.Error(got)
	}
	p, err := CompilePredicate("a > 1 OR BIT(b, 3)")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := fmt.Sprint(p.Reads()); got != "[a b]" {
		t.Error(got)
	}
}

func TestHolds(t *testing.T) {
	premium := row("premium", 1, "load", 0.5, "filter", []byte{4}, "name", "x", "zero", 0.0)
	for text, want := range map[string]bool{
		"premium = 1 AND load < 0.8":            true,
		"premium = 1 AND load < 0.5":            false,
		"missing":                               false,
		"NOT missing":                           false,
		"missing IS NULL":                       true,
		"BIT(filter, 2) AND NOT BIT(filter, 3)": true,
		"BIT(filter, 1)":                        false,
		"name IN ('x', 'y') /* comment":         true,
		"name":                                  false,
		"load":                                  true,
		"zero":                                  false,
		"premium = '1'":                         false,
		"premium -- and no more":                true,
		"CASE WHEN load > 0.4 THEN 'a' = 'a' END": true,
	} {
		p, err := CompilePredicate(text)
		if err != nil {
			if strings.Contains(text, "/*") {
				continue // SQLite wants the comment's end
			}
			t.Fatal(text, err)
		}
		for range 2 {
			if got, err := p.Holds(premium); got != want || err != nil {
				t.Errorf("%s: %v, %v", text, got, err)
			}
		}
		if got, err := p.Holds(nil); err != nil || got && text != "missing IS NULL" {
			t.Errorf("%s of an empty row: %v, %v", text, got, err)
		}
		p.Close()
	}
}

// After an error a function gives the right results again.
func TestUsableAfterErrors(t *testing.T) {
	f := compileTest(t, "SELECT ABS(SUM(a)) AS a, FIRST(n, a) AS first FROM children")
	for range 3 {
		for _, bad := range [][]attr.Row{
			{row("a", math.MinInt64, "n", 1)},
			{row("a", 1, "n", 1), row("a", 1, "n", 2)},
			{row("a", 1, "n", 17)},
			{row("a", 1, "n", 0)},
			{row("a", 1)},
		} {
			if got, err := f.Aggregate(bad); !errors.Is(err, ErrValue) {
				t.Errorf("%v: %v, %v", bad, got, err)
			}
		}
		if got, err := f.Aggregate([]attr.Row{row("a", -5, "n", 1)}); err != nil ||
			!got.Equal(row("a", 5, "first", -5)) {
			t.Error(got, err)
		}
	}
}

func TestResultsThatAreNoRows(t *testing.T) {
	big := row("v", strings.Repeat("x", attr.MaxValue), "i", []byte{0xff})
	for _, text := range []string{
		"SELECT v FROM children",
		"SELECT v||v AS v FROM children LIMIT 1",
		"SELECT FIRST(2, v) AS v FROM children",
		"SELECT FIRST(1, v) AS a, FIRST(1, v) AS b, FIRST(1, i) AS c FROM children",
		"SELECT i||'' AS t FROM children LIMIT 1",
	} {
		got, err := compileTest(t, text).Aggregate([]attr.Row{big, big})
		if !errors.Is(err, ErrResult) {
			t.Errorf("%s: %d bytes, %v", text, got.Size(), err)
		}
	}
	for _, text := range []string{
		"SELECT a AS Big FROM children", "SELECT a AS x, b AS x FROM children", "SELECT MIN(a) FROM children",
		"SELECT a AS '' FROM children",
	} {
		if _, err := Compile(text); !errors.Is(err, ErrResult) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
