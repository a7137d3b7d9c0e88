package sql

import (
	"errors"
	"testing"

	"zombiezen.com/go/sqlite"
)

// The table is scanned once even if a program should try again.
func TestHostile45SecondScan(t *testing.T) {
	table, err := newTable("a")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		table.give(nil)
		if err := table.Filter(sqlite.IndexID{}, nil); err != nil {
			t.Error(err)
		}
		if err := table.Filter(sqlite.IndexID{}, nil); !errors.Is(err, ErrRefused) || table.failure == nil {
			t.Error(err)
		}
	}
}

// Refused texts that are sent again and again do not make the node grow; nor do functions that were closed.
func TestHostile45RefusedTextsLeaveNothing(t *testing.T) {
	before := 0
	for i := range 1500 {
		if i == 500 { // warm
			before = resident(t)
		}
		for _, text := range []string{"SELECT random() AS a", "SELECT 1 AS a; SELECT 2", "SELECT MIN(a) FROM children",
			"SELECT 1 +", "SELECT a FROM x"} {
			if _, err := Compile(text); err == nil {
				t.Fatal(text)
			}
		}
		f, err := Compile("SELECT MIN(a) AS a FROM children")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if grown := resident(t) - before; grown > 16<<20 {
		t.Errorf("grew by %d KiB", grown>>10)
	}
}

// An open function uses little, so a node can keep many.
func TestMemoryOfAFunction(t *testing.T) {
	const n = 500
	before := resident(t)
	for range n {
		if _, err := compileTest(t,
			"SELECT MIN(a) AS a, SUM(b) AS b FROM children WHERE c > 1").Aggregate(children); err != nil {
			t.Fatal(err)
		}
	}
	each := (resident(t) - before) / n
	t.Logf("%d KiB each", each>>10)
	if each > 256<<10 {
		t.Errorf("%d bytes each", each)
	}
}
