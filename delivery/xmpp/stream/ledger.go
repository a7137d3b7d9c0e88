package stream

import "errors"

// ledger keeps the stanzas that the server has not acknowledged, over the connections of one stream.
type ledger struct {
	managed string // ID by which the stream can be resumed; "": it cannot
	counts  bool   // the server counts stanzas; else pings acknowledge them
	handled uint32 // stanzas that came, modulo 2^32 (XEP-0198, section 4)

	written uint64 // stanzas written since the stream began
	base    uint64 // stanzas that were acknowledged, of these
	queue   []*entry
	pending map[string]*entry // those of the queue that somebody waits for, by their keys

	known  map[string]bool // keys of messages that were accepted
	oldest []string        // the same, in their order
}

// entry is a stanza that was written.
type entry struct {
	key    string // of a message that is waited for; "": nobody does
	stanza *Element
	done   chan struct{} // is closed when the outcome is known
	err    error         // the outcome
}

// resumable returns by what the stream can be resumed.
func (l *ledger) resumable() (id string, handled uint32) { return l.managed, l.handled }

// begin goes on by a new connection. What a resumed stream has lost is written again.
func (l *ledger) begin(n *negotiation, write func(*Element)) error {
	if n.received != nil && l.counts {
		upTo, err := l.position(*n.received)
		if err == nil {
			l.acknowledge(upTo)
		} else if n.resumed {
			l.managed = ""
			l.lose(err)
			return err
		}
	}
	if n.resumed {
		for _, e := range l.queue {
			write(e.stanza)
		}
		if len(l.queue) > 0 {
			write(New(nsSM, "r"))
		}
		return nil
	}
	l.lose(errForgotten)
	l.managed, l.counts = n.managed, n.counts
	l.handled, l.written, l.base = 0, 0, 0
	return nil
}

// errForgotten is why a message may not have arrived: the server has forgotten the stream by which it went.
var errForgotten = errors.New("the XMPP stream ended before the server confirmed the message")

func (l *ledger) add(e *entry) {
	l.written++
	l.queue = append(l.queue, e)
	if e.key != "" {
		if l.pending == nil {
			l.pending = make(map[string]*entry)
		}
		l.pending[e.key] = e
	}
}

// position returns which of the stanzas written is the last that a count acknowledges. The error is a violation if
// there is none.
func (l *ledger) position(h uint32) (uint64, error) {
	ahead := uint64(h - uint32(l.base))
	if ahead > uint64(len(l.queue)) {
		return 0, &violation{"undefined-condition", "the server acknowledges stanzas that were not sent"}
	}
	return l.base + ahead, nil
}

// acknowledge notes that the server has accepted all stanzas up to one.
func (l *ledger) acknowledge(upTo uint64) {
	for l.base < upTo && len(l.queue) > 0 {
		e := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.base++
		if e.key != "" && l.pending[e.key] == e {
			l.settle(e.key, nil)
		}
	}
}

// settle notes the outcome of a message.
func (l *ledger) settle(key string, err error) {
	e := l.pending[key]
	delete(l.pending, key)
	e.err = err
	close(e.done)
	if err != nil {
		return
	}
	if l.known == nil {
		l.known = make(map[string]bool)
	}
	if l.known[key] {
		return
	}
	l.known[key] = true
	if l.oldest = append(l.oldest, key); len(l.oldest) > maxAccepted {
		delete(l.known, l.oldest[0])
		l.oldest = l.oldest[1:]
	}
}

// accepted reports whether the server is known to have accepted a message.
func (l *ledger) accepted(key string) bool { return l.known[key] }

// lose notes that nothing will acknowledge what waits.
func (l *ledger) lose(why error) {
	l.queue = nil
	for key := range l.pending {
		l.settle(key, why)
	}
}
