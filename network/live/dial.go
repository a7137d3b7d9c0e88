package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/multiformats/go-multistream"
)

// open opens our stream of a link beside the loop: by dialling, or on the connection on if that is not nil.
func (p *loop) open(l *link, to contact, on network.Conn) {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.attempt++
	l.dialling = on == nil
	attempt := l.attempt
	h, closing := p.h, p.closing[l.pid]
	h.task(func() {
		var s network.Stream
		var err error
		if on == nil {
			s, err = h.dial(ctx, l.pid, to, closing)
		} else {
			s, err = h.openOn(ctx, on)
		}
		if !h.mail.post(func() { p.opened(l, attempt, s, err) }) && s != nil {
			_ = s.Reset()
		}
	})
}

// dial connects, if need be, and opens a stream, when earlier connections have been closed.
// At most Limits.Dials run at a time, and Limits.BusyDials of those that begin while this node is busy.
func (h *Host) dial(ctx context.Context, id peer.ID, to contact, closing <-chan struct{}) (network.Stream, error) {
	ctx, cancel := h.untilQuit(ctx)
	defer cancel()
	if closing != nil {
		select {
		case <-closing:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	places, err := h.dialPlace(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { <-places }()
	ctx, cancel = context.WithTimeout(ctx, h.limits.DialTimeout)
	defer cancel()
	ctx = network.WithAllowLimitedConn(ctx, "a relay is better than nothing")
	for attempt := 1; ; attempt++ {
		earlier := h.net.Network().ConnsToPeer(id)
		s, err := h.connectAndOpen(ctx, id, to)
		if err != nil && attempt <= dialRetries && (crowded(err) || crossed(err)) {
			select {
			case <-time.After(time.Duration(attempt)*dialPause + rand.N(dialPause)):
				continue
			case <-ctx.Done():
				return nil, err
			}
		}
		if err == nil || len(earlier) == 0 || ctx.Err() != nil || errors.Is(reason(err), ErrNoTidings) {
			return s, err
		}
		// libp2p used a connection that was there, and that the other side was closing
		// or has lost. Without it, it dials.
		for _, c := range earlier {
			_ = c.Close()
		}
	}
}

// dialPlace waits until another dial may begin, and returns the places that it occupies.
func (h *Host) dialPlace(ctx context.Context) (places chan struct{}, err error) {
	for {
		places, idle := h.dials, (<-chan time.Time)(nil)
		if left := time.Duration(h.busyUntil.Load()) - h.loop.elapsed(); left > 0 {
			places, idle = h.busyDials, time.After(left)
		}
		select {
		case places <- struct{}{}:
			return places, nil
		case <-idle:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// What may be no fault of the peer's is tried a few times again before it counts as down. The
// pause is drawn, so that two that dial each other do not do it at the same moment again.
const (
	dialRetries = 4
	dialPause   = 150 * time.Millisecond
)

// crowded reports whether a peer came through the handshake and then closed the connection before a stream was opened.
// It happens where many dial it at once, as libp2p's queue of new connections is short. libp2p has no error to compare
// with.
func crowded(err error) bool {
	text := err.Error()
	return text == "connection failed" || strings.HasPrefix(text, "failed to open stream: connection closed (remote)")
}

// crossed reports whether a handshake broke because two nodes dialled each other at the same moment over TCP. Both dial
// from the port they listen on, so the two dials make one connection (RFC 9293, section 3.5), on which each waits for
// the other to answer. One notices, and the other loses the connection. libp2p has no error to compare with.
func crossed(err error) bool {
	text := err.Error()
	return brokenHandshake(err) && (strings.Contains(text, "noise: message is too short") ||
		strings.Contains(text, "connection reset by peer"))
}

// placesTTL is how long libp2p keeps the places of a peer that is dialled. When a connection has ended, its identify
// service forgets what it learned for TempAddrTTL, which is also the time that Connect sets. A dial that begins at that
// moment would find no address.
var placesTTL = peerstore.TempAddrTTL + time.Minute

func (h *Host) connectAndOpen(ctx context.Context, id peer.ID, to contact) (network.Stream, error) {
	if s, ok := h.net.Network().(*swarm.Swarm); ok {
		s.Backoff().Clear(id) // the loop has a back-off of its own
	}
	if h.net.Network().Connectedness(id) == network.NotConnected {
		h.net.Peerstore().ClearAddrs(id) // only these places are meant; libp2p would try all that it knows
	}
	h.net.Peerstore().AddAddrs(id, to.places, placesTTL)
	if err := h.net.Connect(ctx, peer.AddrInfo{ID: id, Addrs: to.places}); err != nil {
		return nil, err
	}
	return h.net.NewStream(network.WithNoDial(ctx, "connected"), id, protocolID)
}

// openOn opens a stream on a certain connection. Others to the same peer may be dead, or lead
// to another incarnation of it.
func (h *Host) openOn(ctx context.Context, c network.Conn) (network.Stream, error) {
	ctx, cancel := h.untilQuit(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(network.WithAllowLimitedConn(ctx, "the peer chose it"), h.limits.DialTimeout)
	defer cancel()
	s, err := c.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Reset() })
	defer stop()
	if err = s.SetProtocol(protocolID); err == nil {
		err = multistream.SelectProtoOrFail[protocol.ID](protocolID, s)
	}
	if err != nil {
		_ = s.Reset()
		return nil, err
	}
	return s, nil
}

// untilQuit ends a context with the host.
func (h *Host) untilQuit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(h.life, cancel)
	return ctx, func() { stop(); cancel() }
}
