package live

import (
	"context"
	"errors"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// Sizes of what is written at once, in bytes but for keptBatches.
const (
	writeBatch  = 64 << 10
	writeChunk  = 16 << 10
	keptBatch   = 128 << 10 // a larger buffer is given back
	keptBatches = 256       // frames
)

// startWriter makes a goroutine send what the link's outbox holds on s, behind the greeting and the end of what was
// sent on another stream, until the link stops. Without an end, nothing more comes on another.
func (p *loop) startWriter(l *link, s network.Stream, end func()) {
	ctx, stop := context.WithCancel(context.Background())
	written := make(chan struct{})
	l.stop, l.written = stop, written
	h := p.h
	place := p.ways.placeFor(l)
	place.Anew = end == nil
	h.task(func() {
		defer close(written)
		err := h.greet(s, place)
		if end != nil {
			end()
		}
		if err == nil {
			err = h.write(ctx, s, l)
		}
		if err != nil && ctx.Err() == nil {
			h.mail.post(func() {
				if l.stream == s {
					p.writeFailed(l, err)
				}
			})
		}
	})
}

// greet says Hello, and what comes second.
func (h *Host) greet(s network.Stream, second engine.Message) error {
	var frames []frame
	var data []byte
	hello := engine.NewHello(h.config.Agent, h.incarnation)
	hello.IDWork = uint8(h.config.IDWork)
	for _, m := range []engine.Message{hello, second} {
		f, err := h.encode(m)
		if err != nil {
			return err
		}
		frames, data = append(frames, f), append(data, f.bytes...)
	}
	h.traffic.sent(frames)
	return h.writeAll(s, data)
}

// write sends what a link's outbox holds, once the peer has greeted as well. Before that it is unknown whether the
// connection is good and which version is spoken.
func (h *Host) write(ctx context.Context, s network.Stream, l *link) error {
	out := l.out
	select {
	case <-l.greeted:
	case <-ctx.Done():
		return nil
	case <-h.quit:
		return nil
	}
	var frames []frame
	var buffer []byte
	alarm := time.NewTimer(0) // rings when what is delayed is due
	defer alarm.Stop()
	for ctx.Err() == nil {
		for frames = out.pop(frames[:0], writeBatch); len(frames) == 0; frames = out.pop(frames[:0], writeBatch) {
			if due := out.nextDue(); !due.IsZero() {
				alarm.Reset(time.Until(due))
			}
			select {
			case <-out.wake:
			case <-alarm.C:
			case <-ctx.Done():
				return nil
			case <-h.quit:
				return nil
			}
		}
		buffer = buffer[:0]
		for _, f := range frames {
			buffer = append(buffer, f.bytes...)
		}
		if err := h.writeAll(s, buffer); err != nil {
			h.traffic.dropped(frames)
			return err
		}
		h.traffic.sent(frames)
		l.wrote.Add(int64(len(buffer)))
		if cap(buffer) > keptBatch {
			buffer = nil
		}
		if cap(frames) > keptBatches {
			frames = nil
		}
		clear(frames)
	}
	return nil
}

var errStalled = errors.New("the peer does not read")

// writeAll writes data; each chunk must go within Limits.Stall.
func (h *Host) writeAll(s network.Stream, data []byte) error {
	for len(data) > 0 {
		chunk := data[:min(len(data), writeChunk)]
		data = data[len(chunk):]
		if err := s.SetWriteDeadline(time.Now().Add(h.limits.Stall)); err != nil {
			return err
		}
		if _, err := s.Write(chunk); err != nil {
			var timeout interface{ Timeout() bool }
			if errors.As(err, &timeout) && timeout.Timeout() {
				return errStalled
			}
			return err
		}
	}
	return nil
}

func (p *loop) writeFailed(l *link, err error) {
	if errors.Is(err, errStalled) {
		p.disconnect(l, err.Error(), true)
		return
	}
	if l.in != nil && l.in.stream.Conn() == l.stream.Conn() && l.stream.Conn().IsClosed() {
		return // the reader reports it, behind what it read
	}
	p.broken(l, "the stream was closed")
}
