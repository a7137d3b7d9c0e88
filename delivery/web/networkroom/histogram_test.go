package networkroom

import (
	"math"
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
	"tidings/view"
)

// The bars stand in proportion to what they count, the median where its time is on the axis.
func TestHistogram(t *testing.T) {
	d := sampleSharing().Detection
	h := drawHistogram(wording.Words{}, d)
	if len(h.Bars) != len(d.Bins) || h.Changes != d.Changes || h.Median != "14 s" || h.Mean != "22 s" {
		t.Fatalf("%+v", h)
	}
	sum := 0
	for i, b := range h.Bars {
		want := float64(d.Bins[i]) / 310 * (histFoot - histTop)
		if d.Bins[i] > 0 && want < 2 {
			want = 2 // so that one change is seen
		}
		if math.Abs(float64(b.Height)-want) > 0.01 || float64(b.Y+b.Height) != histFoot || float64(b.X) < 0 ||
			float64(b.X+b.Width) > histWidth {
			t.Errorf("bar %d: %+v, want a height of %v", i, b, want)
		}
		sum += b.Share
	}
	if sum < 95 || sum > 105 {
		t.Errorf("the shares come to %d %%", sum)
	}
	if h.Bars[0].Name != "below 1 s" || h.Bars[5].Name != "15 s to 30 s" || h.Bars[17].Name != "16 h or more" {
		t.Errorf("%q, %q, %q", h.Bars[0].Name, h.Bars[5].Name, h.Bars[17].Name)
	}
	bin := h.Bars[4] // 8 s to 15 s
	if float64(h.MedianX) < float64(bin.X) || float64(h.MedianX) > float64(bin.X+bin.Width)+2 {
		t.Errorf("14 s is at %v, the bin from 8 s to 15 s at %v", h.MedianX, bin.X)
	}
	for i, tick := range h.Ticks {
		if at := timeX(tidings.DetectionEdges(), tidings.DetectionEdges()[i*histEvery]); math.Abs(
			at-float64(tick.X)) > 0.01 {
			t.Errorf("%s is drawn at %v, it is at %v", tick.Text, tick.X, at)
		}
	}
}

// Whatever the times, they are within the drawing, in their order.
func TestHistogramAxis(t *testing.T) {
	edges := tidings.DetectionEdges()
	last := -1.
	for _, d := range []time.Duration{0, 1, time.Millisecond, 500 * time.Millisecond, 700 * time.Millisecond,
		time.Second, 90 * time.Second, time.Hour, 16 * time.Hour, 20 * time.Hour, 32 * time.Hour, 1000 * time.Hour} {
		x := timeX(edges, d)
		if x < last || x < 0 || x > histWidth {
			t.Errorf("%v is at %v, after %v", d, x, last)
		}
		last = x
	}
}

// Without anything measured nothing is drawn, and that is said.
func TestHistogramOfNothing(t *testing.T) {
	for _, d := range []tidings.Detection{{}, {Changes: 3}, {Changes: 3, Bins: []int{3}}} {
		if h := drawHistogram(wording.Words{}, d); h.Changes != 0 || len(h.Bars) > 0 {
			t.Errorf("%+v", h)
		}
	}
	if text := visit(t, inNetwork(1)()).shows(viewSharing); !strings.Contains(text, "Nothing was measured so far") ||
		strings.Contains(text, `class="histogram"`) {
		t.Error("the page does not say that nothing was measured")
	}
}

// The view of the network shows which nodes polled for which, with words for people that do not see the plot.
func TestSharingShows(t *testing.T) {
	text := visit(t, inNetwork(6)()).shows(viewSharing)
	for _, want := range []string{
		`By the policy <b>fair-sqrt</b>: as lite, and somewhat sooner`, `does so every 30 min.`,
		`started with the policy <b>lite</b>, every 30 min.`,
		`<td class="number">310</td><td class="number">2,960</td>`, `<td class="number">20,480</td>`,
		`<td class="number">1,400</td><td class="number">12,345</td>`, "<b>365 spared.</b>",
		`Half of them were detected within 14 s`, `role="img" aria-labelledby="histogram-title histogram-desc"`,
		`<th scope="row">15 s to 30 s</th><td class="number">310</td><td class="number">30 %</td>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The terms of a node are shown in every state of its network. What other nodes say is text.
func TestTermsShow(t *testing.T) {
	f := inNetwork(6)()
	for name, c := range map[string]struct {
		change func(*view.CoopStatus)
		want   string
		not    string
	}{
		"the same": {func(s *view.CoopStatus) { s.Own = s.Params }, "By the policy <b>fair-sqrt</b>",
			"was started with"},
		"not agreed": {func(s *view.CoopStatus) { s.Own, s.Agreed = s.Params, false },
			"has not agreed with others", "was started with"},
		"refused": {func(s *view.CoopStatus) { s.Refused = "<b>x</b>" }, "&lt;b&gt;x&lt;/b&gt;",
			"was started with"},
		"none": {func(s *view.CoopStatus) { *s = view.CoopStatus{} }, "Checking together",
			"By the policy"},
		"another interval": {func(s *view.CoopStatus) { s.Own = s.Params; s.Own.Interval = time.Minute },
			"started with the policy <b>fair-sqrt</b>, every 1 min", "not agreed"},
		"in turns": {func(s *view.CoopStatus) { s.Params.Polling = view.PollingVolunteer },
			"<b>In turns</b>: whoever follows", "By the policy"},
		"started in turns": {func(s *view.CoopStatus) { s.Own.Polling = view.PollingVolunteer },
			"was started to check <b>in turns</b>, every", "<b>In turns</b>:"},
		"fast within a time": {func(s *view.CoopStatus) { s.Params.Policy = "fast:30s" }, "within 30s on average",
			"not agreed"},
	} {
		f.coop = sampleSharing()
		c.change(&f.coop)
		text := visit(t, f).shows(viewSharing)
		sound(t, name, text)
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s: the page lacks %q, or has %q", name, c.want, c.not)
		}
	}
}
