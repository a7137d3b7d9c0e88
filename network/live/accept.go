package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// readBuffer is how many bytes of a stream are read at once.
const readBuffer = 4 << 10

// accept is called by libp2p, in a goroutine of its own, for each stream that a peer opens.
func (h *Host) accept(s network.Stream) {
	select {
	case <-h.ready:
	case <-h.quit:
		_ = s.Reset()
		return
	}
	leave := h.tasks.enter()
	if leave == nil {
		_ = s.Reset()
		return
	}
	defer leave()
	stop := context.AfterFunc(h.life, func() { _ = s.Reset() })
	defer stop()
	h.serve(s)
}

// serve reads a peer's stream from Hello to its end.
func (h *Host) serve(s network.Stream) {
	key, err := keyOf(s.Conn().RemotePeer())
	if err != nil {
		_ = s.Reset()
		return
	}
	id := NodeID(key)
	_ = s.SetReadDeadline(time.Now().Add(h.limits.HelloWithin))
	listener := &listener{stream: s, start: h.loop.clock.start}
	r := bufio.NewReaderSize(listener, readBuffer)
	in, err := h.readHello(s, r, key)
	if err != nil {
		_ = s.Reset()
		h.mail.post(func() { h.loop.unwelcome(id, s, err) })
		return
	}
	h.newcomers.Met(s.Conn().RemoteMultiaddr())
	_ = s.SetReadDeadline(time.Time{})
	defer close(in.read)
	admitted := make(chan *link, 1)
	if !h.mail.post(func() { admitted <- h.loop.admit(in, id) }) {
		_ = s.Reset()
		return
	}
	select {
	case l := <-admitted:
		if l == nil {
			_ = s.Reset()
			return
		}
		listener.pulse = &l.pulse
		if in.before != nil {
			in.before.finish(moveWithin, h.quit)
			in.before = nil
		}
		h.read(l, in, r)
	case <-h.done:
	case <-h.quit:
	}
}

// readHello reads what must come first, Hello and Place, and negotiates. A DuplicateKey in the place
// of Place says that this node is not wanted.
func (h *Host) readHello(s network.Stream, r *bufio.Reader, key []byte) (*incoming, error) {
	m, _, err := h.config.Codec.ReadFrame(r)
	if err != nil {
		return nil, err
	}
	hello, ok := m.(*engine.Hello)
	if !ok {
		return nil, fmt.Errorf("%w: a stream that does not begin with Hello", engine.ErrMalformed)
	}
	if _, err := engine.NewHello(h.config.Agent, 0).Negotiate(hello); err != nil {
		return nil, incompatible{err}
	}
	if err := h.config.checkWork(hello, NodeID(key)); err != nil {
		return nil, incompatible{err}
	}
	if m, _, err = h.config.Codec.ReadFrame(r); err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *Place:
		c, err := ownPlace(m, key)
		return &incoming{stream: s, hello: hello, place: m, contact: c, incarnation: hello.Incarnation,
			read: make(chan struct{})}, err
	case *DuplicateKey:
		return nil, ErrDuplicateKey
	}
	return nil, fmt.Errorf("%w: a Hello without Place", engine.ErrMalformed)
}

// ownPlace reads what a peer says of its own places.
func ownPlace(place *Place, key []byte) (contact, error) {
	c, err := parseContact(place.Address)
	if err == nil && string(c.key) != string(key) {
		err = errors.New("a Place with another node's key")
	}
	if err != nil {
		return contact{}, fmt.Errorf("%w: %w", engine.ErrMalformed, err)
	}
	return c, nil
}

// checkWork says why this node and one that has said Hello cannot be in one network, as far as the work of their IDs is
// concerned; nil: they can.
func (c *Config) checkWork(hello *engine.Hello, id engine.ID) error {
	switch {
	case int(hello.IDWork) != c.IDWork:
		return fmt.Errorf("%w: the other node asks for %d bits, this one for %d; start both with the same --id-work",
			ErrOtherWork, hello.IDWork, c.IDWork)
	case !c.admits(id):
		return fmt.Errorf("%w: the other node's ID has %d bits, and the network asks for %d", ErrLittleWork, id.Work(),
			c.IDWork)
	}
	return nil
}

// incompatible is the error of a Hello with which there is no common version, or no common network.
type incompatible struct{ error }
