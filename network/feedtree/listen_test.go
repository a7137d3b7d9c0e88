package feedtree

import (
	"strings"
	"testing"
	"time"
)

// A publisher that withdraws its promise is not relied on, whatever it publishes, until it promises again.
func TestAPromiseIsTakenBackAndMadeAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// b: a heartbeat that promises a word, l: one signed before the step before, e: one that promises none, i: an
		// item, s: a long silence
		steps string
		want  string // of Heard, Ended and Overdue
	}{
		"made again":                     {"beb", "HEH"},
		"made again twice":               {"bebeb", "HEHEH"},
		"an item promises nothing":       {"bei", "HE"},
		"an item, then a promise":        {"beib", "HEH"},
		"none is due while none is made": {"bes", "HE"},
		"made again, then broken":        {"bebs", "HEHO"},
		"withdrawn by who was overdue":   {"bsei", "HOE"},
		"by who was overdue, made again": {"bseb", "HOEH"},
		"never made, with an item":       {"i", "H"},
		"never made, and said so":        {"e", ""},
		"never made, said so, an item":   {"ei", "H"},
		"made after none was":            {"eb", "H"},
		"kept":                           {"bbib", "H"},
		"made again, after an item":      {"beil", "HEH"},
		"made before it was withdrawn":   {"bel", "HE"},
		"kept, after an item":            {"bil", "H"},
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
					if step != "e" {
						beat.Silence = 60
					}
					if step == "l" {
						beat.Number, beat.Time = 0, now()-1500
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

// Signed words are accepted if the clocks of publisher and reader differ by five minutes, either way. They are not
// refused, and the publisher is not overdue. It is not relied on if the clocks differ by more than that and the
// promised silence. The same holds if its words are dated further ahead than any clock may be wrong (hostile 34).
func TestClocksMayDifferByFiveMinutes(t *testing.T) {
	t.Parallel()
	const silence = time.Minute
	for name, c := range map[string]struct {
		ahead time.Duration // the publisher's clock, of the reader's
		taken bool
		heard bool
	}{
		"alike":             {0, true, true},
		"five minutes fast": {5 * time.Minute, true, true},
		"five minutes slow": {-5 * time.Minute, true, true},
		"much too slow":     {-5*time.Minute - silence - time.Second, true, false},
		"as fast as may be": {Default().Ahead, true, true},
		"too fast":          {Default().Ahead + time.Second, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newPress(Default(), 0)
			number := uint64(0)
			say := func(item bool) {
				at := v.env.Wall().Add(c.ahead).UnixMilli()
				if item {
					number++
					i := &Item{Number: number, Time: at, Entry: []byte("news")}
					i.Sign(v.topic, keyOf(1))
					v.push(i, "a")
					return
				}
				h := &Heartbeat{Number: number, Time: at, Silence: uint32(silence / time.Second)}
				h.Sign(v.topic, keyOf(1))
				v.push(h, "a")
			}
			say(false)
			for range 10 {
				v.env.Advance(silence / 2)
				say(true)
				v.env.Advance(silence / 2)
				say(false)
			}
			s, _ := v.node.Status(v.topic)
			if taken := s.Last == number; taken != c.taken || s.Heard != c.heard {
				t.Errorf("%d of %d items were taken, the publisher was heard: %v", s.Last, number, s.Heard)
			}
			if refused := len(v.node.Refusals()) > 0; refused == c.taken {
				t.Errorf("refused: %+v", v.node.Refusals())
			}
			if overdue := len(tracedOf[Overdue](v)) > 0; c.heard && overdue {
				t.Error("it was overdue")
			}
		})
	}
}
