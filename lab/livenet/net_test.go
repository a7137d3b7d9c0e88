package livenet

import (
	"testing"
	"time"

	"tidings/lab/process/processtest"
	"tidings/network"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// Nodes follow a channel that is polled and one that is pushed, leave, come back and join, and a publisher is killed.
// Each node reports everything once, and nothing that it does not follow.
func TestNodesComeAndGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole nodes for half a minute")
	}
	const polled, pushed = 0, 1
	w := Workload{
		Seed: 1, Processes: 1, Nodes: 3, Joining: 1, Interval: time.Second, Router: network.Scribe,
		Channels: []Channel{
			{Name: "polled", Kind: Edited, Readers: []int{1, 2, 3}},
			{Name: "pushed", Kind: Published, Readers: []int{1, 2}, Watched: true},
		},
	}
	net, err := Launch(t.Context(), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	}()
	both := []int{polled, pushed}
	play := func(p Phase) {
		t.Helper()
		if err := net.Play(p); err != nil {
			t.Fatal(err)
		}
	}
	play(Phase{Events: w.Begin(0), Await: true})
	if err := net.AwaitPushed(); err != nil {
		t.Fatal(err)
	}
	edit := []Event{
		{Do: Edit, Node: Origin, Channels: both[:1]},
		{Do: Edit, Channels: both[1:]}, {Do: Publish, Channels: both[1:], Bytes: 1000},
	}
	play(Phase{Events: edit, Await: true})
	play(Phase{Events: []Event{{Do: Unsubscribe, Node: 3, Channels: both[:1]}, {Do: Stop, Node: 2},
		{Do: Kill, Node: 0}}})
	play(Phase{Events: edit[:2]})
	come := []Event{
		{Do: Start, Node: 0}, {Do: Start, Node: 2}, {Do: Start, Node: 4}, {Do: Subscribe, Node: 4, Channels: both},
	}
	play(Phase{Events: come, Await: true})
	if err := net.AwaitPushed(); err != nil {
		t.Fatal(err)
	}
	play(Phase{Events: edit, Await: true})

	tally := net.Tally(Rules{First: true})
	// Of the polled channel, nodes 1, 2 and 4 must report three old stories and three edits each, node 3 the old ones
	// and one edit. Of the pushed one, nodes 1, 2 and 4 must report three old stories, three edits and two entries
	// each. What was made while a node was there is due at once: node 1 all of it, node 2 six, node 3 one edit, node 4
	// the last three.
	if tally.Due != 3*6+4+3*8 || len(tally.Latencies) != 8+6+1+3 {
		t.Errorf("%d were due, %d at once", tally.Due, len(tally.Latencies))
	}
	if tally.Lost > 0 || tally.Twice > 0 || tally.Noise > 0 {
		t.Errorf("%+v", tally)
	}
	if items, gaps, err := net.AwaitNumbers(pushed, Patience); err != nil || items != 8 || gaps > 0 {
		t.Errorf("%d items were published, %d subscribers lack some: %v", items, gaps, err)
	}
	if f := net.Failures(); f.Count > 0 {
		t.Errorf("nodes logged %d errors: %s", f.Count, f.First)
	}
}
