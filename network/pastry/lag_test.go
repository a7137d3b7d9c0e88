package pastry

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Whatever the answers, the lag stays within its bounds, and one node alone does not raise it above alone.
func TestLagStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
		var l lag
		for range rapid.IntRange(1, 50).Draw(t, "answers") {
			of := engine.ID{byte(rapid.IntRange(1, nodes).Draw(t, "of"))}
			before, over := l.by, time.Duration(rapid.Int64Range(-int64(maxLag), int64(10*maxLag)).Draw(t, "over"))
			l.note(of, over, true)
			if over > before && l.by < before || over <= before && l.by > before {
				t.Fatalf("an answer that was late by %v changed %v to %v", over, before, l.by)
			}
		}
		most := maxLag
		if nodes == 1 {
			most = alone
		}
		if l.by < 0 || l.by > most {
			t.Fatalf("a lag of %v by %d nodes", l.by, nodes)
		}
	})
}

// If two nodes are late by the same time, then after enough answers every peer is waited for as long.
func TestTwoLateNodesAreBelieved(t *testing.T) {
	t.Parallel()
	var l lag
	for i := range 40 {
		l.note(engine.ID{byte(1 + i%2)}, 2*time.Second, true)
	}
	if l.by < 1900*time.Millisecond {
		t.Errorf("after 40 answers that are late by 2 s the lag is %v", l.by)
	}
}

// In a ring of two no third node can confirm that the other is busy: it is believed after several answers, and one late
// answer alone raises the lag by no more than a single node can.
func TestTheOnlyOtherNodeIsBelieved(t *testing.T) {
	t.Parallel()
	var l lag
	other := engine.ID{1}
	if l.note(other, maxLag, false); l.by > alone {
		t.Errorf("after one answer that is late by %v the lag is %v; want %v at most", maxLag, l.by, alone)
	}
	for range 40 {
		l.note(other, 2*time.Second, false)
	}
	if l.by < 1900*time.Millisecond {
		t.Errorf("after 40 answers of the only other node that are late by 2 s the lag is %v; want almost that", l.by)
	}
	for range 40 {
		l.note(engine.ID{2}, -time.Second, true)
	}
	for range 40 {
		l.note(other, 2*time.Second, true)
	}
	if l.by > alone {
		t.Errorf("where others could confirm it, one late node raises the lag to %v; want %v at most", l.by, alone)
	}
}
