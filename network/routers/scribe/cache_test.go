package scribe

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever is kept and dropped: no bound is exceeded, what is counted is what is there, and what goes is what came
// first.
func TestACacheKeepsTheLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cache{perGroup: 3, most: 8, mostBytes: 40}
		groups := make([]messageCache, 4)
		now, name := time.Duration(0), uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"keep": func(t *rapid.T) {
				now, name = now+time.Second, name+1
				in := &groups[rapid.IntRange(0, len(groups)-1).Draw(t, "group")]
				size := rapid.IntRange(1, 15).Draw(t, "bytes")
				c.keep(in, &Event{Number: name}, name, size, now)
				if lacks := in.lacking(nil, 0, now); len(lacks) != 1 || lacks[0].name != name {
					t.Fatalf("the event that just came is not kept")
				}
			},
			"drop": func(t *rapid.T) { c.dropAll(&groups[rapid.IntRange(0, len(groups)-1).Draw(t, "group")]) },
			"": func(t *rapid.T) {
				live, bytes := 0, 0
				for i := range groups {
					in := &groups[i]
					for j, k := range in.list {
						live, bytes = live+1, bytes+k.size
						if k.in != in || k.event == nil || j > 0 && k.came <= in.list[j-1].came {
							t.Fatalf("event %d is out of place", k.name)
						}
					}
					if in.count() > c.perGroup {
						t.Fatalf("%d events of a group", in.count())
					}
				}
				if live != c.live || bytes != c.bytes || live > c.most || bytes > c.mostBytes {
					t.Fatalf("%d events of %d bytes, counted as %d of %d", live, bytes, c.live, c.bytes)
				}
				if len(c.queue) > 2*c.live+64 {
					t.Fatalf("%d places for %d events", len(c.queue), c.live)
				}
			},
		})
	})
}
