package stream

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// A server receives a part of what is written, and says so as XEP-0198 defines it. As long as the stream is resumed, it
// gets every stanza once and in order. A message counts as accepted if the server has received it, and only then.
func TestLedgerAgainstAServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &ledger{}
		var wire, got []*Element // written and not received yet; received since the stream began
		gotEver := make(map[string]bool)
		var all []*entry
		start := rapid.Bool().Draw(t, "counts")
		begin := func(n *negotiation) error {
			return l.begin(n, func(e *Element) {
				if e.Space == "" {
					wire = append(wire, e)
				}
			})
		}
		if err := begin(&negotiation{managed: "1", counts: start}); err != nil {
			t.Fatal(err)
		}
		receive := func(n int) {
			for _, e := range wire[:n] {
				got = append(got, e)
				gotEver[e.Get("id")] = true
			}
			wire = wire[n:]
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				for i, e := range got[:max(0, len(got)-1)] {
					if got[i+1].Get("id") <= e.Get("id") {
						t.Fatalf("%s comes after %s", got[i+1].Get("id"), e.Get("id"))
					}
				}
				for _, e := range all {
					select {
					case <-e.done:
						if e.err == nil && !gotEver[e.stanza.Get("id")] {
							t.Fatalf("%s counts as accepted", e.stanza.Get("id"))
						}
					default:
					}
				}
				if len(l.pending) > len(l.queue) || len(l.oldest) != len(l.known) ||
					uint64(len(l.queue)) != l.written-l.base {
					t.Fatalf("%d pending, %d in the queue, %d written, %d acknowledged", len(l.pending), len(l.queue),
						l.written, l.base)
				}
			},
			"write": func(t *rapid.T) {
				id := fmt.Sprintf("%06d", len(all))
				e := &entry{stanza: New("", "message", "id", id), done: make(chan struct{})}
				if rapid.Bool().Draw(t, "message") {
					e.key = id
					all = append(all, e)
				} else {
					all = append(all, &entry{stanza: e.stanza, done: make(chan struct{})})
				}
				l.add(e)
				wire = append(wire, e.stanza)
			},
			"receive": func(t *rapid.T) { receive(rapid.IntRange(0, len(wire)).Draw(t, "n")) },
			"acknowledge": func(t *rapid.T) {
				upTo, err := l.position(uint32(len(got)))
				if err != nil {
					t.Fatal(err)
				}
				l.acknowledge(upTo)
				if len(l.queue) != len(wire) {
					t.Fatalf("%d are left, want %d", len(l.queue), len(wire))
				}
			},
			"acknowledge too many": func(t *rapid.T) {
				if _, err :=
					l.position(uint32(len(got) + len(wire) + rapid.IntRange(1, 1000).Draw(t, "more"))); err == nil {
					t.Fatal("stanzas that were not sent are acknowledged")
				}
			},
			"bounce": func(t *rapid.T) {
				for key := range l.pending {
					if gotEver[key] {
						l.settle(key, errors.New("bounced"))
						return
					}
				}
			},
			"resume": func(t *rapid.T) {
				if !l.counts {
					return
				}
				wire = nil
				h := uint32(len(got))
				if err := begin(&negotiation{managed: "1", counts: true, resumed: true, received: &h}); err != nil {
					t.Fatal(err)
				}
			},
			"begin anew": func(t *rapid.T) {
				wire = nil
				n := &negotiation{managed: "2", counts: start}
				if h := uint32(len(got)); rapid.Bool().Draw(t, "says") {
					n.received = &h
				}
				if err := begin(n); err != nil {
					t.Fatal(err)
				}
				if len(l.pending) > 0 || len(l.queue) > 0 {
					t.Fatal("something waits for what is over")
				}
				got = nil
			},
		})
	})
}

// Counts wrap at 2^32 (XEP-0198, section 4).
func TestCountsWrap(t *testing.T) {
	l := &ledger{base: 1<<32 - 2, written: 1<<32 - 2}
	for range 5 {
		l.add(&entry{})
	}
	upTo, err := l.position(1)
	if err != nil || upTo != 1<<32+1 {
		t.Fatalf("%d, %v", upTo, err)
	}
	l.acknowledge(upTo)
	if len(l.queue) != 2 {
		t.Errorf("%d are left", len(l.queue))
	}
	if _, err := l.position(4); err == nil {
		t.Error("too many are acknowledged")
	}
}

// Of accepted messages at most maxAccepted are remembered.
func TestAcceptedMessagesAreForgotten(t *testing.T) {
	l := &ledger{}
	for i := range maxAccepted + 10 {
		key := fmt.Sprint(i)
		l.add(&entry{key: key, done: make(chan struct{})})
		l.acknowledge(l.written)
		if !l.accepted(key) {
			t.Fatal("it is not remembered at all")
		}
	}
	if len(l.known) != maxAccepted || len(l.oldest) != maxAccepted || l.accepted("9") || !l.accepted("10") {
		t.Errorf("%d and %d are remembered", len(l.known), len(l.oldest))
	}
}

// A stream that is not resumed counts from zero, on both sides. What waited has failed.
func TestANewStreamCountsFromZero(t *testing.T) {
	l := &ledger{managed: "before", counts: true, handled: 7}
	e := &entry{key: "x", done: make(chan struct{})}
	l.add(&entry{})
	l.acknowledge(1)
	l.add(e)
	again := func(*Element) { t.Error("something is written again") }
	if err := l.begin(&negotiation{managed: "after", counts: true}, again); err != nil {
		t.Fatal(err)
	}
	if id, handled := l.resumable(); id != "after" || handled != 0 {
		t.Errorf("it can be resumed by %q from %d", id, handled)
	}
	if l.written != 0 || l.base != 0 || len(l.queue) != 0 || !errors.Is(e.err, errForgotten) {
		t.Errorf("written are %d, acknowledged %d, %d wait; the outcome is %v", l.written, l.base, len(l.queue), e.err)
	}
	l.add(&entry{})
	if upTo, err := l.position(1); err != nil || upTo != 1 {
		t.Errorf("the first acknowledgement is of %d, %v", upTo, err)
	}
}
