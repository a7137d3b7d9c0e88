package archive

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Whatever the answers, each call of find is answered once, with genuine bytes or an error, and lookups end.
func TestLookupsEndOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStub()
		s.config.MaxFinds = 3
		s.sure = rapid.Bool().Draw(t, "sure")
		l := lookups{env: s.env, config: &s.config, node: s, open: make(map[Name]*lookup)}
		asked, ended := 0, 0
		numbers := make(map[engine.ID]uint64) // of the latest Fetch
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			name, p := drawName(t), s.peer(t)
			switch rapid.SampledFrom([]string{"find", "where", "item", "forged", "none", "busy", "down", "work",
				"wait"}).Draw(t, "step") {
			case "find":
				asked++
				l.find(name, func(bytes []byte, err error) {
					if ended++; (err == nil) != (len(bytes) > 0 && bytes[0] == 1) {
						t.Fatalf("found %v, %v", bytes, err)
					}
				})
			case "where":
				s.queries.onWhere(p, &Where{Name: name, Has: true, Closest: s.peers})
			case "item":
				l.onItem(p, name, genuine(5))
			case "forged":
				l.onItem(p, name, forged)
			case "none":
				l.onFetched(p, &Fetched{Number: numbers[p.ID], None: []Name{name}})
			case "busy":
				l.onFetched(p, &Fetched{Number: numbers[p.ID], Busy: true})
			case "down":
				l.down(p)
			case "work":
				s.env.RunWork()
			case "wait":
				s.env.Advance(time.Second)
			}
			for _, m := range s.env.Sent() {
				if f, ok := m.Message.(*Fetch); ok {
					numbers[m.To.ID] = f.Number
				}
			}
			for _, open := range l.open {
				if len(open.open) > maxOpen {
					t.Fatalf("%d are asked at a time", len(open.open))
				}
			}
			if len(l.open) > 3 {
				t.Fatalf("%d lookups", len(l.open))
			}
		}
		for range 100 {
			s.env.RunWork()
			s.env.Advance(time.Minute)
		}
		if asked != ended || len(l.open)+len(s.queries.open) > 0 {
			t.Fatalf("%d of %d have ended, %d lookups and %d inquiries are left", ended, asked, len(l.open),
				len(s.queries.open))
		}
	})
}

// Two nodes that send an item at one moment end its lookup once.
func TestLookupsEndOnceWhereTwoAnswer(t *testing.T) {
	t.Parallel()
	s := newStub()
	s.sure = true
	l := lookups{env: s.env, config: &s.config, node: s, open: make(map[Name]*lookup)}
	ended := 0
	l.find(Name{}, func([]byte, error) { ended++ })
	s.env.Advance(2 * hurry)
	for _, m := range s.env.Sent() {
		l.onItem(m.To, Name{}, genuine(5))
	}
	if n := s.env.RunWork(); n < 2 || ended != 1 {
		t.Errorf("after %d answers it ended %d times", n, ended)
	}
}

// A lookup asks one node more each time that none hurries, and at most maxOpen at a time.
func TestLookupsAskFewAtATime(t *testing.T) {
	t.Parallel()
	s := newStub()
	s.sure = true
	l := lookups{env: s.env, config: &s.config, node: s, open: make(map[Name]*lookup)}
	l.find(Name{}, func([]byte, error) {})
	s.env.Advance(0)
	for want := 1; want <= maxOpen+1; want++ {
		if n := len(l.open[Name{}].open); n != min(want, maxOpen) {
			t.Errorf("after %d times of hurry %d are asked", want-1, n)
		}
		s.env.Advance(hurry)
	}
}
