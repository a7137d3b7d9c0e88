package version

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// A report that nobody else could confirm, and that proves true later, does not count as false.
func TestConfirmedReportIsNotFalse(t *testing.T) {
	var l falseReporters
	honest, falseReporter := engine.ID{1}, engine.ID{2}
	for i := range maxFalseReports {
		l.count(honest, Hash{byte(i)}, time.Hour)
		l.count(falseReporter, Hash{9, byte(i)}, time.Hour)
	}
	if !l.known(honest, time.Hour) || !l.known(falseReporter, time.Hour) {
		t.Fatal("a finder of contents that nobody sees is checked for ever")
	}
	l.acquit(Hash{1})
	if l.known(honest, time.Hour) || !l.known(falseReporter, time.Hour) {
		t.Error("the wrong node is known for false reports")
	}
	if !l.repeats(honest, Hash{maxFalseReports - 1}, time.Hour, time.Minute) ||
		l.repeats(honest, Hash{1}, time.Hour, time.Minute) {
		t.Error("a repetition is not recognized")
	}
	for i := range maxFalseReports {
		l.acquit(Hash{byte(i)})
	}
	if len(l.list) != 1 {
		t.Errorf("%+v is left", l.list)
	}
	for i := range 10 * maxFalseReports {
		l.count(falseReporter, Hash{3, byte(i)}, time.Hour)
	}
	if n := len(l.list[0].found); n != maxFalseReports {
		t.Errorf("%d contents are remembered of one node", n)
	}
}
