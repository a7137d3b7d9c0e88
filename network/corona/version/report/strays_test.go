package report

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A report that was not signed just now is checked when its finder confirms that very content, and not before: another
// node, or an answer about another content, confirms nothing.
func TestTheFinderAloneConfirmsItsReport(t *testing.T) {
	n := newNode("51", true)
	n.versions("before")
	n.polls = 0
	u := find("text")
	u.FoundAt = n.env.Wall().UnixMilli() - 2*update.ClockSkew.Milliseconds()
	u.FoundBy, u.Seal.Finder = one.ID, one.Address
	u.Seal.Found = keys{one.ID}.Sign(u.ReportWords())
	n.do(n.Receive(one, &Detected{Update: u}))
	for _, c := range []struct {
		by    engine.Peer
		text  string
		polls int
	}{{other, "text", 0}, {one, "else", 0}, {other, "text", 0}, {one, "text", 1}, {one, "text", 1}} {
		n.do(n.ReceiveVerified(c.by, &update.Verified{Channel: news.ID, Hash: find(c.text).Hash}))
		if n.polls != c.polls {
			t.Errorf("after %v has confirmed %q it has polled %d times; want %d", c.by, c.text, n.polls, c.polls)
		}
	}
}

// What owners say of an earlier report is late. It neither ends nor delays the present one, and this node does not
// confirm the earlier one any more.
func TestALateWordOfAnEarlierReport(t *testing.T) {
	owner := enginetest.NewPeer("51")
	earlier, present := find("one"), find("two")
	for what, late := range map[string]func(n *node){
		"it is checked": func(n *node) {
			n.do(n.Answered(owner, &Heard{Channel: news.ID, Hash: earlier.Hash, Pending: true}))
		},
		"it makes no version": func(n *node) {
			n.do(n.Answered(owner, &Heard{Channel: news.ID, Hash: earlier.Hash, Version: 7, Quiet: 1000}))
		},
		"it is a version": func(n *node) { n.End(news.ID, earlier.Hash) },
		"is it true":      func(n *node) { n.Confirm(owner, &update.Verify{Channel: news.ID, Hash: earlier.Hash}) },
	} {
		n := newNode("d1", false)
		n.ring = []engine.Peer{owner, enginetest.NewPeer("52")}
		before, now := earlier, present
		n.do(n.Found(&before))
		n.do(n.Found(&now))
		n.detected()
		late(n)
		if sent := n.env.Sent(); len(sent) > 0 {
			t.Errorf("%s: it sends %v", what, sent[0].Message)
		}
		if behind := returned[Behind](n); len(behind) > 0 {
			t.Errorf("%s: it counts as behind by %v", what, behind)
		}
		n.env.Advance(reportSoon + reportSoon/4)
		if got := n.detected(); !slices.Equal(got, []update.Hash{present.Hash}) {
			t.Errorf("%s: the present content is reported again %d times in time; want once", what, len(got))
		}
		if n.env.Advance(time.Hour); len(n.detected()) != maxReports-2 {
			t.Errorf("%s: the present content is not reported as often as any", what)
		}
	}
}
