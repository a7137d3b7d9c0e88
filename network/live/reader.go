package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
	"tidings/network/live/nat"
)

// listener notes when bytes come.
type listener struct {
	stream network.Stream
	start  time.Time
	pulse  *pulse // nil before the stream belongs to a link
}

func (l *listener) Read(b []byte) (int, error) {
	n, err := l.stream.Read(b)
	if n > 0 && l.pulse != nil {
		l.pulse.heard.Store(int64(time.Since(l.start)))
		l.pulse.read.Add(int64(n))
	}
	return n, err
}

var errTooMuch = errors.New("more messages than the peer may send")

// read receives a peer's frames until the stream ends, and says why it did.
func (h *Host) read(l *link, in *incoming, r *bufio.Reader) {
	for {
		m, size, err := h.config.Codec.ReadFrame(r)
		kind, known := engine.Kind(0), m != nil
		if known {
			kind = m.Kind()
		}
		if err == nil || errors.Is(err, engine.ErrUnknown) {
			err = h.measure(l, in, m, kind, size)
		}
		if err != nil {
			l.flow.put(arrival{stream: in, end: err}, h.quit)
			return
		}
	}
}

// measure counts a message, holds it against the rates, and passes it on if it may.
func (h *Host) measure(l *link, in *incoming, m engine.Message, kind engine.Kind, size int) error {
	c := h.traffic.kind(kind)
	c.receive(size)
	class := h.config.Codec.Class(kind)
	if m != nil {
		class = h.config.Codec.ClassOf(m)
	}
	switch l.meter.spend(class, size, time.Now()) {
	case offence:
		return errTooMuch
	case excess:
		c.refused.Add(1)
		return nil
	}
	switch m := m.(type) {
	case nil: // of a kind that a newer version may know
	case *engine.Hello:
		return fmt.Errorf("%w: Hello twice", engine.ErrMalformed)
	case *Ping:
		pong, err := h.encode(&Pong{Nonce: m.Nonce, Wall: time.Now().UnixMilli(), Seen: nat.SeenAt(in.stream.Conn())})
		if err != nil {
			return err
		}
		l.out.jump(pong)
	case *Pong:
		h.pong(l, m)
	default:
		if !l.flow.put(arrival{message: m, size: size, stream: in}, h.quit) {
			return io.EOF
		}
		l.pulse.heard.Store(int64(time.Since(h.loop.clock.start)))
	}
	return nil
}
