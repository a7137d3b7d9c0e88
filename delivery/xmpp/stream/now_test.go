package stream

import (
	"testing"

	"tidings/delivery/xmpp/xmpptest"
)

// SendNow fails at once where there is no stream, and never writes to the next one.
func TestSendNowWaitsForNoStream(t *testing.T) {
	c, err := Open(Config{Component: "news.example", Server: "127.0.0.1:1", Secret: "x", Handle: func(*Element) {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SendNow(t.Context(), chat("", "a@b", "1", "x")); err == nil {
		t.Error("it was sent")
	}
	if len(c.ledger.queue) != 0 {
		t.Error("it waits for a stream")
	}
}

// A stream that is not to be resumed is not: its end is noted, another begins, and the account's other streams learn of
// both.
func TestProsodyFleetingStreams(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	watch := account(p, "alice", p.Clients)
	watch.Resource, watch.Fleeting = "tidings-watch", true
	w := keep(t, watch)
	w.up()
	other := account(p, "alice", p.Clients)
	other.Resource, other.Fleeting = "tidings-other", true
	o := keep(t, other)
	o.up()
	presence := func(kind string) func(*Element) bool {
		return func(e *Element) bool {
			return e.Local == "presence" && e.Get("type") == kind && e.Get("from") == "alice@localhost/tidings-other"
		}
	}
	w.next(presence(""))
	o.mu.Lock()
	live := o.live
	o.mu.Unlock()
	live.n.conn.Close() // as a broken connection
	w.next(presence("unavailable"))
	o.down()
	o.up()
	w.next(presence(""))
}
