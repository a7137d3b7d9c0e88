package livenet

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/dataset"
)

// A node's lists have each of its channels once, in order, within the time that they are given.
func TestSubscribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		channels := rapid.SliceOf(rapid.IntRange(0, 1000)).Draw(t, "channels")
		at := time.Duration(rapid.IntRange(0, 60).Draw(t, "at")) * time.Second
		within := time.Duration(rapid.IntRange(0, 60).Draw(t, "within")) * time.Second
		var all []int
		last := at
		for _, e := range (&Workload{}).Subscribe(3, channels, at, within) {
			if e.Do != Subscribe || e.Node != 3 || e.At < last || e.At > at+within || len(e.Channels) == 0 {
				t.Fatalf("%+v", e)
			}
			last, all = e.At, append(all, e.Channels...)
		}
		if !slices.Equal(all, channels) {
			t.Fatalf("%v, want %v", all, channels)
		}
	})
}

// testWork is a workload in which all is well.
func testWork() Workload {
	return Workload{
		Processes: 1, Nodes: 2, Joining: 1, Interval: time.Second, Speed: 1,
		Channels: []Channel{
			{Name: "a", History: dataset.History{Snapshots: make([]dataset.Snapshot, 1)}, Readers: []int{0, 3}},
			{Name: "b", Kind: Edited},
			{Name: "c", Kind: Published, Publisher: 2, Readers: []int{0}},
			{Name: "d", Kind: Sent, Zone: "/eu"},
			{Name: "e", Kind: Selected, Query: "urgency < 3"},
		},
	}
}

func TestValidate(t *testing.T) {
	w := testWork()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	if follows := w.Follows(0); !slices.Equal(follows, []int{0, 2}) {
		t.Errorf("node 0 follows %v", follows)
	}
	for name, spoil := range map[string]func(*Workload){
		"no nodes":                     func(w *Workload) { w.Nodes = 0 },
		"too many hosts":               func(w *Workload) { w.Hosts = maxHosts + 1 },
		"no interval":                  func(w *Workload) { w.Interval = 0 },
		"no time for histories":        func(w *Workload) { w.Speed = 0 },
		"no history":                   func(w *Workload) { w.Channels[0].History.Snapshots = nil },
		"no name":                      func(w *Workload) { w.Channels[1].Name = "" },
		"one name twice":               func(w *Workload) { w.Channels[1].Name = "a" },
		"a reader that is not there":   func(w *Workload) { w.Channels[1].Readers = []int{4} },
		"a publisher that joins later": func(w *Workload) { w.Channels[2].Publisher = 3 },
		"a zone without a path":        func(w *Workload) { w.Channels[3].Zone = "" },
		"a query without a text":       func(w *Workload) { w.Channels[4].Query = "" },
	} {
		w := testWork()
		spoil(&w)
		if w.Validate() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

func TestEventsThatCannotBe(t *testing.T) {
	w := testWork()
	good := []Event{
		{Do: Subscribe, Node: 1, Channels: []int{0, 1, 2}}, {At: 1, Do: Unsubscribe, Node: 1, Channels: []int{0}},
		{Do: Kill, Node: 0}, {At: 1, Do: Start, Node: 0}, {Do: Start, Node: 3}, {Do: Stop, Node: 2},
		{Do: Edit, Node: Origin, Channels: []int{1}},
		{Do: Send, Node: 1, At: 1, Channels: []int{3}},
		{Do: Edit, Node: 2, Channels: []int{1, 2}}, {Do: Publish, Node: 2, Channels: []int{2}},
	}
	if err := w.check(Phase{Events: good}); err != nil {
		t.Fatal(err)
	}
	const backInTime = "going back in time"
	for name, e := range map[string]Event{
		"a node that is not there":            {Do: Start, Node: 4},
		"a channel that is not there":         {Do: Subscribe, Channels: []int{5}},
		"editing what is sent":                {Do: Edit, Node: Origin, Channels: []int{3}},
		"editing a query":                     {Do: Edit, Node: Origin, Channels: []int{4}},
		"sending to a feed":                   {Do: Send, Node: 1, Channels: []int{1}},
		"no node":                             {Do: Subscribe, Node: Origin, Channels: []int{0}},
		"killing a node of this process":      {Do: Kill, Node: 1},
		"editing what is recorded":            {Do: Edit, Node: Origin, Channels: []int{0}},
		"editing what is published elsewhere": {Do: Edit, Node: Origin, Channels: []int{2}},
		"publishing what is edited alone":     {Do: Publish, Node: 2, Channels: []int{1}},
		"publishing with another's key":       {Do: Publish, Node: 1, Channels: []int{2}},
		backInTime:                            {Do: Start, Node: 0},
	} {
		if name != backInTime {
			e.At = time.Hour
		}
		if w.check(Phase{Events: append(slices.Clone(good), e)}) == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}
