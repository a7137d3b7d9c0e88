package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/multiformats/go-multistream"

	"tidings/network/engine"
)

// Errors of Connect, beside those of ParseAddress.
var (
	ErrRefused  = errors.New("nobody listens there (connection refused)")
	ErrTimeout  = errors.New("no answer in time: the node is off, the address is old, or a firewall is between")
	ErrOtherKey = errors.New("another node answers there: the /p2p/… part of the address is not its")
	ErrNoWay    = errors.New(
		"nothing of the address can be used: its name cannot be looked up, or it is QUIC and this network has a key")
	ErrNetworkKey = errors.New("whoever answers does not hold this network's key")
	ErrHandshake  = errors.New(
		"whoever answers does not hold a proper conversation: it may want a network key, or be no node")
	ErrNoTidings    = errors.New("whoever answers speaks libp2p, and not Tidings")
	ErrMyself       = errors.New("that is this node's own address")
	ErrDuplicateKey = errors.New("another running node has this node's key, and was known there first")
	ErrBanned       = errors.New(
		"this node refuses that one for a while, because it broke the protocol or spread what is false, again " +
			"and again")
	ErrOtherWork   = errors.New("the two nodes are of networks that ask for different work of nodes' IDs")
	ErrLittleWork  = errors.New("a node's ID has less work than its network asks for, so nobody there takes it in")
	ErrQUICWithKey = errors.New(
		"a network with a key speaks TCP alone, and that is an address of QUIC: give the other node's TCP " +
			"address, which its status shows")
	ErrFull = errors.New("this node has as many connections as it may")

	errLost = errors.New("the connection was lost at once")
)

// Connect connects to an address that a person gives and returns the node that answers. It
// says why not in words for people; see the errors above.
func (h *Host) Connect(ctx context.Context, address string) (engine.Peer, error) {
	to, err := ParseAddress(address)
	if err != nil {
		return engine.Peer{}, err
	}
	if to.ID == h.id {
		return engine.Peer{}, ErrMyself
	}
	given := to
	if to, err = withTCP(to); err != nil {
		return engine.Peer{}, err
	}
	if err := ctx.Err(); err != nil {
		return engine.Peer{}, h.explainOne(err)
	}
	answer := make(chan error, 1)
	if err := h.Do(ctx, func() { h.loop.connect(ctx, to, answer) }); err != nil {
		return engine.Peer{}, h.explainOne(err)
	}
	select {
	case err = <-answer:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-h.done:
		err = ErrStopped
	}
	if err != nil {
		return engine.Peer{}, h.explain(given, to, err)
	}
	answered := to
	if h.Do(ctx, func() {
		if l := h.loop.links[to.ID]; l != nil {
			answered = l.peer
		}
	}) != nil {
		return to, nil // without what it said of its places
	}
	return answered, nil
}

// withTCP adds to an address without TCP the one with the port of its QUIC, at which nodes listen both ways: a network
// may let no UDP through.
func withTCP(p engine.Peer) (engine.Peer, error) {
	c, err := check(p)
	if err != nil {
		return p, err
	}
	var guessed []ma.Multiaddr
	for _, place := range c.places {
		switch transportOf(place) {
		case overTCP:
			return p, nil
		case overQUIC:
			tcp, err := ma.NewComponent("tcp", strconv.Itoa(portIn(place, ma.P_UDP)))
			if err != nil {
				return p, err
			}
			guessed = append(guessed, ma.Multiaddr{place[0], *tcp})
		}
	}
	c.places = append(slices.Clone(c.places), guessed...)
	return engine.Peer{ID: p.ID, Address: c.address()}, nil
}

// connect begins a link on a person's request, whatever happened to earlier ones. A link that is being opened at
// another of the peer's addresses may fail where this one would not. Then this one is tried next, if ctx has not ended.
func (p *loop) connect(ctx context.Context, to engine.Peer, answer chan<- error) {
	l := p.links[to.ID]
	switch {
	case p.stopping:
		answer <- ErrStopped
		return
	case l != nil && l.connected:
		answer <- nil
		return
	case l != nil && l.peer.Address != to.Address:
		l.waiters = append(l.waiters, func(err error) {
			if err == nil || ctx.Err() != nil {
				answer <- err
			} else if !p.h.mail.post(func() { p.connect(ctx, to, answer) }) {
				answer <- ErrStopped
			}
		})
		return
	case l == nil && p.h.penalties.refuses(to.ID):
		answer <- ErrBanned
		return
	case l == nil && !p.h.config.admits(to.ID):
		answer <- fmt.Errorf("%w: %d bits, where %d are asked for (--id-work)", ErrLittleWork, to.ID.Work(),
			p.h.config.IDWork)
		return
	case l == nil && len(p.links) >= p.h.limits.Links:
		answer <- ErrFull
		return
	case l == nil:
		c, err := check(to)
		if err != nil {
			answer <- err
			return
		}
		info, err := c.info()
		if err != nil {
			answer <- err
			return
		}
		l = p.newLink(to, info.ID)
		p.open(l, c, nil)
	}
	l.waiters = append(l.waiters, func(err error) { answer <- err })
}

