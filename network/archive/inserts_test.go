package archive

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Whatever owners answer, each insertion ends once. It is accepted only if more than half of the owners have the item.
// Then it is forgotten.
func TestInsertsEndOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStub()
		s.config.MaxInserts = 3
		s.sure = rapid.Bool().Draw(t, "sure")
		i := inserts{env: s.env, config: &s.config, node: s, open: make(map[Name]*insert)}
		begun, ended := 0, 0
		taken := make(map[Name]map[engine.ID]bool)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			name, p := drawName(t), s.peer(t)
			switch rapid.SampledFrom([]string{"insert", "forged", "where", "taken", "taken", "refused", "down", "work",
				"wait"}).Draw(t, "step") {
			case "insert", "forged":
				bytes := genuine(5)
				if rapid.IntRange(0, 4).Draw(t, "forged") == 0 {
					bytes = forged
				}
				begun++
				i.insert(name, bytes, func(copies int, why Refusal) {
					if ended++; why == Accepted && (copies <= s.config.Replicas/2 || len(taken[name]) < copies ||
						bytes[0] == 0) {
						t.Fatalf("accepted with %d copies of %v, of those of %d", copies, bytes, len(taken[name]))
					}
				})
			case "where":
				s.queries.onWhere(p, &Where{Name: name, Closest: s.peers})
			case "taken":
				if taken[name] == nil {
					taken[name] = make(map[engine.ID]bool)
				}
				taken[name][p.ID] = true
				i.onTaken(p, &Taken{Name: name})
			case "refused":
				i.onTaken(p,
					&Taken{Name: name, Refusal: rapid.SampledFrom([]Refusal{Full, Busy, Unowned}).Draw(t, "why")})
			case "down":
				i.down(p)
			case "work":
				s.env.RunWork()
			case "wait":
				s.env.Advance(time.Second)
			}
			if len(i.open)-i.settling > 3 || i.settling > 3 {
				t.Fatalf("%d insertions, %d of them settling", len(i.open), i.settling)
			}
		}
		for range 100 {
			s.env.RunWork()
			s.env.Advance(time.Minute)
		}
		if begun != ended || len(i.open)+i.settling+len(s.queries.open) > 0 {
			t.Fatalf("%d of %d have ended, %d and %d inquiries are left", ended, begun, len(i.open),
				len(s.queries.open))
		}
	})
}

// An insertion is forgotten even if the owner that was given it last refuses it once it is accepted. Answers of owners
// do not count before the item is verified and given to any.
func TestInsertsAndAnswersOutOfPlace(t *testing.T) {
	t.Parallel()
	s := newStub()
	s.sure = true
	i := inserts{env: s.env, config: &s.config, node: s, open: make(map[Name]*insert)}
	var why Refusal
	begin := func(bytes []byte) {
		why = Broken
		i.insert(Name{}, bytes, func(_ int, w Refusal) { why = w })
	}
	begin(genuine(5))
	s.env.RunWork()
	given := s.env.Sent()[0].To
	for _, p := range s.peers {
		if p != given {
			i.onTaken(p, &Taken{})
		}
	}
	i.onTaken(given, &Taken{Refusal: Busy})
	if s.env.Advance(settleWait); why != Accepted || len(i.open) > 0 || i.settling > 0 {
		t.Errorf("it is %v, and %d are left", why, len(i.open))
	}
	begin(forged)
	i.onTaken(given, &Taken{Refusal: Unowned, Owners: s.peers})
	for _, p := range s.peers {
		i.onTaken(p, &Taken{})
	}
	if s.env.RunWork(); why != False {
		t.Errorf("forged bytes are %v", why)
	}
}
