package sql

import (
	"fmt"
	"slices"
	"testing"

	"tidings/network/astrolabe/attr"
)

func BenchmarkAggregate(b *testing.B) {
	f := compileTest(b, `SELECT SUM(members) AS members, MIN(load) AS load, BITOR(filter) AS filter,
		FIRST(3, rep ORDER BY load, up DESC) AS reps FROM children`)
	var rows []attr.Row
	for i := range 64 {
		rows = append(rows, row("label", fmt.Sprintf("node%02d", i), "members", 1, "load", float64(i*37%64)/64,
			"filter", slices.Repeat([]byte{byte(i)}, 128), "rep", "203.0.113.7:4711", "up", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Aggregate(rows); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	p, err := CompilePredicate("premium = 1 AND load < 0.8 AND BIT(filter, 77)")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	child := row("premium", 1, "load", 0.5, "filter", slices.Repeat([]byte{0xff}, 128))
	b.ReportAllocs()
	for b.Loop() {
		if holds, err := p.Holds(child); !holds || err != nil {
			b.Fatal(holds, err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := CompilePredicate("premium = 1 AND load < 0.8")
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
