package sim

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"

	"pgregory.net/rapid"
)

func TestBandwidth(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][2]Bandwidth{
		"up":   {{Up: 1000}, {}},
		"down": {{}, {Down: 1000}},
		"both": {{Up: 1000}, {Down: 1000}},
	} {
		w := newRecorders(2)
		w.SetBandwidth(0, b[0])
		w.SetBandwidth(1, b[1])
		m := &toyBulk{Filler: make([]byte, 900)}
		size := w.config.Codec.Size(m)
		for range 10 {
			w.at(0).env.Send(w.Peer(1), m)
		}
		w.Run(time.Minute)
		heard := w.at(1).heard
		if len(heard) != 10 {
			t.Fatalf("%s: %d came", name, len(heard))
		}
		each := time.Duration(size) * time.Millisecond
		want := 50*time.Millisecond + 10*each
		if name == "both" {
			want += each // the last passes the second link after the first
		}
		if got := heard[9].at; got != want {
			t.Errorf("%s: the last came at %v, want %v", name, got, want)
		}
	}
}

// Hostile 35: a node that reads 1 KB a second, and one that never reads. Its queue overflows; others notice nothing of
// it.
func TestHostile35SlowNodes(t *testing.T) {
	t.Parallel()
	w := newRecorders(4, func(c *Config) { c.Queue = 100 })
	w.SetBandwidth(1, Bandwidth{Down: 1000})
	w.SetSlow(2, Forever)
	for i := range uint64(1000) {
		for n := range Node(3) {
			w.at(0).env.Send(w.Peer(n+1), &toyBulk{Number: i, Filler: make([]byte, 80)})
		}
		w.Run(10 * time.Millisecond)
	}
	w.Run(time.Second)
	near(t, "bytes read by the slow one", float64(w.NodeCount(1).ReceivedBytes), 11_000, 200)
	if got := len(w.at(2).heard); got != 0 {
		t.Errorf("a node that never reads read %d", got)
	}
	if got := len(w.at(3).heard); got != 1000 {
		t.Errorf("a good node heard %d", got)
	}
	for n := range Node(2) {
		if b := w.Backlog(n + 1); b.Reading < 85 || b.Reading > 100 || b.Peak != 101 {
			t.Errorf("node %d: %d wait, %d at most", n+1, b.Reading, b.Peak)
		}
	}
	if d := w.Counters().Dropped; d[DownloadFull] == 0 || d[InboxFull] != 899 {
		t.Errorf("dropped %v", d)
	}
	w.SetSlow(2, 0) // reads again, the newest hundred and the one that it was at
	w.Run(time.Second)
	if got := w.at(2).numbers(); len(got) != 101 || got[0] != 0 || got[1] != 900 {
		t.Errorf("then it reads %v", got)
	}
}

func TestSlowNodeIsSlow(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.SetSlow(1, time.Second)
	for i := range uint64(3) {
		w.ping(0, 1, i)
	}
	w.Run(10 * time.Second)
	var at []time.Duration
	for _, h := range w.at(1).heard {
		at = append(at, h.at-50*time.Millisecond)
	}
	if !slices.Equal(at, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}) {
		t.Errorf("read at %v", at)
	}
}

// The oracle of a backlog is a plain slice.
func TestBacklogAgainstSlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := New(Default(toyCodec()))
		var b backlog
		b.pushed = rapid.SampledFrom([]uint32{0, 1<<32 - 5}).Draw(t, "pushed before")
		type waiting struct {
			slot  uint32
			class engine.Class
		}
		var model []waiting
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				class := engine.Class(rapid.IntRange(0, engine.Classes-1).Draw(t, "class"))
				slot, p := w.passages.alloc()
				p.class = class
				b.push(w, slot)
				model = append(model, waiting{slot, class})
			},
			"pop": func(*rapid.T) {
				if len(model) == 0 {
					return
				}
				if got := b.pop(w); got != model[0].slot {
					t.Fatalf("popped %d, want %d", got, model[0].slot)
				}
				w.passages.release(model[0].slot)
				model = model[1:]
			},
			"shed": func(*rapid.T) {
				if len(model) == 0 {
					return
				}
				victim := 0
				for i, m := range model {
					if m.class > model[victim].class {
						victim = i
					}
				}
				if got := b.shed(w); got != model[victim].slot {
					t.Fatalf("shed %d, want %d", got, model[victim].slot)
				}
				w.passages.release(model[victim].slot)
				model = slices.Delete(model, victim, victim+1)
			},
			"": func(*rapid.T) {
				if b.length != len(model) {
					t.Fatalf("%d wait, want %d", b.length, len(model))
				}
			},
		})
	})
}

// The count that orders a backlog wraps.
func TestBacklogWraps(t *testing.T) {
	t.Parallel()
	w := New(Default(toyCodec()))
	b := backlog{pushed: 1<<32 - 3}
	var pushed, popped []uint32
	for _, class := range []engine.Class{engine.Bulk, engine.Control, engine.Update, engine.Control, engine.Bulk} {
		slot, p := w.passages.alloc()
		p.class = class
		b.push(w, slot)
		pushed = append(pushed, slot)
	}
	for b.length > 0 {
		popped = append(popped, b.pop(w))
	}
	if !slices.Equal(popped, pushed) {
		t.Errorf("popped %v, pushed %v", popped, pushed)
	}
}

// A message that is on the link when its bandwidth changes begins anew.
func TestBandwidthChanges(t *testing.T) {
	t.Parallel()
	w := newRecorders(2)
	w.SetBandwidth(0, Bandwidth{Up: 1000})
	m := &toyBulk{Filler: make([]byte, 900)}
	size := time.Duration(w.config.Codec.Size(m))
	w.at(0).env.Send(w.Peer(1), m)
	w.Run(100 * time.Millisecond)
	w.SetBandwidth(0, Bandwidth{Up: 100})
	w.Run(time.Minute)
	want := 150*time.Millisecond + size*10*time.Millisecond
	if h := w.at(1).heard; len(h) != 1 || h[0].at != want {
		t.Errorf("heard %v, want at %v", h, want)
	}
}
