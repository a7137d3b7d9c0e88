package node

import (
	"log/slog"
	"testing"
)

// The tracer observes, and nothing else. A node without an observer has no tracer. Most nodes in these tests are such,
// so what they show works without. (That protocols in the simulator run the same with and without observers:
// network/sim: TestObserversHaveNoEffect.)
func TestNobodyTraces(t *testing.T) {
	quiet := Default()
	quiet.Data, quiet.Logger = t.TempDir(), slog.New(slog.DiscardHandler)
	n, err := New(quiet)
	if err != nil {
		t.Fatal(err)
	}
	if n.tracer() != nil {
		t.Error("a node has a tracer that nobody wants")
	}
	told := 0
	n.config.Trace = func(any) { told++ }
	n.tracer()("an event")
	n.log = slog.New(slog.NewTextHandler(nowhere{}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	n.tracer()("another")
	n.config.Trace = nil
	n.tracer()("for the log alone")
	if told != 2 {
		t.Errorf("%d of 2 events were told", told)
	}
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
