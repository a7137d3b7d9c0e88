package api

import (
	"io"
	"net/http"

	"tidings/delivery/memory"
)

// list answers with a JSON array, or with JSON Lines if the client asked for them.
func list[T any](w http.ResponseWriter, r *http.Request, all []T) error {
	if err := memory.Of(r.Context()).Hold(int64(len(all)) * memory.RowBytes); err != nil {
		return err
	}
	l := newLister[T](w, r)
	return l.end(l.add(all))
}

// pages answers with a list that is read in pieces. Next reads the rows after those that it returned before; none: that
// was all.
func pages[T any](h *handler, w http.ResponseWriter, r *http.Request, next func() ([]T, error)) error {
	l := newLister[T](w, r)
	err := memory.Pieces(r.Context(), memory.Piece, func() bool { return l.begun }, func() (bool, error) {
		rows, err := next()
		if err != nil {
			return false, err
		}
		return len(rows) > 0, l.add(rows)
	})
	if err != nil && l.begun && r.Context().Err() == nil {
		h.Logger.WarnContext(r.Context(), "an answer was broken off", "path", r.URL.Path, "error", err)
	}
	return l.end(err)
}

// lister writes a list as it is read. It begins with its first element, or at its end: until then an error can be
// answered.
type lister[T any] struct {
	w     http.ResponseWriter
	lines bool // JSON Lines, else an array
	begun bool
}

func newLister[T any](w http.ResponseWriter, r *http.Request) *lister[T] {
	return &lister[T]{w: w, lines: accepts(r, typeNDJSON)}
}

// add writes the next elements, which are encoded one by one.
func (l *lister[T]) add(all []T) error {
	for i := range all {
		text, err := encode(all[i])
		if err != nil {
			return err
		}
		before := ""
		if !l.lines {
			text = text[:len(text)-1] // without its newline
			before = ","
			if !l.begun {
				before = "["
			}
		}
		if err := l.write(before, text); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister[T]) write(before string, text []byte) error {
	if !l.begun {
		l.begun = true
		mediaType := typeJSON
		if l.lines {
			mediaType = typeNDJSON
		}
		l.w.Header().Set("Content-Type", mediaType)
	}
	if _, err := io.WriteString(l.w, before); err != nil {
		return err
	}
	_, err := l.w.Write(text)
	return err
}

// end ends the list, or returns err if it has not begun. A list that has begun is broken off, so that the client sees
// that it is incomplete.
func (l *lister[T]) end(err error) error {
	switch {
	case err != nil && !l.begun:
		return err
	case err != nil:
		panic(http.ErrAbortHandler)
	case l.lines:
		_ = l.write("", nil) // an error is the client's leaving
	case l.begun:
		_ = l.write("]\n", nil)
	default:
		_ = l.write("[]\n", nil)
	}
	return nil
}
