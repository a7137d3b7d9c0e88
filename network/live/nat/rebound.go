package nat

import (
	"net"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/quic-go/quic-go"
)

// ReboundTo returns where the other end of a connection is now, if its router has another address since, or assigned it
// another port: QUIC goes on (RFC 9000, section 9), and libp2p notices nothing. Nil: it is where it was.
func ReboundTo(c network.Conn) ma.Multiaddr {
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

// SeenAt returns what a Pong says of a connection: where the other end is now, nothing if the other end is where it
// was.
func SeenAt(c network.Conn) []byte {
	if place := ReboundTo(c); place != nil {
		return place.Bytes()
	}
	return nil
}
