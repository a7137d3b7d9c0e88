package origins

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"tidings/source/fetch"
	"tidings/view"
)

func answer(host string, date time.Time, took time.Duration, header ...string) *fetch.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &fetch.Response{URL: "https://" + host + "/feed", Date: date, Took: took, Header: h}
}

func TestClocks(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		answers []*fetch.Response
		want    view.Clock
	}{
		"nobody answered": {nil, view.Clock{}},
		"one is behind": {[]*fetch.Response{answer("a", now.Add(-2*time.Second), 0)},
			view.Clock{Offset: 2000, Others: 1, Agree: 1}},
		"a slow one": {[]*fetch.Response{answer("a", now.Add(-9*time.Second), 9*time.Second)},
			view.Clock{Others: 1, Agree: 1}},
		"one of three is wrong": {[]*fetch.Response{answer("a", now, 0), answer("b", now.Add(time.Hour), 0),
			answer("c", now.Add(-time.Second), 0)}, view.Clock{Others: 3, Agree: 2}},
		"two differ": {[]*fetch.Response{answer("a", now.Add(-time.Second), 0),
			answer("b", now.Add(-3*time.Second), 0)}, view.Clock{Offset: 2000, Others: 2, Agree: 2}},
		"the latest counts": {[]*fetch.Response{answer("a", now.Add(time.Hour), 0),
			answer("a", now.Add(time.Second), 0)}, view.Clock{Offset: -1000, Others: 1, Agree: 1}},
		"no date":                {[]*fetch.Response{answer("a", time.Time{}, 0)}, view.Clock{}},
		"out of a cache":         {[]*fetch.Response{answer("a", now.Add(-time.Hour), 0, "Age", "3600")}, view.Clock{}},
		"an address that is odd": {[]*fetch.Response{{URL: "::", Date: now}}, view.Clock{}},
	} {
		t.Run(name, func(t *testing.T) {
			var o clocks
			for _, a := range test.answers {
				o.note(a, now)
			}
			if got := o.median(); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestClocksAreBounded(t *testing.T) {
	var o clocks
	now := time.Now()
	for i := range 10 * maxHosts {
		o.note(answer(fmt.Sprint("host", i), now.Add(-time.Duration(i)*time.Hour), 0), now)
	}
	got := o.median()
	if hours := got.Offset / float64(time.Hour/time.Millisecond); got.Others != maxHosts || hours < 9*maxHosts {
		t.Errorf("%d clocks are kept, %.0f hours off: the latest are not", got.Others, hours)
	}
}
