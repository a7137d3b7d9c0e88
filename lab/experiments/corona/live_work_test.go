package corona

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/dataset"
	"tidings/lab/livenet"
)

// saying makes a history of a feed: each state has the items of a text, "a1 b2" being item a that says 1 and item b
// that says 2.
func saying(t *testing.T, states ...[]string) *liveHistory {
	t.Helper()
	h := &liveHistory{facts: make(map[int]*liveFacts)}
	for i, items := range states {
		body := "<rss version=\"2.0\"><channel><title>F</title>"
		for _, item := range items {
			body += fmt.Sprintf("<item><guid>%s</guid><title>%[1]s</title><description>says %s</description></item>",
				item[:1], item[1:])
		}
		h.Snapshots = append(h.Snapshots,
			dataset.Snapshot{Time: time.Unix(int64(i)*60, 0), Body: []byte(body + "</channel></rss>")})
	}
	if err := h.read(); err != nil {
		t.Fatal(err)
	}
	return h
}

// What is said once is a fact for as long as it is there; what is said twice is none.
func TestLiveFacts(t *testing.T) {
	h := saying(t, []string{"a1"}, []string{"b1", "a1"}, []string{"b2", "a1"}, []string{"b1"}, []string{"c1"})
	facts := h.factsFrom(0, time.Hour)
	var judged []string
	for _, f := range facts.list {
		if !f.void {
			judged = append(judged, fmt.Sprintf("%d-%d", f.from, f.to))
		}
	}
	// a1 is there from 0 to 2, b2 in 2 alone, c1 in 4 alone. b1 comes in 1 and again in 3.
	if want := []string{"0-2", "2-2", "4-4"}; !slices.Equal(judged, want) {
		t.Errorf("%v, want %v", judged, want)
	}
	if later := h.factsFrom(3, time.Hour); len(later.list) != 2 || later.list[0].void {
		t.Errorf("a reader that begins later is shown %+v", later.list)
	}
}

// Where there are no recorded documents, feeds are made up, which are read as others are and say as much.
func TestLiveWorkWithoutDocuments(t *testing.T) {
	t.Setenv(dataset.EnvDir, t.TempDir())
	s := Live.Tiny
	work, err := newLiveWork(1, s)
	if err != nil {
		t.Fatal(err)
	}
	if work.source != madeUp || len(work.channels) != s.Channels || len(work.histories) < 5 {
		t.Errorf("%d channels of %d histories: %s", len(work.channels), len(work.histories), work.source)
	}
	facts := 0
	for _, c := range work.channels {
		for _, f := range c.facts.list {
			if f.from > c.first && !f.void {
				facts++
			}
		}
	}
	if facts < s.Channels {
		t.Errorf("the channels have %d news", facts)
	}
}

// All subscriptions are given out, the popular channels get more, and none more than one a node.
func TestPopularity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := liveSizes{Nodes: rapid.IntRange(2, 60).Draw(t, "nodes"),
			Channels: rapid.IntRange(1, 500).Draw(t, "channels")}
		s.Subscriptions = rapid.IntRange(s.Channels, s.Channels*s.Nodes).Draw(t, "subscriptions")
		all := popularity(s)
		sum := 0
		for i, q := range all {
			if q < 1 || q > s.Nodes || i > 0 && q > all[i-1] {
				t.Fatalf("%v", all)
			}
			sum += q
		}
		if math.Abs(float64(sum-s.Subscriptions)) > float64(s.Channels)/2+1 {
			t.Fatalf("%d subscriptions where %d are wanted: %v", sum, s.Subscriptions, all)
		}
	})
}

// A fact that is gone within an interval is judged as all others, unless too few nodes can have seen it for others to
// believe it.
func TestLiveTallies(t *testing.T) {
	s := liveSizes{Interval: 10 * time.Second, For: 10 * time.Minute}
	j := &liveJudge{sizes: s}
	for _, c := range []struct {
		name      string
		when      time.Duration
		stays     time.Duration
		witnesses int
		want      *liveTally
	}{
		{"long, seen by one", time.Minute, time.Minute, 1, &j.calm},
		{"brief, seen by five", time.Minute, 5 * time.Second, 5, &j.calm},
		{"brief, seen by five after the kills", 6 * time.Minute, 5 * time.Second, 5, &j.trouble},
		{"brief, seen by four", time.Minute, 5 * time.Second, 4, &j.unproven},
		{"brief, seen by one", time.Minute, 5 * time.Second, 1, &j.unproven},
		{"just not brief, seen by one", time.Minute, s.Interval, 1, &j.calm},
	} {
		fact := livenet.Fact{Made: c.when, Seen: c.when, Gone: c.when + c.stays}
		if got := j.tally(c.when, fact, c.witnesses); got != c.want {
			t.Errorf("%s is tallied elsewhere", c.name)
		}
	}
}
