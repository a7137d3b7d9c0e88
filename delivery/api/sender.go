package api

import (
	"net/http"
	"strconv"
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
	return s.tellCursor()
}

// tellCursor sends an event without data: a browser shows nothing for it, but will
// reconnect from there even if no update came before it was cut off.
func (s *sender) tellCursor() error {
	if !s.events {
		return nil
	}
	return s.write([]byte("id: "+strconv.FormatInt(s.cursor, 10)+"\n\n"), true)
}

// frames sends updates and moves the cursor behind them.
func (s *sender) frames(frames []frame) error {
	for i, f := range frames {
		text := f.line
		if s.events {
			text = f.event
		}
		if err := s.write(text, i == len(frames)-1); err != nil {
			return err
		}
		s.cursor = f.id
	}
	return nil
}

// beat shows that the stream lives.
func (s *sender) beat() error {
	if s.events {
		return s.write([]byte(":\n\n"), true)
	}
	return s.write([]byte("\n"), true)
}

// write sends p; flush has what was sent so far leave at once. The server bounds how long a client may take.
func (s *sender) write(p []byte, flush bool) error {
	if _, err := s.w.Write(p); err != nil || !flush {
		return err
	}
	return s.control.Flush()
}
