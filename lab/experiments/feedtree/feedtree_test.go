package feedtree

import (
	"slices"
	"testing"
	"time"

	"tidings/lab"
	"tidings/lab/dataset"
	"tidings/lab/labtest"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/scribe"
)

// direct is a tree whose publishers also send all that they publish to each other node.
type direct struct {
	*scribe.Node
	by *forestNode
}

func (d direct) Publish(topic engine.ID, event engine.Message) {
	d.Node.Publish(topic, event)
	for _, n := range d.by.forest.nodes {
		if n != d.by {
			d.by.env.Send(n.env.Self(), &scribe.Disseminate{Line: 1, Number: 1, Key: topic,
				Event: scribe.Event{Topic: topic, Stream: 1, Number: 1, Payload: event}})
		}
	}
}

// What publishers send because they publish is about the same with 10 and with 80 readers. It is not if they send
// everything to each reader.
func TestPublishersLoad(t *testing.T) {
	for _, test := range []struct {
		name string
		tree func(n *forestNode) feedtree.Tree // nil: Scribe
		ok   bool
	}{
		{"scribe", nil, true},
		{"direct", func(n *forestNode) feedtree.Tree { return direct{n.scribe, n} }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := Experiment
			e.Tiny = sizes{Nodes: []int{10, 80}, Items: 2}
			e.Run = func(run *lab.Run, s sizes) error {
				r := &results{feeds: recordedFeeds()}
				for _, n := range s.Nodes {
					f := newForest(run, len(r.feeds))
					if test.tree != nil {
						f.tree = test.tree
					}
					r.pushed = append(r.pushed, f.push(n, s.Items, r.feeds))
				}
				figures(s).Give(run, r)
				return nil
			}
			result := labtest.Try(t, e, 2)
			i := slices.IndexFunc(result.Figures, func(f lab.Figure) bool { return f.Name == ownRatio })
			if f := result.Figures[i]; f.OK != test.ok {
				t.Errorf("publishers send %v times as much, and that is as expected: %v", f.Here, f.OK)
			}
		})
	}
}

// A feed's changes cost a reader its document once for each time between two polls in which it changed, and an answer's
// head at every poll.
func TestPolled(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(minutes, bytes int) dataset.Update {
		return dataset.Update{Time: start.Add(time.Duration(minutes) * time.Minute), Bytes: bytes, Added: 100,
			Changed: true, NewItems: 1}
	}
	updates := []dataset.Update{at(0, 1), at(10, 5000), at(20, 6000), at(95, 7000), at(24*60, 1)}
	// At 25 minutes the third state is there, at 115 the fourth. The state at 10 minutes was seen by no reader.
	want := float64(48*aboutAnswer + 6000 + 7000)
	if got := polled(updates, 25*time.Minute); got != want {
		t.Errorf("a reader is sent %v bytes, not %v", got, want)
	}
	// At phase 15 the second and the third are seen both.
	want += 5000
	if got := polled(updates, 15*time.Minute); got != want {
		t.Errorf("a reader is sent %v bytes, not %v", got, want)
	}
}

// What a state has brought is shared among its items; where only old ones have changed, it is one.
func TestNewRecorded(t *testing.T) {
	start := time.Unix(0, 0)
	f := newRecorded("feed", []dataset.Update{
		{Time: start, Bytes: 1000, Added: 900, NewItems: 9, Changed: true}, // there before
		{Time: start.Add(time.Hour), Added: 600, NewItems: 3, Changed: true},
		{Time: start.Add(2 * time.Hour), Added: 50},
		{Time: start.Add(12 * time.Hour), Added: 80, Changed: true},
	})
	if len(f.items) != 4 || f.items[0] != 200+aboutItem || f.items[3] != 80+aboutItem || f.perDay != 8 {
		t.Errorf("%v, %v a day", f.items, f.perDay)
	}
}
