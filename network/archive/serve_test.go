package archive

import (
	"cmp"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// shelf is the node of a serving. It has the items with odd numbers; those beyond 100 come to the disk.
type shelf struct {
	reads []func()
	size  uint32 // of each item; 0: 10
}

func (h *shelf) entry(name Name) *entry {
	if name.Number%2 == 0 {
		return nil
	}
	e := newEntry(Held{Name: name, Size: cmp.Or(h.size, 10)})
	e.coming = name.Number > 100
	return e
}

func (h *shelf) get(name Name, got func([]byte)) {
	h.reads = append(h.reads, func() { got(make([]byte, 10)) })
}

// Each request is answered once: with what is there, and the end.
func TestServingAnswersOnce(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		numbers     []uint64
		open        int
		spent       int // of a bucket of 10
		items, none int
		busy        bool
	}{
		"all":                {[]uint64{1, 3, 5}, 0, 0, 3, 0, false},
		"some":               {[]uint64{1, 2, 3}, 0, 0, 2, 1, false},
		"none":               {[]uint64{2, 4}, 0, 0, 0, 2, false},
		"what comes":         {[]uint64{101}, 0, 0, 0, 0, true},
		"too many at a time": {[]uint64{1}, 1, 0, 0, 0, true},
		"too much":           {[]uint64{1, 3}, 0, 10, 0, 0, true},
	} {
		env, config, h := enginetest.NewEnv(enginetest.NewPeer("80")), Default(), &shelf{}
		config.MaxServing = 1
		s := serving{env: env, config: &config, node: h, bucket: engine.NewBucket(1, 10), open: c.open}
		s.bucket.Take(c.spent, 0)
		m := &Fetch{Number: 7}
		for _, n := range c.numbers {
			m.Names = append(m.Names, Name{Number: n})
		}
		begun := s.onFetch(enginetest.NewPeer("1"), m)
		for len(h.reads) > 0 {
			read := h.reads[0]
			h.reads = h.reads[1:]
			read()
		}
		items, ends := 0, 0
		for _, m := range env.Sent() {
			switch m := m.Message.(type) {
			case *Item:
				items++
			case *Fetched:
				if ends++; m.Number != 7 || m.Busy != c.busy || len(m.None) != c.none {
					t.Errorf("%s: the end is %+v", what, m)
				}
			}
		}
		if items != c.items || ends != 1 || begun != (c.items > 0) || s.open != c.open {
			t.Errorf("%s: %d items, %d ends, begun: %v, %d are open", what, items, ends, begun, s.open)
		}
	}
}

// The items of one answer have a bound of bytes together, except for the first alone. The rest can be requested again:
// they are not named as missing.
func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	for size, items := range map[uint32]int{maxAnswer / 4: 4, maxAnswer/4 + 1: 3, maxAnswer: 1, maxAnswer + 1: 1} {
		env, config, h := enginetest.NewEnv(enginetest.NewPeer("80")), Default(), &shelf{size: size}
		s := serving{env: env, config: &config, node: h, bucket: engine.NewBucket(1, 1<<30)}
		m := &Fetch{Number: 7}
		for i := range 6 {
			m.Names = append(m.Names, Name{Number: uint64(2*i + 1)})
		}
		s.onFetch(enginetest.NewPeer("1"), m)
		for len(h.reads) > 0 {
			read := h.reads[0]
			h.reads = h.reads[1:]
			read()
		}
		sent := env.Sent()
		for i, m := range sent {
			switch m := m.Message.(type) {
			case *Item:
				if m.Name.Number != uint64(2*i+1) {
					t.Errorf("items of %d bytes: number %d is sent as the %d-th", size, m.Name.Number, i)
				}
			case *Fetched:
				if len(m.None) > 0 || m.Busy {
					t.Errorf("items of %d bytes: the end is %+v", size, m)
				}
			}
		}
		if len(sent) != items+1 {
			t.Errorf("%d items of %d bytes are sent, want %d", len(sent)-1, size, items)
		}
	}
}
