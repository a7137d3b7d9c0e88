package xmpp

import (
	"context"
	"errors"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

// scheme is that of targets' URLs.
const scheme = "xmpp:"

// AddressOf returns the bare address that a target's URL names, such as xmpp:user@example.org.
func AddressOf(url string) (string, error) {
	rest, ok := strings.CutPrefix(url, scheme)
	if !ok {
		return "", tidings.Invalidf("%s is no address of XMPP: write it as xmpp:user@example.org", tidings.Quote(url))
	}
	bare, err := stream.Bare(rest)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(rest, "/?#") || !strings.Contains(bare, "@") {
		return "", tidings.Invalidf("%s names no person: write xmpp:user@example.org, and nothing behind it",
			tidings.Quote(url))
	}
	return bare, nil
}

// URLOf returns the URL of a target by its bare address.
func URLOf(address string) string { return scheme + address }

// Validate returns a tidings.ErrInvalid if nothing could be sent to a target.
func (b *Bot) Validate(t tidings.Target) error {
	address, err := AddressOf(t.URL)
	switch {
	case err != nil:
		return err
	case address == b.self:
		return tidings.Invalidf("%s is the address of this node itself: give your own", address)
	case len(t.URL) > tidings.MaxTargetURL:
		return tidings.Invalidf("the address is too long")
	case t.Secret != "":
		return tidings.Invalidf("an address of XMPP needs no secret: leave it out")
	}
	return notify.ValidateCommon(t)
}

// Preview returns what a target would be sent. It sends nothing.
func (b *Bot) Preview(t tidings.Target, m outbox.Message) (notify.Sample, error) {
	if err := b.Validate(t); err != nil {
		return notify.Sample{}, err
	}
	w := b.word(t, m)
	return notify.Sample{Title: w.Title, Text: w.Text, Link: w.Link, Request: b.notification(t, m, w).String()}, nil
}

// notification returns the message that brings an update.
func (b *Bot) notification(t tidings.Target, m outbox.Message, w Wording) *stream.Element {
	from := ""
	if b.domain != "" {
		from = b.self
	}
	return b.message(strings.TrimPrefix(t.URL, scheme), from, m.ID, worded(w)).With(stream.New(nsReceipts, "request"))
}

// Send sends a message to a target, and returns nil once the server has accepted it. A refusal is a *outbox.Refusal.
func (b *Bot) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	if err := b.Validate(t); err != nil {
		return err
	}
	address, err := AddressOf(t.URL)
	if err != nil {
		return err
	}
	waited := time.Since(m.Made)
	if late := b.lastWords.remove(address, time.Now()); late != nil {
		if r := refusal(late, waited, m.Attempt); r.Gone {
			return r
		}
	}
	if b.crew != nil && !strings.HasPrefix(m.ID, testPrefix) {
		err = b.sendShared(ctx, t, address, m)
	} else if err = b.admission(ctx, address); err == nil {
		err = b.client.Send(ctx, b.notification(t, m, b.word(t, m)))
	}
	if e, ok := errors.AsType[*stream.StanzaError](err); ok {
		return refusal(e, waited, m.Attempt)
	}
	return err
}

// testPrefix is what the IDs of messages begin with that go past the outbox (notify.TestMessage).
const testPrefix = "test-"

// admission waits until a message may be sent to an address.
func (b *Bot) admission(ctx context.Context, address string) error {
	if err := b.messages.limiter(address, time.Now()).Wait(ctx); err != nil {
		return errors.New("too many messages wait for this address")
	}
	if err := b.sending.Wait(ctx); err != nil {
		return errors.New("too many messages wait to be sent by XMPP")
	}
	return nil
}

// sendShared sends the parts of a message that this node is to send, and no other node. It returns nil once all parts
// are sent. If another node sends a part, the error is an outbox.Held.
func (b *Bot) sendShared(ctx context.Context, t tidings.Target, address string, m outbox.Message) error {
	plain := partsOf(m)
	parts := b.crew.done.numbered(address, plain)
	l := load{target: t.ID, address: address, parts: parts, keys: keysOf(address, parts), made: m.Made}
	todo, err := b.crew.ready(l)
	if err == nil && todo {
		err = b.sendParts(ctx, t, m, l)
	}
	if err == nil {
		b.crew.done.count(address, plain)
	}
	return err
}

// sendParts sends those parts of a message that this node is granted.
func (b *Bot) sendParts(ctx context.Context, t tidings.Target, m outbox.Message, l load) error {
	if err := b.admission(ctx, l.address); err != nil {
		return err
	}
	granted, landed, err := b.crew.claim(ctx, l)
	if err != nil || len(granted) == 0 {
		return err
	}
	names := make([]string, len(granted))
	for i, at := range granted {
		names[i] = l.parts[at]
	}
	m = only(m, l.parts, granted)
	m.ID = partName(append([]string{l.address}, names...)...)
	err = b.client.SendNow(ctx, b.notification(t, m, b.word(t, m)).With(partsElement(names)))
	landed(err)
	return err
}

// load is a message that a node wants to send.
type load struct {
	target  int64
	address string
	parts   []string
	keys    []share.Key
	made    time.Time
}
