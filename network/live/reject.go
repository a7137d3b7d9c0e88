package live

import (
	"context"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// reject greets a peer that is not wanted, so that it learns why, and hangs up: from Hello
// which versions are spoken here, from a DuplicateKey that it is the copy of another node. The stream is
// like any other to the peer.
func (h *Host) reject(c network.Conn, m engine.Message) {
	defer c.Close()
	ctx, cancel := context.WithTimeout(h.life, h.limits.Farewell)
	defer cancel()
	s, err := h.openOn(ctx, c)
	if err != nil {
		return
	}
	defer s.Close()
	if h.greet(s, m) != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Reset() })
	defer stop()
	_ = s.CloseWrite()
	_, _ = s.Read(make([]byte, 1)) // until the peer has read all, and hangs up
}
