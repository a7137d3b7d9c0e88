package check

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// quiet is a protocol that does nothing.
type quiet struct{}

func (quiet) Receive(engine.Peer, engine.Message) {}

func (quiet) PeerDown(engine.Peer) {}

func (quiet) Stop() {}

// quietWorld returns a world of nodes with the given IDs that do nothing.
func quietWorld(ids ...engine.ID) *sim.World {
	w := sim.New(sim.Default(engine.NewCodec(vocabulary)))
	for _, id := range ids {
		w.Boot(w.Add(id, func(engine.Env, *sim.Disk) engine.Protocol { return quiet{} }))
	}
	return w
}

// step is an event a second after the one before it.
type step struct {
	node  sim.Node
	event Event
}

// after reports some steps to the checker, finishes, and returns what it found.
func after(w *sim.World, c Checker, steps ...step) string {
	watch := All(w, nil, c)
	for _, s := range steps {
		w.Run(time.Second)
		watch.Report(s.node, s.event)
	}
	var v *Violation
	if !errors.As(watch.Finish(), &v) {
		return ""
	}
	return v.What
}

var (
	one, two = engine.IDOf([]byte("1")), engine.IDOf([]byte("2"))
	wants    = Subscribed{topic}
	first    = Published{topic, 1, one}
	second   = Published{topic, 2, two}
)