// explain finds the words for what went wrong: for each place that was given, where they differ. Those that were tried
// besides say nothing: nobody has claimed that anybody listens there.
func (h *Host) explain(given, tried engine.Peer, err error) error {
	var dial *swarm.DialError
	if !errors.As(err, &dial) {
		return h.explainOne(err)
	}
	if h.config.NetworkKey != nil && !usesTCP(given) {
		return withoutQUIC(h, dial)
	}
	var all placeErrors
	for _, e := range dial.DialErrors {
		if holds(tried, e.Address) && !holds(given, e.Address) {
			continue
		}
		all = append(all, placeError{e.Address.String(), h.explainOne(e.Cause)})
	}
	if errors.Is(dial.Cause, context.DeadlineExceeded) {
		all = append(all, unanswered(given, dial.DialErrors)...)
	}
	if len(all) == 0 {
		return h.explainOne(err)
	}
	if !slices.ContainsFunc(all, func(e placeError) bool { return e.err.Error() != all[0].err.Error() }) {
		return all[0].err
	}
	return all
}

func usesTCP(p engine.Peer) bool {
	c, err := check(p)
	return err == nil &&
		slices.ContainsFunc(c.places, func(place ma.Multiaddr) bool { return transportOf(place) == overTCP })
}

// withoutQUIC reports that an address of QUIC is of no use where the network has a key, and the result of the TCP
// addresses that were tried instead.
func withoutQUIC(h *Host, dial *swarm.DialError) error {
	var tried placeErrors
	for _, e := range dial.DialErrors {
		if transportOf(e.Address) == overTCP {
			tried = append(tried, placeError{e.Address.String() + "/p2p/" + dial.Peer.String(), h.explainOne(e.Cause)})
		}
	}
	if len(tried) == 0 {
		return ErrQUICWithKey
	}
	return fmt.Errorf("%w; tried in its place: %w", ErrQUICWithKey, tried)
}

// holds reports whether a place is one of a peer's.
func holds(p engine.Peer, place ma.Multiaddr) bool {
	c, err := check(p)
	return err == nil && slices.ContainsFunc(c.places, place.Equal)
}

// unanswered returns the places of a peer that have given no error.
func unanswered(to engine.Peer, failed []swarm.TransportError) (silent placeErrors) {
	c, err := check(to)
	if err != nil {
		return nil
	}
	for _, place := range c.places {
		if !slices.ContainsFunc(failed, func(e swarm.TransportError) bool { return e.Address.Equal(place) }) {
			silent = append(silent, placeError{place.String(), ErrTimeout})
		}
	}
	return silent
}

// placeErrors says what went wrong at each of several places.
type placeErrors []placeError

type placeError struct {
	place string
	err   error
}

// Error names each place with its error.
func (all placeErrors) Error() string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = e.place + ": " + e.err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors without their places.
func (all placeErrors) Unwrap() []error {
	errs := make([]error, len(all))
	for i, e := range all {
		errs[i] = e.err
	}
	return errs
}

func (h *Host) explainOne(err error) error {
	known := reason(err)
	if known == nil && brokenHandshake(err) {
		known = ErrHandshake
		if h.config.NetworkKey != nil {
			known = ErrNetworkKey
		}
	}
	if known == nil {
		return err
	}
	return known
}

// dialWords says why a dial failed, in a few words.
func dialWords(err error) string {
	if known := reason(err); known != nil {
		return known.Error()
	}
	var dial *swarm.DialError
	if errors.As(err, &dial) && len(dial.DialErrors) > 0 {
		err = dial.DialErrors[0].Cause
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// reason returns the error of this package that stands for err; nil if there is none.
func reason(err error) error {
	var mismatch sec.ErrPeerIDMismatch
	switch {
	case errors.As(err, &mismatch) || strings.Contains(err.Error(), "peer id mismatch"):
		return ErrOtherKey
	case errors.Is(err, swarm.ErrNoGoodAddresses):
		return ErrNoWay
	case errors.Is(err, swarm.ErrGaterDisallowedConnection):
		return ErrBanned
	case errors.As(err, new(multistream.ErrNotSupported[protocol.ID])) ||
		strings.Contains(err.Error(), "protocols not supported"):
		return ErrNoTidings
	case brokenHandshake(err):
		return nil
	case errors.Is(err, syscall.ECONNREFUSED):
		return ErrRefused
	case errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) || strings.Contains(err.Error(), "timeout"):
		return ErrTimeout
	}
	return nil
}

// brokenHandshake reports whether somebody answered and did not come through the handshake.
func brokenHandshake(err error) bool {
	return strings.Contains(err.Error(), "failed to negotiate security protocol")
}
