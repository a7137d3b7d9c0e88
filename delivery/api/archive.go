package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"

	"tidings"
	"tidings/delivery/memory"
	"tidings/view"
)

// Archive is what the API asks of a part that can read what was published before.
type Archive interface {
	// Older calls tell with each earlier publication of a channel, the newest first. Then it returns how many published
	// items no node has. An error of tell ends it. If there is no archive of the channel, it returns
	// [tidings.ErrInvalid] with a reason in plain words.
	Older(ctx context.Context, url string, q view.ArchiveQuery, tell func(view.Archived) error) (missing int, err error)
}

// archiveLine is one line of the answer: an entry, or the end.
type archiveLine struct {
	Entry    *view.Archived `json:"entry,omitempty"`
	Finished bool           `json:"finished,omitempty"` // the last line
	Missing  int            `json:"missing,omitempty"`  // in the last line: published items that nobody has
	Error    string         `json:"error,omitempty"`    // in the last line: why it ended before its end
}

// archive sends a followed channel's older entries as JSON Lines, as they are found.
func (h *handler) archive(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	if h.Archive == nil {
		return refuse(http.StatusServiceUnavailable, "this node reads no archives", "")
	}
	q := queryOf(r)
	wanted := view.ArchiveQuery{
		Since: q.time("since"), Before: uint64(q.number("before")), Document: q.text("document"),
		Places: int(q.number("places")), Lacking: q.flag("lacking"),
	}
	if q.err != nil {
		return q.err
	}
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	begun := false
	send := func(l archiveLine) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", typeNDJSON)
			w.Header().Set("X-Accel-Buffering", "no")
		}
		line, err := encode(l)
		if err != nil {
			return err
		}
		if err := memory.Of(r.Context()).Keep(int64(cap(line))); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	missing, err := h.Archive.Older(r.Context(), f.URL, wanted, func(a view.Archived) error {
		return send(archiveLine{Entry: &a})
	})
	switch {
	case err != nil && !begun:
		return acted(err)
	case err != nil:
		_ = send(archiveLine{Error: tidings.Reason(err)}) // if the client is there still
		return nil
	}
	_ = send(archiveLine{Finished: true, Missing: missing})
	return nil
}

// Older calls show with each earlier publication of a channel, the newest first, as it is found. It ends when show
// returns an error. It returns how many published items no node has.
func (c *Client) Older(ctx context.Context, channel string, wanted view.ArchiveQuery,
	show func(view.Archived) error) (missing int, err error) {
	q := ofChannel(channel)
	setTime(q, "since", wanted.Since)
	setNumber(q, "before", int64(min(wanted.Before, math.MaxInt64)))
	setText(q, "document", wanted.Document)
	setNumber(q, "places", int64(wanted.Places))
	setFlag(q, "lacking", wanted.Lacking)
	resp, err := c.request(ctx, http.MethodGet, "archive", q, "", nil, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var l archiveLine
		if err := lines.Decode(&l); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, fmt.Errorf("the archive's answer was cut off: %w", err)
		}
		switch {
		case l.Error != "":
			return 0, fmt.Errorf("the archive was not read to its end: %s", l.Error)
		case l.Finished:
			return l.Missing, nil
		case l.Entry != nil:
			if err := show(*l.Entry); err != nil {
				return 0, err
			}
		}
	}
}
