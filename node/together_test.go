package node

import (
	"slices"
	"testing"
	"time"

	"tidings"
)

func (w *together) listed(i int) map[string]tidings.Subscription {
	w.t.Helper()
	all, err := w.client(i).Channels(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	by := make(map[string]tidings.Subscription)
	for _, f := range all {
		by[f.URL] = f
	}
	return by
}

// A follower of a channel sees how many nodes poll it, and for how many readers. Both nodes count which node polled for
// which, and the counts outlive them.
func TestPeopleAreToldHowNodesPollTogether(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	w.follow(2, url)
	w.awaitNumber(0, url)
	var f tidings.PollingStats
	await(t, "the primary has told", func() bool {
		// While the host's owners have been shown one reader alone they let the channel be polled every other interval.
		if told := w.listed(0)[url].Polling; told != nil {
			f = *told
		}
		return f.Readers == 2 && f.Interval == interval
	})
	// Confirming adds to the time until a poll, as long as the primary has measured.
	if f.Nodes < 1 || f.Nodes > 3 || f.Expected < interval/2/time.Duration(f.Nodes) || f.Update <= 0 ||
		time.Since(f.Told) > time.Hour {
		t.Errorf("%+v", f)
	}
	await(t, "the primary has told the other subscriber", func() bool {
		one, err := w.client(2).Channel(t.Context(), url)
		return err == nil && one.Polling != nil && one.Polling.Readers == 2
	})
	w.changed(0, name)
	await(t, "checks are counted", func() bool {
		return sharingOf(t, w.nodes[1]).All.ForOthers > 0 && sharingOf(t, w.nodes[0]).All.Readers > 1
	})
	if s := sharingOf(t, w.nodes[1]); s.All.Readers > 0 || s.All.Own > 0 || s.Day.ForOthers != s.All.ForOthers ||
		s.All.Saved() != -s.All.ForOthers {
		t.Errorf("who follows nothing counts %+v", s.All)
	}
	before := sharingOf(t, w.nodes[1])
	w.nodes[1].stop()
	w.nodes[1].start()
	if s := sharingOf(t, w.nodes[1]); s.All.ForOthers < before.All.ForOthers || !s.Since.Equal(before.Since) {
		t.Errorf("after a restart %+v, before %+v", s.All, before.All)
	}
}

// A channel that is not public has no primary. The time to detect its changes is shown nevertheless.
func TestWhatIsNotPublicIsMeasuredAlone(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, 2*time.Second)
	name, url := w.ownedBy(0)
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: url, Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
	w.changed(0, name)
	f := w.listed(0)[url]
	if f.Polling != nil {
		t.Errorf("%+v", f.Polling)
	}
	measured := slices.ContainsFunc(w.updates(0)[1:], func(u tidings.Update) bool { return !u.OriginChanged.IsZero() })
	if (f.Detected.Changes > 0) != measured {
		t.Errorf("measured: %v, told: %+v", measured, f.Detected)
	}
}
