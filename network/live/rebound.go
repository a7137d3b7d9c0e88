package live

import (
	"net"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/quic-go/quic-go"
)

// reboundTo returns where the other end of a connection is now, if its router has another address since, or gave it another port: QUIC
// goes on (RFC 9000, section 9), and libp2p notices nothing. Nil: it is where it was.
func reboundTo(c network.Conn) ma.Multiaddr {
	var q *quic.Conn
	if c.Stat().Limited || !c.As(&q) {
		return nil
	}
	at, ok := q.RemoteAddr().(*net.UDPAddr)
	if !ok {
		return nil
	}
	place, err := quicreuse.ToQuicMultiaddr(at, quic.Version1)
	if err != nil || place.Equal(c.RemoteMultiaddr()) {
		return nil
	}
	return place
}

// seenAt returns what a Pong says of that: nothing if the other end is where it was.
func seenAt(c network.Conn) []byte {
	if place := reboundTo(c); place != nil {
		return place.Bytes()
	}
	return nil
}

// seenBy takes note of where the other end of a connection says that it sees this host now.
func (p *loop) seenBy(c network.Conn, seen []byte) {
	if len(seen) == 0 {
		return
	}
	place, err := ma.NewMultiaddrBytes(seen)
	if err == nil && transportOf(place) == overQUIC && p.h.outside.sees(c, place) {
		p.seenElsewhere()
	}
}
