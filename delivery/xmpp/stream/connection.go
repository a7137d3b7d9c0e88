package stream

import (
	"errors"
	"io"
	"strconv"
	"sync"
	"time"
)

// connection is a stream on one connection, once stanzas are exchanged.
type connection struct {
	client *Client
	n      *negotiation
	out    chan []byte
	ended  chan struct{}
	last   chan struct{} // is closed when all is written; nothing goes into out any more then

	mu      sync.Mutex
	why     error
	over    bool
	asks    uint64      // how many times the server was asked whether it is there
	asked   bool        // the last time is not answered yet
	upTo    uint64      // stanzas that its answer acknowledges
	silence *time.Timer // ends the connection if there is no answer
	quiet   *time.Timer // asks if nothing comes
}

func newConnection(c *Client, n *negotiation) *connection {
	k := &connection{client: c, n: n, out: make(chan []byte, maxOut), ended: make(chan struct{}),
		last: make(chan struct{})}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.silence = time.AfterFunc(c.c.Patience, func() { k.end(errSilent) })
	k.silence.Stop()
	k.quiet = time.AfterFunc(c.c.Quiet, k.onQuiet)
	go k.send()
	return k
}

// send writes what waits, until the connection ends.
func (k *connection) send() {
	for {
		select {
		case <-k.ended:
			return
		case b := <-k.out:
			if b == nil {
				close(k.last)
				return
			}
			err := k.n.conn.SetWriteDeadline(time.Now().Add(k.client.c.Patience))
			if err == nil {
				_, err = k.n.conn.Write(b)
			}
			if err != nil {
				k.end(words(k.client.c.domain(), err))
				return
			}
		}
	}
}

// put has bytes written after all others, and reports whether there was room.
func (k *connection) put(b []byte) bool {
	select {
	case k.out <- b:
		return true
	default:
		k.end(errStuck)
		return false
	}
}

// read receives elements until the connection ends, and returns why it has.
func (k *connection) read() error {
	for {
		e, err := k.n.reader.next()
		if err == nil {
			k.quiet.Reset(k.client.c.Quiet)
			err = k.client.receive(k, e)
		}
		if err == nil {
			continue
		}
		k.farewell(err)
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.why
	}
}

// farewell ends the stream as the protocol has it. A violation is named to the server; nil stands for the end of this
// node, after which the server need not keep the stream.
func (k *connection) farewell(err error) {
	condition := ""
	if v, ok := errors.AsType[*violation](err); ok {
		condition = v.condition
	} else if err != nil && !errors.Is(err, errEnded) {
		k.end(words(k.client.c.domain(), err))
		return
	}
	if k.put(farewell(condition)) && k.put(nil) {
		select {
		case <-k.last:
			if condition != "" {
				k.drain()
			}
		case <-k.ended:
		case <-time.After(k.client.c.Patience / 4):
		}
	}
	if err == nil {
		err = errEnded
	}
	k.end(err)
}

// drainTime is how long a server that has broken the rules may go on sending. If a connection is closed before it is
// read to its end, it is reset, and the server might not learn why.
const drainTime = time.Second

// drain reads what the server still sends, and keeps nothing of it. Nothing is sent any more.
func (k *connection) drain() {
	if half, ok := k.n.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // an error is the end that is waited for
	}
	_ = k.n.conn.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.Copy(io.Discard, k.n.conn)
}

// end ends the connection, for a reason that the first caller gives.
func (k *connection) end(why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return
	}
	k.over, k.why = true, why
	k.silence.Stop()
	k.quiet.Stop()
	close(k.ended)
	// Closing TLS writes, and must not wait for a server that does not read.
	_ = k.n.conn.SetWriteDeadline(time.Now().Add(time.Second))
	go k.n.conn.Close()
}

// onQuiet asks the server whether it is there.
func (k *connection) onQuiet() {
	k.client.mu.Lock()
	defer k.client.mu.Unlock()
	k.ask(k.client.ledger.written)
}

// askSoon asks the server a second later: it has not come further since it was asked.
func (k *connection) askSoon() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.over {
		k.quiet.Reset(min(k.client.c.Quiet, time.Second))
	}
}

// ask asks the server for an answer, which acknowledges all stanzas that are written up to now. While an answer is
// awaited it does nothing: the next one is asked for then.
func (k *connection) ask(upTo uint64) {
	k.mu.Lock()
	if k.asked || k.over {
		k.mu.Unlock()
		return
	}
	k.asks++
	k.asked, k.upTo = true, upTo
	k.silence.Reset(k.client.c.Patience)
	k.quiet.Reset(k.client.c.Quiet)
	id := k.pingID()
	k.mu.Unlock()
	c := k.client.c
	request := New(nsSM, "r")
	if !k.n.counts {
		request = New("", "iq", "type", "get", "id", id, "to", c.domain()).With(New(nsPing, "ping"))
		if c.Component != "" {
			request.Attributes["from"] = c.Component
		}
	}
	k.put(request.encode(c.content()))
}

// pingID is the ID of the last ping. The caller holds k.mu.
func (k *connection) pingID() string { return "tidings-ping-" + strconv.FormatUint(k.asks, 10) }

// answers reports whether an IQ is the answer to the last ping: that of the server, or, as a component's ping leads
// back to it, the ping itself.
func (k *connection) answers(iq *Element) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.asked || k.n.counts || iq.Get("id") != k.pingID() {
		return false
	}
	c := k.client.c
	switch from := iq.Get("from"); iq.Get("type") {
	case "result", "error":
		return from == "" || from == c.domain() || from == c.Account
	case "get":
		return c.Component != "" && from == c.Component && iq.Child(nsPing, "ping") != nil
	}
	return false
}

// answered notes that the server has answered, and returns the stanzas that this acknowledges.
func (k *connection) answered() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = false
	k.silence.Stop()
	return k.upTo
}
