package table

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// A report that nobody else could confirm, and that proves true later, does not count as false.
func TestConfirmedReportIsNotFalse(t *testing.T) {
	var l Offenders
	honest, falseReporter := engine.ID{1}, engine.ID{2}
	for i := range MaxOffences {
		l.Count(honest, [32]byte{byte(i)}, time.Hour)
		l.Count(falseReporter, [32]byte{9, byte(i)}, time.Hour)
	}
	if !l.Known(honest, time.Hour) || !l.Known(falseReporter, time.Hour) {
		t.Fatal("a finder of contents that nobody sees is checked for ever")
	}
	l.Acquit([32]byte{1})
	if l.Known(honest, time.Hour) || !l.Known(falseReporter, time.Hour) {
		t.Error("the wrong node is known for false reports")
	}
	if !l.Repeats(honest, [32]byte{MaxOffences - 1}, time.Hour, time.Minute) ||
		l.Repeats(honest, [32]byte{1}, time.Hour, time.Minute) {
		t.Error("a repetition is not recognized")
	}
	for i := range MaxOffences {
		l.Acquit([32]byte{byte(i)})
	}
	if len(l.list) != 1 {
		t.Errorf("%+v is left", l.list)
	}
	for i := range 10 * MaxOffences {
		l.Count(falseReporter, [32]byte{3, byte(i)}, time.Hour)
	}
	if n := len(l.list[0].found); n != MaxOffences {
		t.Errorf("%d contents are remembered of one node", n)
	}
}

// Lies are counted for a day, and of a bounded number of nodes.
func TestFalseReportsAreBounded(t *testing.T) {
	var l Offenders
	a := engine.PrefixID("a0")
	for range MaxOffences - 1 {
		l.Add(a, time.Hour)
	}
	if l.Known(a, time.Hour) {
		t.Error("it is known too early")
	}
	if times := l.Add(a, 2*time.Hour); times != MaxOffences || !l.Known(a, 3*time.Hour) {
		t.Errorf("after %d lies it is not known", times)
	}
	if l.Known(a, 2*time.Hour+OffenceAge) {
		t.Error("it is known for too long")
	}
	if times := l.Add(a, 3*OffenceAge); times != 1 {
		t.Errorf("old lies count: %d", times)
	}
	for i := range 2 * maxOffenders {
		l.Add(engine.IDOf([]byte{byte(i), byte(i >> 8)}), 3*OffenceAge)
	}
	if len(l.list) != maxOffenders {
		t.Errorf("%d nodes are remembered", len(l.list))
	}
}

func TestAllowance(t *testing.T) {
	var b Allowance
	spent := 0
	for at := time.Duration(0); at < 10*time.Minute; at += time.Second {
		if b.Spend(at, time.Minute, 3) {
			spent++
		}
	}
	if spent != 30 {
		t.Errorf("%d were counted in ten periods of three", spent)
	}
}
