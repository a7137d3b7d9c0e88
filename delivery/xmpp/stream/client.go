package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"mellium.im/xmpp/jid"
)

// Bounds on what waits.
const (
	maxQueue    = 512  // stanzas that the server has not acknowledged
	maxOut      = 1024 // stanzas and answers that wait to be written
	maxAccepted = 4096 // messages of which is remembered that the server has accepted them
)

var (
	errDown   = errors.New("there is no connection to the XMPP server yet")
	errBusy   = errors.New("too many messages wait for the XMPP server")
	errSilent = errors.New("the XMPP server did not answer")
	errStuck  = errors.New("the XMPP server accepts nothing")
)

// Client keeps a stream. Its methods may be called by many goroutines at once.
type Client struct {
	c Config

	mu      sync.Mutex
	live    *connection   // nil: there is no stream
	changed chan struct{} // is closed when a stream begins, and when there is room again
	problem error         // why there is no stream
	ledger  ledger
}

// Open returns a client that does nothing until Run. The error says what is wrong with c.
func Open(c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if c.Component != "" {
		c.Component = jid.MustParse(c.Component).String()
	} else {
		c.Account = jid.MustParse(c.Account).String()
	}
	return &Client{c: c, changed: make(chan struct{}), problem: errDown}, nil
}

// Problem returns why there is no stream; nil if there is one.
func (c *Client) Problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		return nil
	}
	return c.problem
}

// Run keeps the stream until ctx is done. It then ends the stream, and returns.
func (c *Client) Run(ctx context.Context) {
	wait, said := c.c.FirstWait, ""
	for ctx.Err() == nil {
		began := time.Now()
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > c.c.MostWait {
			wait = c.c.FirstWait
		}
		if c.down(err) {
			said = ""
			c.c.Down()
		}
		pause := wait
		if errors.As(err, new(*refused)) {
			pause = max(pause, min(refusedWait, c.c.MostWait))
		}
		if text := err.Error(); text != said {
			c.c.Logger.Warn("there is no XMPP stream; connecting again", "reason", text)
			said = text
		}
		select {
		case <-time.After(pause - pause/4 + rand.N(pause/2+1)):
		case <-ctx.Done():
		}
		wait = min(2*wait, c.c.MostWait)
	}
}

// once connects, and returns when the stream has ended, with the reason.
func (c *Client) once(ctx context.Context) error {
	c.mu.Lock()
	previous, handled := c.ledger.resumable()
	c.mu.Unlock()
	n, err := c.c.connect(ctx, previous, handled)
	if err != nil {
		return err
	}
	live := newConnection(c, n)
	defer live.end(errEnded)
	c.mu.Lock()
	err = c.ledger.begin(n, func(e *Element) { live.put(e.encode(c.c.content())) })
	if err == nil {
		c.live, c.problem = live, nil
		c.announce()
	}
	c.mu.Unlock()
	if err != nil {
		live.farewell(err)
		return err
	}
	c.c.Logger.Info("the XMPP stream is up", "resumed", n.resumed, "managed", n.counts, "mechanism", n.mechanism)
	stop := context.AfterFunc(ctx, func() { live.farewell(nil) })
	defer stop()
	if !n.resumed {
		c.c.Up()
	}
	for _, e := range n.early {
		c.c.Handle(e)
	}
	return live.read()
}

// announce wakes all that wait for a change. The caller holds c.mu.
func (c *Client) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// down notes that there is no stream, and why, and reports whether there was one. What cannot be acknowledged any more
// has failed.
func (c *Client) down(why error) (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was = c.live != nil
	c.live, c.problem = nil, why
	if id, _ := c.ledger.resumable(); id == "" {
		c.ledger.lose(fmt.Errorf("the XMPP stream ended before the server confirmed the message: %w", why))
	}
	return was
}

// Write sends a stanza without waiting for anything. It fails if there is no stream, or too much waits for the server.
func (c *Client) Write(stanza *Element) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(&entry{stanza: stanza})
}

// write writes a stanza and notes it. The caller holds c.mu.
func (c *Client) write(e *entry) error {
	if c.live == nil {
		return c.problem
	}
	if len(c.ledger.queue) >= maxQueue {
		return errBusy
	}
	if !c.live.put(e.stanza.encode(c.c.content())) {
		return errBusy
	}
	c.ledger.add(e)
	if e.key != "" || len(c.ledger.queue) > maxQueue/2 {
		c.live.ask(c.ledger.written)
	}
	return nil
}

