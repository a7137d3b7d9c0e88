package shell

import "net/http"

// MaxStreams is how many streams of all pages are open at once. Each holds a goroutine and a small number of KiB.
const MaxStreams = 256

// Streams bounds how many streams of events are open at once. It is safe for concurrent use.
type Streams struct{ open chan struct{} } // holds one for each

// NewStreams returns Streams of which none is open.
func NewStreams() Streams { return Streams{make(chan struct{}, MaxStreams)} }

// Stream writes server-sent events, each whole and at once.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Open answers with a stream. The caller owes a call of end, which is nil if there
// is no stream: too many are open, or the browser has gone.
func (s Streams) Open(w http.ResponseWriter) (out Stream, end func()) {
	select {
	case s.open <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many pages are open at once.", http.StatusServiceUnavailable)
		return Stream{}, nil
	}
	end = func() { <-s.open }
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out = Stream{w, http.NewResponseController(w)}
	if out.Send(": hello\n\n") != nil {
		end()
		return Stream{}, nil
	}
	return out, end
}

// Send writes an event. The server bounds how long a browser may need. Beyond that the stream is cut off, and the
// browser reconnects.
func (s Stream) Send(text string) error {
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
