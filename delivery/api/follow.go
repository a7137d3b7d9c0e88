package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tidings"
)

// FromNow as a cursor begins a stream with the next update.
const FromNow int64 = -1

// maxEventLine bounds one line of a stream, and with it one update.
const maxEventLine = 64 << 20

// Follow calls f with every update after the one of ID after, once and in order, until ctx ends or f returns an error,
// which Follow returns. With after FromNow and a time since, it begins with the updates received since then.
//
// When the stream is cut off, Follow reconnects from the last update, however long that lasts. Only the first attempt
// returns [ErrNoNode]. A refusal by the node ends Follow at any time.
func (c *Client) Follow(ctx context.Context, after int64, since time.Time, f func(tidings.Update) error) error {
	s := stream{client: c, cursor: after, since: since, each: f}
	wait, first, away := c.wait, true, false
	for {
		begun := s.seen
		err := s.read(ctx)
		var told *told
		var refused *Error
		switch {
		case errors.As(err, &told):
			return told.error
		case ctx.Err() != nil:
			return ctx.Err()
		case first && s.seen == 0:
			return err
		case errors.As(err, &refused) && refused.Status < 500:
			return err
		}
		first = false
		if s.seen > begun {
			wait.reset()
			away = false
		}
		if c.Away != nil && !away {
			c.Away(err)
			away = true
		}
		if wait.sleep(ctx) != nil {
			return ctx.Err()
		}
	}
}

// told is an error that no reconnection repairs, such as one of the caller's own function.
type told struct{ error }

// stream is a live stream over its reconnections.
type stream struct {
	client *Client
	cursor int64 // FromNow until it is known
	since  time.Time
	seen   int // events so far, of any kind
	each   func(tidings.Update) error
}

// read reads one connection to its end. It never returns nil.
func (s *stream) read(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	header, q := http.Header{"Accept": {typeEvents}}, url.Values{}
	if s.cursor >= 0 {
		q.Set("after", strconv.FormatInt(s.cursor, 10))
	}
	setTime(q, "since", s.since)
	resp, err := s.client.request(ctx, http.MethodGet, "stream", q, "", nil, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// The node sends a heartbeat in every silence. Without one, the connection is dead
	// even if nothing says so.
	silence := time.AfterFunc(s.client.silent, func() { cancel(errors.New("the stream went silent")) })
	defer silence.Stop()
	err = s.events(bufio.NewReaderSize(resp.Body, 64<<10), func() { silence.Reset(s.client.silent) })
	return errors.Join(err, context.Cause(ctx))
}

// events handles every complete event of a connection. It calls heard for every line.
func (s *stream) events(lines *bufio.Reader, heard func()) error {
	var e event
	for {
		line, err := readLine(lines)
		if err != nil {
			return fmt.Errorf("the stream was cut off: %w", err)
		}
		heard()
		if len(line) > 0 {
			e.add(line)
			continue
		}
		if err := s.handle(e); err != nil {
			return err
		}
		e = event{}
	}
}

// handle handles one event: first its data, then the cursor behind it.
func (s *stream) handle(e event) error {
	s.seen++
	if len(e.data) > 0 && e.name == "update" {
		var u tidings.Update
		if err := json.Unmarshal(e.data, &u); err != nil {
			return &told{fmt.Errorf("reading an update: %w", err)} // it would be the same again
		}
		if err := s.each(u); err != nil {
			return &told{err}
		}
	}
	if id, err := strconv.ParseInt(e.id, 10, 64); err == nil && id >= 0 {
		s.cursor, s.since = id, time.Time{}
	}
	return nil
}

// event is a server-sent event as far as it was read.
type event struct {
	id, name string
	data     []byte
}

// add adds one line to the event (WHATWG HTML section 9.2.6). The API sends data as one line. If there are several, the
// last counts.
func (e *event) add(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "id":
		e.id = string(value)
	case "event":
		e.name = string(value)
	case "data":
		e.data = bytes.Clone(value)
	}
}

// readLine reads one line without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxEventLine:
			return nil, fmt.Errorf("an update of more than %d bytes", maxEventLine)
		}
	}
}