func TestSequences(t *testing.T) {
	const nobody = sim.Node(-1)
	for _, c := range []struct {
		name    string
		checker Checker
		steps   []step
		want    string // what the violation begins with; empty: none
	}{
		{"a node that forgot may be notified again", &Once{}, []step{
			{1, Delivered(first)}, {0, Delivered(first)}, {1, Forgot{}}, {1, Delivered(first)}}, ""},
		{"another's forgetting is none", &Once{}, []step{
			{1, Delivered(first)}, {0, Forgot{}}, {1, Delivered(first)}},
			"version 1 (356a192b) is delivered a second time"},
		{"equal content without versions", &Once{}, []step{
			{1, Delivered{topic, 0, one}}, {1, Delivered{topic, 0, two}}, {1, Delivered{topic, 0, one}}},
			"version 0 (356a192b) is delivered a second time"},
		{"content that comes back", &Once{}, []step{
			{1, Delivered{topic, 1, one}}, {1, Delivered{topic, 2, two}}, {1, Delivered{topic, 3, one}}}, ""},

		{"versions of two topics", &Increasing{}, []step{
			{1, Delivered(second)}, {1, Delivered{one, 1, one}}, {0, Delivered(first)}}, ""},
		{"versions after forgetting", &Increasing{}, []step{
			{1, Delivered(second)}, {1, Forgot{}}, {1, Delivered(first)}}, ""},
		{"no versions", &Increasing{}, []step{{1, Delivered{topic, 0, one}}, {1, Delivered{topic, 0, two}}}, ""},
		{"an older version", &Increasing{}, []step{{1, Delivered(second)}, {1, Delivered(first)}},
			"version 1 is delivered after version 2"},
		{"and one between", &Increasing{}, []step{
			{1, Delivered{topic, 5, one}}, {1, Delivered{topic, 6, one}}, {1, Delivered{topic, 6, two}}},
			"version 6 is delivered after version 6"},

		{"a number given twice", &OneContent{}, []step{
			{0, first}, {1, Published{topic, 1, two}}}, "version 1 has two contents"},
		{"a number given again", &OneContent{}, []step{{0, first}, {1, first}, {1, Published{one, 1, two}}}, ""},
		{"no number", &OneContent{}, []step{{0, Published{topic, 0, one}}, {0, Published{topic, 0, two}}}, ""},

		{"content served later", &Genuine{}, []step{
			{1, Delivered(first)}, {nobody, Served{topic, one}}}, "the origin never served version 1"},
		{"content of another topic", &Genuine{}, []step{
			{nobody, Served{two, one}}, {1, Delivered(first)}}, "the origin never served version 1"},
		{"content served before", &Genuine{}, []step{
			{nobody, Served{topic, one}}, {nobody, Served{topic, two}}, {1, Delivered(first)}}, ""},

		{"a node that subscribed late", &Latest{}, []step{{0, first}, {1, wants}}, ""},
		{"a node that subscribed late and is owed it", &Latest{Late: true}, []step{{0, first}, {1, wants}},
			"the subscriber has version 0, and not 1"},
		{"a node that no longer subscribes", &Latest{}, []step{{1, wants}, {1, Unsubscribed{topic}}, {0, first}}, ""},
		{"a node that subscribes again", &Latest{}, []step{
			{1, wants}, {1, Unsubscribed{topic}}, {1, wants}, {0, first}}, "the subscriber has version 0, and not 1"},
		{"a node that forgot its subscription", &Latest{Late: true}, []step{{1, wants}, {1, Forgot{}}, {0, first}}, ""},
		{"a node that forgot what it had", &Latest{Late: true}, []step{
			{1, wants}, {0, first}, {1, Delivered(first)}, {1, Forgot{}}, {1, wants}},
			"the subscriber has version 0, and not 1"},
		{"a node that skipped one", &Latest{}, []step{{1, wants}, {0, first}, {0, second}, {1, Delivered(second)}}, ""},
		{"two publishers, out of order", &Latest{}, []step{
			{1, wants}, {0, second}, {0, first}, {1, Delivered(first)}}, "the subscriber has version 1, and not 2"},

		{"a node that skipped one and is owed all", &Complete{}, []step{
			{1, wants}, {0, first}, {0, second}, {1, Delivered(second)}},
			"version 1 (356a192b), published at 2s, is missing; of 2 deliveries 1 happened"},
		{"half are enough", &Complete{AtLeast: 0.5},
			[]step{{1, wants}, {0, first}, {0, second}, {1, Delivered(second)}}, ""},
		{"half are too few", &Complete{AtLeast: 0.6}, []step{
			{1, wants}, {0, first}, {0, second}, {1, Delivered(second)}},
			"version 1 (356a192b), published at 2s, is missing"},
		{"published before", &Complete{}, []step{{0, first}, {1, wants}}, ""},

		{"published while it joins", &Complete{Grace: 2 * time.Second}, []step{{1, wants}, {0, first}}, ""},
		{"published when it has been", &Complete{Grace: time.Second}, []step{{1, wants}, {0, first}},
			"version 1 (356a192b), published at 2s, is missing"},

		{"delivered to a subscriber", &Wanted{}, []step{{1, wants}, {1, Delivered(first)}}, ""},
		{"delivered to nobody's wish", &Wanted{}, []step{{1, wants}, {0, Delivered(first)}},
			"version 1 (356a192b) is delivered to a node that does not subscribe"},
		{"delivered after farewell", &Wanted{}, []step{{1, wants}, {1, Unsubscribed{topic}}, {1, Delivered(first)}},
			"version 1 (356a192b) is delivered to a node"},

		{"published again", &Latest{}, []step{{0, first}, {1, wants}, {0, first}}, ""},
		{"a stranger's farewell", &Latest{}, []step{{1, wants}, {0, Unsubscribed{topic}}, {0, first}},
			"the subscriber has version 0, and not 1"},

		{"an update under way", &Noiseless{Grace: 2 * time.Second}, []step{
			{1, wants}, {1, Unsubscribed{topic}}, {1, Carried{topic, 1}}, {1, Carried{topic, 1}}}, ""},
		{"an update long after", &Noiseless{Grace: 2 * time.Second}, []step{
			{1, wants}, {1, Unsubscribed{topic}}, {1, Carried{topic, 1}}, {1, Carried{topic, 1}},
			{1, Carried{topic, 3}}}, "version 3 reached a node that does not subscribe"},
		{"another topic", &Noiseless{}, []step{{1, wants}, {1, Carried{one, 1}}}, "version 1 reached"},
		{"an owner", &Noiseless{Except: func(n sim.Node, _ engine.ID) bool { return n == 1 }},
			[]step{{1, Carried{topic, 1}}}, ""},
		{"no owner", &Noiseless{Except: func(n sim.Node, _ engine.ID) bool { return n == 1 }},
			[]step{{0, Carried{topic, 1}}}, "version 1 reached"},

		{"polls of all", &PollLimit{Window: 3 * time.Second, All: 2}, []step{
			{0, Polled{one}}, {1, Polled{two}}, {0, wants}, {1, Polled{topic}}, {0, Polled{one}}}, ""},
		{"too many polls of all", &PollLimit{Window: 3 * time.Second, All: 2}, []step{
			{0, Polled{one}}, {1, Polled{two}}, {1, Polled{topic}}}, "3 polls within 3s, where 2 are allowed"},
		{"queue without bound", &Queues{}, []step{{0, Queued{"in", 1, 0}}}, "queue in has no bound"},
		{"full queue", &Queues{}, []step{{0, Queued{"in", 8, 8}}}, ""},
	} {
		got := after(quietWorld(one, two), c.checker, c.steps...)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestThoseWhoAreDownAreOwedNothing(t *testing.T) {
	for _, c := range []Checker{&Latest{}, &Complete{}} {
		w := quietWorld(one, two)
		w.After(3500*time.Millisecond, func() { w.Crash(1) })
		if got := after(w, c, step{1, wants}, step{0, first}, step{0, Polled{}}, step{0, Polled{}}); got != "" {
			t.Errorf("%T: %s", c, got)
		}
	}
}

// A node that subscribes at the very moment of publishing is owed the update.
func TestSubscribedAtThatMoment(t *testing.T) {
	for _, c := range []Checker{&Latest{}, &Complete{}} {
		w := quietWorld(one, two)
		watch := All(w, nil, c)
		watch.Report(1, wants)
		watch.Report(0, first)
		if watch.Finish() == nil {
			t.Errorf("%T: not seen", c)
		}
	}
}
