package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
)

// modelPolls is what a channel's polls have left.
type modelPolls struct {
	memory, noise, moved string
	privacy              tidings.Privacy
	last                 tidings.Poll
	health               tidings.Health
	failures             int
	ended                bool
}

func (m *modelPolls) note(r content.Record) {
	if r.Memory != nil {
		m.memory = string(r.Memory)
	}
	if r.Noise != nil {
		m.noise = string(r.Noise)
	}
	if r.Moved != nil {
		m.moved = *r.Moved
	}
	if r.Privacy != "" {
		m.privacy = r.Privacy
	}
	m.last, m.health, m.failures, m.ended = r.Poll, r.Health, r.Failures, r.Ended
}

type pollsRun struct {
	t      *testing.T
	config Config
	s      *Store
	m      modelPolls
	items  int
	polls  int
}

// TestPollsAgainstModel notes polls that found nothing, plans, polls that found something, and other options, in any
// order. Part of the polls are refused, and the store is opened anew. What one poll does not say stays as the last one
// that said it.
func TestPollsAgainstModel(t *testing.T) {
	registerDisk()
	checkSome(t, 25, func(rt *rapid.T) {
		theDisk.reset()
		w := &pollsRun{t: t, config: Config{Dir: t.TempDir(), Now: newClock().now},
			m: modelPolls{privacy: tidings.Public, health: tidings.HealthNew}}
		w.s = openQuick(t, w.config)
		defer func() {
			if err := w.s.Close(); err != nil {
				t.Error(err)
			}
		}()
		follow(t, w.s, feedURL)
		rt.Repeat(map[string]func(*rapid.T){
			"unchanged": func(rt *rapid.T) {
				r := w.record(rt)
				w.s.Content.RecordUnchanged(r)
				w.m.note(r)
			},
			"plan": func(rt *rapid.T) {
				w.m.last.Next, w.m.last.NextWhy = w.at(rt), "planned"
				w.s.Content.Plan(feedURL, w.m.last.Next, w.m.last.NextWhy)
			},
			"found":   w.found,
			"refused": w.refused,
			"options": w.options,
			"reopen":  w.reopen,
			"":        w.compare,
		})
	})
}

func (w *pollsRun) at(rt *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(1, 1000).Draw(rt, "at"), 0).UTC()
}

// record makes up what a poll leaves, each part of which it may leave out.
func (w *pollsRun) record(rt *rapid.T) content.Record {
	w.polls++
	r := content.Record{URL: feedURL, Poll: tidings.Poll{At: w.at(rt), Status: w.polls, Next: w.at(rt)},
		Health: tidings.HealthGood, Failures: w.polls % 3, Ended: rapid.Bool().Draw(rt, "ended")}
	if rapid.Bool().Draw(rt, "memory") {
		r.Memory = fmt.Append(nil, "memory ", w.polls)
	}
	if rapid.Bool().Draw(rt, "noise") {
		r.Noise = fmt.Append(nil, "noise ", w.polls)
	}
	if rapid.Bool().Draw(rt, "moved") {
		moved := fmt.Sprint("https://example.org/", w.polls)
		r.Moved = &moved
	}
	if rapid.Bool().Draw(rt, "privacy") {
		r.Privacy = rapid.SampledFrom([]tidings.Privacy{tidings.Public, tidings.Unlisted}).Draw(rt, "class")
	}
	return r
}

func (w *pollsRun) found(rt *rapid.T) {
	r := w.record(rt)
	w.m.note(r)
	if rapid.Bool().Draw(rt, "something new") {
		w.items++
		r.Change = document(w.t, w.s, feedURL, story{fmt.Sprint(w.items), "x"})
	}
	if u := record(w.t, w.s, r); (u == nil) != (r.Change == nil) {
		rt.Fatalf("told: %+v", u)
	}
}

// refused records what was compared too early: it leaves nothing, and what has waited still does.
func (w *pollsRun) refused(rt *rapid.T) {
	if w.items == 0 {
		rt.Skip("nothing is known")
	}
	r := w.record(rt)
	r.Change = changeOf([]tidings.KnownItem{}, story{"late", "x"})
	if _, err := apply(w.t.Context(), w.s, &Record{Record: r}); !errors.Is(err, tidings.ErrStale) {
		rt.Fatalf("refused: %v", err)
	}
}

func (w *pollsRun) options(rt *rapid.T) {
	w.polls++
	options := tidings.PageOptions{Select: []string{fmt.Sprint("#", w.polls)}}
	w.m.memory, w.m.noise, w.m.last.Next = fmt.Sprint("anew ", w.polls), "", w.at(rt)
	if err := w.s.Change(w.t.Context(), tidings.Owner, feedURL,
		Change{ChannelChange: tidings.ChannelChange{Options: &options}, Memory: []byte(w.m.memory),
			Next: w.m.last.Next}); err != nil {
		rt.Fatal(err)
	}
}

func (w *pollsRun) reopen(rt *rapid.T) {
	if err := w.s.Close(); err != nil {
		rt.Fatal(err)
	}
	w.s = openQuick(w.t, w.config)
	if got, err := w.s.Content.Watch(w.t.Context(), feedURL); err != nil || got.Moved != w.m.moved ||
		got.Privacy != w.m.privacy {
		rt.Fatalf("it has moved to %q and is %s, want %+v: %v", got.Moved, got.Privacy, w.m, err)
	}
}

func (w *pollsRun) compare(rt *rapid.T) {
	got, err := w.s.Content.Watch(w.t.Context(), feedURL)
	if got.Last != w.m.last { // the poll was written meanwhile, and is read now
		got, err = w.s.Content.Watch(w.t.Context(), feedURL)
	}
	if err != nil || got.Last != w.m.last || !got.Next.Equal(w.m.last.Next) || got.Health != w.m.health ||
		got.Failures != w.m.failures || got.Ended != w.m.ended ||
		string(got.Memory) != w.m.memory || string(got.Noise) != w.m.noise {
		rt.Fatalf("watched as %+v, want %+v: %v", got, w.m, err)
	}
	f, err := w.s.Channel(w.t.Context(), tidings.Owner, feedURL)
	if f.Last != w.m.last { // as above
		f, err = w.s.Channel(w.t.Context(), tidings.Owner, feedURL)
	}
	if err != nil || f.Last != w.m.last || f.Health != w.m.health || f.Failures != w.m.failures || f.Unread != w.items {
		rt.Fatalf("shown as %+v, want %+v: %v", f, w.m, err)
	}
}
