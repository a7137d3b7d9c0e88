package api

import (
	"context"
	"net/http"
	"strconv"

	"tidings/delivery/memory"
)

// sender writes one stream to one client. It buffers nothing beyond what the connection does.
type sender struct {
	w       http.ResponseWriter
	control *http.ResponseController
	events  bool // server-sent events, else JSON Lines
	cursor  int64
}

func (h *handler) newSender(w http.ResponseWriter, r *http.Request, cursor int64) *sender {
	return &sender{
		w:       w,
		control: http.NewResponseController(w),
		events:  !accepts(r, typeNDJSON) || accepts(r, typeEvents),
		cursor:  cursor,
	}
}

// open sends the head, and where the stream begins if that is known by now.
func (s *sender) open(known bool) error {
	h := s.w.Header()
	h.Set("X-Accel-Buffering", "no")
	if known {
		h.Set(CursorHeader, strconv.FormatInt(s.cursor, 10))
	}
	if !s.events {
		h.Set("Content-Type", typeNDJSON)
		return s.write(nil, true)
	}
	h.Set("Content-Type", typeEvents)
	if err := s.write([]byte("retry: 2000\n\n"), true); err != nil || !known {
		return err
	}
	return s.sendCursor()
}

// sendCursor sends an event without data. A browser shows nothing for it. But it will reconnect from there even if it
// is cut off before an update came.
func (s *sender) sendCursor() error {
	if !s.events {
		return nil
	}
	return s.write([]byte("id: "+strconv.FormatInt(s.cursor, 10)+"\n\n"), true)
}

// begun reports that the head was sent: a stream sends it before anything else.
func (*sender) begun() bool { return true }

// frames sends updates that all streams of the account share. They are counted for each, as others may be further.
func (s *sender) frames(ctx context.Context, frames []frame) error {
	size := 0
	for _, f := range frames {
		size += len(f.event)
	}
	return s.counted(ctx, size, func() error {
		for i, f := range frames {
			if err := s.frame(f, i == len(frames)-1); err != nil {
				return err
			}
		}
		return nil
	})
}

// counted sends one piece of the stream, which holds so many bytes.
func (s *sender) counted(ctx context.Context, size int, send func() error) error {
	return memory.Pieces(ctx, int64(size), s.begun, func() (bool, error) { return false, send() })
}

// frame sends an update and moves the cursor behind it.
func (s *sender) frame(f frame, flush bool) error {
	text := f.line
	if s.events {
		text = f.event
	}
	if err := s.write(text, flush); err != nil {
		return err
	}
	s.cursor = f.id
	return nil
}

// beat shows that the stream lives.
func (s *sender) beat() error {
	if s.events {
		return s.write([]byte(":\n\n"), true)
	}
	return s.write([]byte("\n"), true)
}

// write sends p. With flush, everything written so far leaves at once. The server bounds how long a client may delay
// it.
func (s *sender) write(p []byte, flush bool) error {
	if _, err := s.w.Write(p); err != nil || !flush {
		return err
	}
	return s.control.Flush()
}
