package livenet

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }

// A node has to report what was seen while it was up and had subscribed, and what is still there when it comes back. It
// need not report what came just before it went or unsubscribed.
func TestDue(t *testing.T) {
	rules := Rules{Grace: 75 * time.Second, For: 30 * time.Minute}
	up := []Span{{0, minutes(15)}, {minutes(22), Endless}}
	all := Subscription{Since: minutes(1), Until: Endless}
	left := Subscription{Since: minutes(1), Until: minutes(10)}
	for _, c := range []struct {
		name       string
		s          Subscription
		seen, gone float64
		from       float64 // minutes; negative: it is not due
	}{
		{"while it is up", all, 5, 60, 5},
		{"while it is up, and soon gone", all, 5, 5.1, 5},
		{"just before it goes", all, 14.9, 60, 22},
		{"just before it goes, and gone as it comes back", all, 14.9, 22.5, -1},
		{"while it is down", all, 18, 60, 22},
		{"while it is down alone", all, 18, 19, -1},
		{"when it is back", all, 25, 60, 25},
		{"before its first version", all, 0.5, 60, -1},
		{"with its first version", all, 1, 60, -1},
		{"just after its first version", all, 1.01, 60, 1.01},
		{"before it leaves", left, 5, 60, 5},
		{"just before it leaves", left, 9, 60, -1},
		{"after it has left", left, 12, 60, -1},
		{"while it is down, after it has left", left, 18, 60, -1},
		{"without a first version", Subscription{Since: Endless, Until: Endless}, 5, 60, -1},
		{"kept for others then", Subscription{asked: minutes(10), Since: minutes(1), Until: Endless}, 5, 60, -1},
	} {
		from, due := rules.due(Fact{Seen: minutes(c.seen), Gone: minutes(c.gone)}, &c.s, up)
		if due != (c.from >= 0) || due && from != minutes(c.from) {
			t.Errorf("what is seen %s: due %v from %v", c.name, due, from)
		}
	}
	if _, due := (Rules{First: true}).due(Fact{Seen: Unseen, Gone: Endless}, &all, up); due {
		t.Error("what nobody has seen is due")
	}
	late := []Span{{0, minutes(15)}, {minutes(31), Endless}}
	if _, due := rules.due(Fact{Seen: minutes(18), Gone: Endless}, &all, late); due {
		t.Error("a node that comes back after the end is to catch up")
	}
	old := Subscription{asked: minutes(1), Since: minutes(2), Until: Endless}
	if from, due := (Rules{First: true}).due(Fact{Gone: Endless}, &old, up); !due || from != minutes(1) {
		t.Errorf("what the first version says: due %v from %v", due, from)
	}
}

// Whatever a node reports, each fact that is due is reported or lost, and each notification but the first of a fact is
// one too many.
func TestVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := make([]Fact, rapid.IntRange(0, 20).Draw(t, "facts"))
		for i := range facts {
			facts[i] = Fact{Seen: time.Duration(i + 1), Gone: Endless}
		}
		s := Subscription{Until: Endless}
		count := make(map[int]int)
		for i, at := range rapid.SliceOfN(rapid.IntRange(0, 25), 0, 40).Draw(t, "told") {
			s.Notified = append(s.Notified, Notification{Fact: int32(at), Received: time.Duration(i)})
			count[at]++
		}
		notifications := 0
		for v := range (Rules{}).verdicts(facts, &s, []Span{{0, Endless}}) {
			if len(v.Notified) != count[v.Fact] || v.From != facts[v.Fact].Seen {
				t.Fatalf("%+v was reported %d times", v, count[v.Fact])
			}
			notifications++
		}
		if notifications != len(facts) || len(s.twice()) != len(s.Notified)-len(count) {
			t.Fatalf("%d verdicts of %d facts; %d notifications too many", notifications, len(facts), len(s.twice()))
		}
	})
}
