package web

import (
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
)

func TestHourlyText(t *testing.T) {
	for every, want := range map[time.Duration]string{
		time.Second: "3,600 times an hour", 40 * time.Second: "90 times an hour", 25 * time.Minute: "2.4 times an hour",
		time.Hour: "1 times an hour", 16 * time.Hour: "1.5 times a day",
	} {
		if got := hourlyText(wording.Words{}, tidings.PollingStats{Nodes: 3, Interval: 3 * every}); got != want {
			t.Errorf("every %v: %q, want %q", every, got, want)
		}
	}
}

// The list and a channel's page say how all nodes poll it, and how soon changes were detected; of
// a channel of which that is not known they say nothing.
func TestTogetherShows(t *testing.T) {
	v := visit(t, busy(), false)
	text := v.get("/channels").Body.String()
	for _, want := range []string{
		`<b>45 nodes</b> for 1,730 readers, <span title="90 times an hour">every <b>40 s</b></span>`,
		`<b>20 s</b> expected`, `<b>15 s</b> measured`,
		`<b>1 node</b> for 1 reader,`, `<b>15 min</b> expected</p>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if n := strings.Count(text, `class="together"`); n != 2 {
		t.Errorf("%d channels are said to be checked together", n)
	}
	text = v.get("/channel?url=https://news.example/harbour.xml").Body.String()
	for _, want := range []string{"45 nodes, every 40 s", "90 times an hour altogether, for 1,730 readers",
		"20 s expected, 15 s measured", "latest 9 changes", "changes about every 7 h"} {
		if !strings.Contains(text, want) {
			t.Errorf("the channel's page lacks %q", want)
		}
	}
	if text = v.get("/channel?url=https://numbered.example/1").Body.String(); strings.Contains(text,
		"Detection time") || strings.Contains(text, "Checked by") {
		t.Error("something is said of a channel of which nothing is known")
	}
}

// A channel that is polled in turns shows the nodes that polled it last. It shows no readers and no expected values: no
// node knows them.
func TestTurnsShow(t *testing.T) {
	f := busy()
	const harbour = "https://news.example/harbour.xml"
	for i := range f.followed {
		f.followed[i].Polling = nil
	}
	f.at(harbour).Polling = &tidings.PollingStats{Nodes: 3, Interval: 30 * time.Minute, Told: time.Now(), Turns: true}
	v := visit(t, f, false)
	for path, wants := range map[string][]string{
		"/channels": {`<b>3 nodes</b> in turns, <span title="6 times an hour">every <b>10 min</b></span> · detection <span`, `<b>15 s</b> measured`},
		"/channel?url=" +
			harbour: {"3 nodes, every 10 min<small>In turns: so many nodes have checked it within the last interval",
			"<dd>15 s measured<small>"},
	} {
		text := v.get(path).Body.String()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		for _, never := range []string{"expected", "0 readers", "changes about every"} {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q", path, never)
			}
		}
	}
}
