package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/memory"
)

const (
	typeJSON   = "application/json"
	typeNDJSON = "application/x-ndjson" // JSON Lines: one object a line
	typeEvents = "text/event-stream"
	typeOPML   = "text/x-opml"
	typeSQLite = "application/vnd.sqlite3"
)

// problem is what a client receives when something fails.
type problem struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

// refuse returns an error that is answered with a status.
func refuse(status int, text, hint string) error {
	return &Error{status, tidings.Failure{Hint: hint, Err: errors.New(text)}}
}

// errSlow refuses a body that did not arrive in time.
var errSlow = refuse(http.StatusRequestTimeout, "the request did not arrive in time", "")

// acted distinguishes why an action failed: by a cause that the layers name, or at the origin, and the node is well.
func acted(err error) error {
	if err == nil || statusOf(err) != 0 || errors.Is(err, memory.ErrFull) {
		return err
	}
	return &Error{http.StatusBadGateway, tidings.Failure{Err: err}}
}

// statusOf gives the status of an [Error], and of the sentinels that layers agree on; 0: it is none of them.
func statusOf(err error) int {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known.Status
	case errors.Is(err, tidings.ErrNotFollowed), errors.Is(err, tidings.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, tidings.ErrExists), errors.Is(err, tidings.ErrStale):
		return http.StatusConflict
	case errors.Is(err, tidings.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, tidings.ErrUnauthorized):
		return http.StatusForbidden
	case errors.Is(err, tidings.ErrDiskFull):
		return http.StatusInsufficientStorage
	case errors.Is(err, tidings.ErrDisk):
		return http.StatusServiceUnavailable
	}
	return 0
}

// hintOf returns what a person can do about err, also about a request for a channel that is not followed.
func hintOf(err error) string {
	if !errors.As(err, new(*Error)) && errors.Is(err, tidings.ErrNotFollowed) {
		return "follow it first: tidings subscribe URL"
	}
	return tidings.HintOf(err)
}

// fail sends the client the reason. Errors that are no one's to see in detail are logged. If the request ended first,
// no reason is true: either no client waits any more, or the node is ending. The connection of an order is closed then:
// its client sees ErrEnded, and may order again.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	ended := r.Context().Err() != nil
	if ended && r.Method != http.MethodGet {
		panic(http.ErrAbortHandler)
	}
	if status := statusOf(err); status != 0 {
		writeJSON(w, status, problem{tidings.Reason(err), hintOf(err)})
		return
	}
	if errors.Is(err, memory.ErrFull) {
		w.Header().Set("Retry-After", memory.RetryAfter)
		writeJSON(w, http.StatusServiceUnavailable,
			problem{memory.ErrFull.Error(), "try again in " + memory.RetryAfter + " s"})
		return
	}
	if ended {
		h.Logger.DebugContext(r.Context(), "an answer was not waited for", "path", r.URL.Path, "error", err)
		return
	}
	h.Logger.ErrorContext(r.Context(), "api request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	writeJSON(w, http.StatusInternalServerError, problem{"the node could not do that", "the reason is in its log"})
}

// encode gives v as one line of JSON, ended by a newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := encode(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON form"}`+"\n")
	}
	writeBody(w, status, typeJSON, body)
}

func writeBody(w http.ResponseWriter, status int, mediaType string, body []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the client has gone
}

// ok answers with v as JSON. From then on the answer holds only that.
func ok(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	if err := memory.Of(r.Context()).Keep(int64(cap(body))); err != nil {
		return err
	}
	writeBody(w, http.StatusOK, typeJSON, body)
	return nil
}

func done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// accepts reports whether the client names mediaType among those that it accepts.
func accepts(r *http.Request, mediaType string) bool {
	for _, header := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(header, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) {
				return true
			}
		}
	}
	return false
}

func allowedMethods(methods map[string]endpoint) string {
	var names []string
	for name := range methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
