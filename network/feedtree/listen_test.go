package feedtree

import (
	"strings"
	"testing"
	"time"
)

// A publisher that takes back what it promised is not relied on, whatever it says, until it promises again.
func TestAPromiseIsTakenBackAndMadeAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps string // b: a heartbeat that promises a word, e: one that promises none, i: an item, s: a long silence
		want  string // of Heard, Ended and Overdue
	}{
		"made again":                     {"beb", "HEH"},
		"made again twice":               {"bebeb", "HEHEH"},
		"an item promises nothing":       {"bei", "HE"},
		"an item, then a promise":        {"beib", "HEH"},
		"none is due while none is made": {"bes", "HE"},
		"made again, then broken":        {"bebs", "HEHO"},
		"taken back by who was overdue":  {"bsei", "HOE"},
		"by who was overdue, made again": {"bseb", "HOEH"},
		"never made, with an item":       {"i", "H"},
		"kept":                           {"bbib", "H"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, got, last := newPress(Default(), 1), "", uint64(0)
			now := func() int64 { return v.env.Wall().UnixMilli() }
			for _, step := range strings.Split(c.steps, "") {
				v.env.Advance(time.Second)
				switch step {
				case "s":
					v.env.Advance(time.Hour)
				case "i":
					last = 1
					item := &Item{Number: 1, Time: now(), Entry: []byte("news")}
					item.Sign(v.topic, keyOf(1))
					v.push(item, "a")
				default:
					beat := &Heartbeat{Number: last, Time: now()}
					if step == "b" {
						beat.Silence = 60
					}
					beat.Sign(v.topic, keyOf(1))
					v.push(beat, "a")
				}
				for _, e := range v.env.Traced() {
					switch e.(type) {
					case Heard:
						got += "H"
					case Ended:
						got += "E"
					case Overdue:
						got += "O"
					}
				}
			}
			if got != c.want {
				t.Errorf("it traced %q, want %q", got, c.want)
			}
		})
	}
}