// Send sends a message, which has an address and an ID, and returns nil once the server has accepted it. The error is a
// *StanzaError if it was refused, by the server or the recipient. If ctx ends before, the message may arrive all the
// same; Send with the same ID then waits for the first one, or returns at once.
func (c *Client) Send(ctx context.Context, message *Element) error {
	return c.send(ctx, message, true)
}

// SendNow is Send for a message that is to be written at once: it fails where there is no stream, or where too much
// waits for the server.
func (c *Client) SendNow(ctx context.Context, message *Element) error {
	return c.send(ctx, message, false)
}

func (c *Client) send(ctx context.Context, message *Element, waits bool) error {
	key, err := keyOf(message.Get("to"), message.Get("id"))
	if err != nil {
		return err
	}
	for {
		c.mu.Lock()
		if c.ledger.accepted(key) {
			c.mu.Unlock()
			return nil
		}
		e := c.ledger.pending[key]
		if e == nil {
			e = &entry{key: key, stanza: message, done: make(chan struct{})}
			if err := c.write(e); err != nil {
				changed := c.changed
				c.mu.Unlock()
				if !waits {
					return err
				}
				select {
				case <-changed:
					continue
				case <-ctx.Done():
					return err
				}
			}
		}
		c.mu.Unlock()
		select {
		case <-e.done:
			return e.err
		case <-ctx.Done():
			if problem := c.Problem(); problem != nil {
				return problem
			}
			return errors.New("the XMPP server did not confirm the message in time")
		}
	}
}

// keyOf returns what a message is known by until it is acknowledged: its recipient, and its ID.
func keyOf(to, id string) (string, error) {
	bare, err := Bare(to)
	if err != nil {
		return "", err
	}
	if id == "" {
		return "", errors.New("a message that is to be confirmed has no ID")
	}
	return bare + " " + id, nil
}

// receive handles an element that came. It returns an error if that ends the stream.
func (c *Client) receive(live *connection, e *Element) error {
	switch {
	case e.Space == nsStream && e.Local == "error":
		return streamError(e)
	case e.Space == nsSM:
		return c.manage(live, e)
	case e.Space != "":
		return nil // nothing that this stream has asked for
	}
	answered := e.Local == "iq" && live.answers(e)
	c.mu.Lock()
	switch {
	case answered:
		c.acknowledge(live, live.answered())
	case e.Local == "message":
		answered = c.confirmed(e)
	}
	c.mu.Unlock()
	if !answered {
		c.c.Handle(e)
	}
	if e.Local == "message" || e.Local == "presence" || e.Local == "iq" {
		c.mu.Lock()
		c.ledger.handled++
		c.mu.Unlock()
	}
	return nil
}

// confirmed reports whether a message says of one that waits that it arrived, or that it did not. The caller holds
// c.mu.
func (c *Client) confirmed(e *Element) bool {
	id, failed := e.Get("id"), e.Get("type") == "error"
	receipt := e.Child(nsReceipts, "received")
	if receipt != nil && !failed {
		id = receipt.Get("id")
	}
	if receipt == nil && !failed {
		return false
	}
	key, err := keyOf(e.Get("from"), id)
	if err != nil || c.ledger.pending[key] == nil {
		return receipt != nil && !failed
	}
	if failed {
		c.ledger.settle(key, ErrorOf(e))
	} else {
		c.ledger.settle(key, nil)
	}
	return true
}

// manage handles an element of stream management.
func (c *Client) manage(live *connection, e *Element) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ledger.counts {
		return nil
	}
	switch e.Local {
	case "r":
		live.put(New(nsSM, "a", "h", fmt.Sprint(c.ledger.handled)).encode(c.c.content()))
	case "a":
		h, err := count(e)
		if err != nil {
			return err
		}
		written, err := c.ledger.position(h)
		if err != nil {
			return err
		}
		live.answered()
		c.acknowledge(live, written)
	}
	return nil
}

// acknowledge notes that the server has accepted all stanzas up to one, and asks for those that are left. The caller
// holds c.mu.
func (c *Client) acknowledge(live *connection, upTo uint64) {
	before := len(c.ledger.queue)
	c.ledger.acknowledge(upTo)
	if before >= maxQueue {
		c.announce()
	}
	switch {
	case len(c.ledger.pending) == 0:
	case len(c.ledger.queue) < before:
		live.ask(c.ledger.written)
	default:
		live.askSoon()
	}
}

// Address returns the bare address of the stream.
func (c *Client) Address() string {
	return cmp.Or(c.c.Component, c.c.Account)
}
