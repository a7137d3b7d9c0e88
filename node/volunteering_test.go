package node

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/node/channels"
	"tidings/view"
)

func inTurns(c *Config) { c.Polling = view.PollingVolunteer }

// awaitTurns waits until nodes poll what they follow in turns.
func (w *together) awaitTurns(nodes ...int) {
	w.t.Helper()
	await(w.t, "they check in turns", func() bool {
		return !slices.ContainsFunc(nodes, func(i int) bool { return w.watching(i).Both == 0 })
	})
}

// If the network volunteers, the followers of a channel poll it in turns and report their findings to the others. No
// other node polls. Each node shows each change once, and names its finder.
func TestNodesPollInTurns(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval, inTurns)
	name, url := w.ownedBy(2)
	w.follow(0, url)
	w.follow(1, url)
	w.awaitTurns(0, 1)
	bound, changes := w.boundPolls(name, interval/2, 0, 1), 6 // a turn comes after half an interval at the soonest
	if testing.Short() {
		changes = 2
	}
	ids := []string{w.nodes[0].id, w.nodes[1].id}
	// a node has shown what the other has found: on a slow machine both may find a change before that
	elsewhere := false
	for deadline := time.Now().Add(patience); changes > 0 ||
		!testing.Short() && !elsewhere && time.Now().Before(deadline); changes-- {
		u := w.changed(0, name)
		if !slices.Contains(ids, u.FoundBy) {
			t.Errorf("found by %s", u.FoundBy)
		}
		elsewhere = elsewhere || u.FoundBy == ids[1]
	}
	all := len(w.shown(0))
	await(t, "the other has all", func() bool { return len(w.shown(1)) == all })
	bound(0)
	if got := w.watching(2); got != (view.CoopChannels{}) {
		t.Errorf("who follows nothing: %+v", got)
	}
	// one that is due just now says something else
	await(t, "the next check is a backup, if no turn comes", func() bool {
		f, err := w.client(0).Channel(t.Context(), url)
		return err == nil && strings.HasPrefix(f.Last.NextWhy, channels.BackupWhy+", if no turn")
	})
	if testing.Short() {
		return
	}
	if !elsewhere {
		t.Error("the other has found nothing for it")
	}
	if s := sharingOf(t, w.nodes[0]); s.All.ByOthers == 0 || s.All.ForOthers > 0 ||
		s.Params.Polling != view.PollingVolunteer {
		t.Errorf("%+v", s)
	}
	shown, err := w.client(0).Channels(t.Context())
	if err != nil || len(shown) != 1 || shown[0].Polling == nil {
		t.Fatalf("%+v, %v", shown, err)
	}
	if got := shown[0].Polling; got.Nodes < 1 || got.Nodes > 2 || got.Interval != interval || !got.Turns ||
		got.Readers != 0 || got.Expected != 0 {
		t.Errorf("told of who checks: %+v", got)
	}
	if _, err := w.client(0).Unsubscribe(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	await(t, "it checks no more", func() bool { return w.watching(0).Both == 0 })
	w.changed(1, name)
}

// However many channels a host has, a node's turns ask it no more often than the node's share of the ceiling.
func TestTurnsKeepToTheCeiling(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("counts looks for some intervals")
	}
	const interval, ceiling, channels = 2 * time.Second, 6, 24
	w := pollTogether(t, 2, interval, inTurns, func(c *Config) { c.HostCeiling = ceiling })
	for i := range channels {
		name := fmt.Sprint("feed-", i)
		if err := w.origin.AddFeed(name, origin.MakeFeed(uint64(i), 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
		w.follow(i%2, w.base+name)
	}
	await(t, "they check in turns", func() bool { return w.watching(0).Both+w.watching(1).Both == channels })
	polls := func() (sum int) {
		for i := range channels {
			sum += len(w.origin.Requests(fmt.Sprint("feed-", i)))
		}
		return sum
	}
	began, before := time.Now(), polls()
	await(t, "they look on", func() bool { return polls() >= before+4*ceiling })
	if took := time.Since(began); took < 3*interval {
		t.Errorf("%d checks in %v, with a ceiling of %d", 4*ceiling, took, ceiling)
	}
}

// A volunteer that is alone polls by itself, as often as any other would.
func TestAVolunteerAlonePollsByItself(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, 2*time.Second, inTurns)
	name, url := w.ownedBy(0)
	w.follow(0, url)
	w.awaitTurns(0)
	if u := w.changed(0, name); u.FoundBy != w.nodes[0].id {
		t.Errorf("found by %s", u.FoundBy)
	}
}

// Pages travel from volunteer to volunteer as deltas.
func TestAPageInTurns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for turns")
	}
	w := pollTogether(t, 2, 2*time.Second, inTurns)
	if err := w.origin.Add("page", historyOf(pageOf("one", "two"), pageOf("one", "two", "three"),
		pageOf("zero", "one", "three"), pageOf("zero")), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	url := w.base + "page"
	w.follow(0, url)
	w.follow(1, url)
	w.awaitTurns(0, 1)
	for i, want := range []string{"3a4\n> three\n", "1a2\n> zero\n3d3\n< two\n"} {
		w.step("page")
		for n := range w.nodes {
			await(t, "the change is shown", func() bool { return len(w.updates(n)) == i+2 })
			if u := w.updates(n)[i+1]; u.Delta != want {
				t.Errorf("node %d: %q, want %q", n, u.Delta, want)
			}
		}
	}
}

// Whether nodes volunteer is the network's choice, as its policy is. A node that was started otherwise follows it.
func TestVolunteeringIsTheNetworks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts four nodes")
	}
	fast := func(c *Config) { c.Interval = 2 * time.Second }
	for _, polling := range []view.Polling{view.PollingVolunteer, view.PollingCorona} {
		t.Run(string(polling), func(t *testing.T) {
			t.Parallel()
			a := newRestartable(t, fast, func(c *Config) { c.Polling = polling })
			await(t, "the first goes by its own", func() bool { return sharingOf(t, a).Agreed })
			b := newRestartable(t, fast, joiningBy(a.address()), func(c *Config) {
				if polling == view.PollingCorona {
					c.Polling = view.PollingVolunteer
				}
			})
			w := &together{t: t, nodes: []*restartable{a, b}}
			w.origin, w.base = startOrigin(t)
			name, url := w.ownedBy(0)
			w.follow(1, url)
			await(t, "the second goes by the network's", func() bool {
				s := sharingOf(t, b)
				return s.Agreed && s.Params.Polling == polling && s.Own.Polling != polling
			})
			w.follow(0, url)
			if polling == view.PollingVolunteer {
				w.awaitTurns(0, 1)
			} else {
				w.awaitNumber(1, url)
			}
			w.changed(1, name)
		})
	}
}

// A distrusted volunteer's finding is shown when an own poll has seen it.
func TestDistrustedVolunteers(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, 2*time.Second, inTurns)
	if _, err := w.client(0).SetRepublisher(t.Context(), w.nodes[1].id, tidings.Distrusted); err != nil {
		t.Fatal(err)
	}
	name, url := w.ownedBy(0)
	w.follow(0, url)
	w.follow(1, url)
	w.awaitTurns(0, 1)
	changes := 4
	if testing.Short() {
		changes = 1
	}
	for range changes {
		if u := w.changed(0, name); u.FoundBy != w.nodes[0].id {
			t.Errorf("found by %s", u.FoundBy)
		}
	}
}
