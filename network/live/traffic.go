package live

import (
	"cmp"
	"slices"
	"sync/atomic"

	"tidings/network/engine"
)

// Traffic is what was sent and received of one kind of message since the host started.
// Bytes are those of encoded messages. Messages to oneself do not count.
type Traffic struct {
	Kind                    engine.Kind
	Name                    string // "pastry.Join"; "unknown" for all kinds that the codec does not know
	Sent, SentBytes         uint64
	Received, ReceivedBytes uint64
	Dropped                 uint64 // before sending: a queue was full or the peer gone
	Refused                 uint64 // received above the peer's rate
}

// traffic counts by kind. The table is never changed after it was made.
type traffic struct {
	of      map[engine.Kind]*counter
	unknown counter
}

type counter struct {
	sent, sentBytes, received, receivedBytes, dropped, refused atomic.Uint64
}

func newTraffic(c *engine.Codec) *traffic {
	t := &traffic{of: make(map[engine.Kind]*counter)}
	for _, k := range c.Kinds() {
		t.of[k] = &counter{}
	}
	return t
}

func (t *traffic) kind(k engine.Kind) *counter {
	if c := t.of[k]; c != nil {
		return c
	}
	return &t.unknown
}

func (t *traffic) sent(frames []frame) {
	for _, f := range frames {
		c := t.kind(f.kind)
		c.sent.Add(1)
		c.sentBytes.Add(uint64(f.size))
	}
}

func (t *traffic) dropped(frames []frame) {
	for _, f := range frames {
		t.kind(f.kind).dropped.Add(1)
	}
}

func (c *counter) receive(size int) {
	c.received.Add(1)
	c.receivedBytes.Add(uint64(size))
}

func (c *counter) read(k engine.Kind, name string) Traffic {
	return Traffic{
		Kind: k, Name: name, Sent: c.sent.Load(), SentBytes: c.sentBytes.Load(),
		Received: c.received.Load(), ReceivedBytes: c.receivedBytes.Load(),
		Dropped: c.dropped.Load(), Refused: c.refused.Load(),
	}
}

// Traffic returns what was sent and received by kind, most bytes first; kinds of which
// there was nothing are left out.
func (h *Host) Traffic() []Traffic {
	all := []Traffic{h.traffic.unknown.read(0, "unknown")}
	for _, k := range h.config.Codec.Kinds() {
		all = append(all, h.traffic.of[k].read(k, h.config.Codec.Name(k)))
	}
	all = slices.DeleteFunc(all, func(t Traffic) bool { return t.Sent+t.Received+t.Dropped+t.Refused == 0 })
	slices.SortStableFunc(all, func(a, b Traffic) int {
		return cmp.Compare(b.SentBytes+b.ReceivedBytes, a.SentBytes+a.ReceivedBytes)
	})
	return all
}
