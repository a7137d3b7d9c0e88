package report

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// detected returns the contents that were reported since the last call, to whatever node.
func (n *node) detected() (list []update.Hash) {
	for _, m := range n.routed {
		if d, ok := m.(*Detected); ok {
			list = append(list, d.Update.Hash)
		}
	}
	n.routed = nil
	for _, s := range n.env.Sent() {
		if d, ok := s.Message.(*Detected); ok {
			list = append(list, d.Update.Hash)
		}
	}
	return list
}

// A later content takes the place of one that was not answered, which is reported no more.
func TestALaterFindReplacesAReport(t *testing.T) {
	n := newNode("d1", false)
	n.ring = []engine.Peer{enginetest.NewPeer("51"), enginetest.NewPeer("52")}
	one, two := find("one"), find("two")
	n.do(n.Found(&one))
	n.env.Advance(time.Second)
	if got := n.detected(); !slices.Equal(got, []update.Hash{one.Hash}) {
		t.Fatalf("%d reports at first", len(got))
	}
	n.do(n.Found(&two))
	n.env.Advance(time.Hour)
	got := n.detected()
	if len(got) != maxReports || slices.Contains(got, one.Hash) || len(n.said) != 1 {
		t.Errorf("%d reports, of the former content: %v; it says %v", len(got), slices.Contains(got, one.Hash), n.said)
	}
	n.do(n.Found(&two))
	if got := n.detected(); !slices.Equal(got, []update.Hash{two.Hash}) {
		t.Errorf("after it has given up there are %d reports of what is found again", len(got))
	}
}

// An owner that says each time that it checks a report delays its end, and does not prevent it.
func TestAReportThatIsPendingForEver(t *testing.T) {
	n := newNode("d1", false)
	owner := enginetest.NewPeer("51")
	n.ring = []engine.Peer{owner, enginetest.NewPeer("52")}
	u := find("text")
	n.do(n.Found(&u))
	reports := len(n.detected())
	for range 100 {
		n.do(n.Answered(owner, &Heard{Channel: news.ID, Hash: u.Hash, Pending: true}))
		for range 60 {
			n.env.Advance(10 * time.Second)
			if got := len(n.detected()); got > 0 {
				reports += got
				break
			}
		}
	}
	if reports > maxReports || !slices.Equal(n.said, []Suspected{{news.ID, Silent}}) {
		t.Errorf("it is reported %d times, and the finder says %v", reports, n.said)
	}
}

// A finder distrusts owners that dismiss one content again and again. Other contents count for themselves.
func TestDismissalsAreOfOneContent(t *testing.T) {
	n := newNode("d1", false)
	owner := enginetest.NewPeer("51")
	n.ring = []engine.Peer{owner, enginetest.NewPeer("52")}
	dismiss := func(text string, times int) {
		for range times {
			u := find(text)
			n.do(n.Found(&u))
			n.do(n.Answered(owner, &Heard{Channel: news.ID, Hash: u.Hash, Version: 7}))
			n.env.Advance(halfHour)
		}
	}
	for _, text := range []string{"a", "b", "a"} {
		dismiss(text, maxDismissals-1)
	}
	if len(n.said) != 0 {
		t.Errorf("of contents that were dismissed less often it says %v", n.said)
	}
	dismiss("a", 1)
	if !slices.Equal(n.said, []Suspected{{news.ID, Denied}}) {
		t.Errorf("it says %v", n.said)
	}
	n.said = nil
	n.Confirmed(news.ID, find("a").Hash)
	dismiss("a", maxDismissals-1)
	if !slices.Equal(n.said, []Suspected{{news.ID, Trusted}}) {
		t.Errorf("after the network has announced a content it says %v", n.said)
	}
}

// What an origin has asked of this node holds until it answers without asking for anything.
func TestWhatAnOriginAsksForEnds(t *testing.T) {
	n := newNode("d1", false)
	for range 2 {
		n.Learn(news.ID, 0, time.Hour, true)
		if !n.WantsFew(news.ID) || !n.WantsFewer(news.ID) {
			t.Error("it does not hold")
		}
		n.Learn(news.ID, 0, 0, false) // it has not answered
		if n.env.Advance(time.Hour - 1); !n.WantsFew(news.ID) || !n.WantsFewer(news.ID) {
			t.Error("it does not hold for an hour")
		}
		if n.env.Advance(1); !n.WantsFew(news.ID) || n.WantsFewer(news.ID) {
			t.Error("after an hour a poll is too soon, or the origin wants as many as others")
		}
		n.Learn(news.ID, 0, 0, true)
		if n.WantsFew(news.ID) || n.WantsFewer(news.ID) {
			t.Error("it holds on")
		}
	}
}

// Channels that are quiet are bounded.
func TestQuietChannelsAreBounded(t *testing.T) {
	n := newNode("d1", false)
	for i := range maxUnderWay + 2 {
		var id engine.ID
		binary.BigEndian.PutUint32(id[:], uint32(i))
		if n.BeQuiet(id, 60); len(n.quiet) > maxUnderWay {
			t.Fatalf("%d channels are quiet", len(n.quiet))
		}
		if _, quiet := n.quiet[id]; !quiet {
			t.Fatalf("channel %d is not", i)
		}
	}
}

// A doubt of an earlier content ends with the next version.
func TestAVersionEndsADoubt(t *testing.T) {
	n := newNode("51", true)
	n.versions("first", "second")
	n.receives(other, "first")
	d := &n.find(news.ID).contents.doubt
	if d.hash != find("first").Hash {
		t.Fatalf("doubted is %x", d.hash[:5])
	}
	n.receives(one, "third")
	n.sees("third")
	if n.publish(); d.hash != (update.Hash{}) || d.verifies != 0 || d.busy {
		t.Errorf("after the next version: %+v", d)
	}
}
