package api

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"tidings"
)

const (
	typeJSON   = "application/json"
	typeNDJSON = "application/x-ndjson" // JSON Lines: one object a line
	typeEvents = "text/event-stream"
	typeOPML   = "text/x-opml"
)

// problem is what a client is told when something fails.
type problem struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

// refusal is an error with the status that tells it.
type refusal struct {
	status int
	problem
}

func (e *refusal) Error() string { return e.problem.Error }

func refuse(status int, text, hint string) error {
	return &refusal{status, problem{text, hint}}
}

// errSlow refuses a body that did not arrive in time.
var errSlow = refuse(http.StatusRequestTimeout, "the request did not arrive in time", "")

// errOrigin marks a failure of what an action asked of the world: the node is well.
type errOrigin struct {
	error
	hint string
}

func (e errOrigin) Unwrap() error { return e.error }

// acted tells apart why an action failed: a cause that has a name, or the origin's.
func acted(err error) error {
	if err == nil || statusOf(err) != 0 {
		return err
	}
	return errOrigin{err, ""}
}

// polled is acted for a poll of an address as a person gave it.
func polled(address string, err error) error {
	err = acted(err)
	if origin := (errOrigin{}); errors.As(err, &origin) {
		return errOrigin{origin.error, cmp.Or(schemeHint(address, err), hintOf(err))}
	}
	return err
}

// schemeHint says that http was perhaps meant where https was spoken.
func schemeHint(address string, err error) string {
	bare := !strings.Contains(address, "://")
	noTLS := errors.As(err, new(tls.RecordHeaderError)) || errors.Is(err, http.ErrSchemeMismatch)
	switch {
	case bare && (noTLS || errors.Is(err, syscall.ECONNREFUSED)):
		return "it was taken as https; put http:// before it if it is plain http"
	case noTLS:
		return "write http:// instead of https:// if it is plain http"
	}
	return ""
}

// statusOf gives the status of the sentinels that floors agree on; 0: none of them.
func statusOf(err error) int {
	switch {
	case errors.Is(err, tidings.ErrNotFollowed), errors.Is(err, tidings.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, tidings.ErrExists), errors.Is(err, tidings.ErrStale):
		return http.StatusConflict
	case errors.Is(err, tidings.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, tidings.ErrUnauthorized):
		return http.StatusForbidden
	}
	return 0
}

func hintOf(err error) string {
	if errors.Is(err, tidings.ErrNotFollowed) {
		return "follow it first: tidings subscribe URL"
	}
	if known := (interface{ Hint() string })(nil); errors.As(err, &known) {
		return known.Hint()
	}
	return ""
}

// fail tells the client why. Errors that are no one's to see in detail are logged.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	if errors.As(err, &refused) {
		writeJSON(w, refused.status, refused.problem)
		return
	}
	if status := statusOf(err); status != 0 {
		writeJSON(w, status, problem{reason(err), hintOf(err)})
		return
	}
	if origin := (errOrigin{}); errors.As(err, &origin) {
		writeJSON(w, http.StatusBadGateway, problem{reason(err), origin.hint})
		return
	}
	if r.Context().Err() != nil { // nobody listens any more, and whatever was under way may have failed of that
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
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the client has gone
}

func ok(w http.ResponseWriter, v any) error {
	writeJSON(w, http.StatusOK, v)
	return nil
}

func done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// list answers with a JSON array, or with JSON Lines if the client asked for them.
func list[T any](w http.ResponseWriter, r *http.Request, all []T) error {
	if !accepts(r, typeNDJSON) {
		if all == nil {
			all = []T{}
		}
		return ok(w, all)
	}
	w.Header().Set("Content-Type", typeNDJSON)
	for _, v := range all {
		line, err := encode(v)
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return nil // the client has gone
		}
	}
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

// reason is an error in one line for people. Every floor says what it was doing before
// what the one below it said; of these only one stands, the last that names an address.
// None stands before what is wrong with the order itself.
func reason(err error) string {
	text, doing := oneLine(err.Error()), ""
	for {
		first, rest, more := strings.Cut(text, ": ")
		switch {
		case more && first == tidings.ErrInvalid.Error():
			doing = ""
		case !more || !isDoing(first):
			return doing + text
		case doing == "" || strings.Contains(first, "://"):
			doing = first + ": "
		}
		text = rest
	}
}

// isDoing reports whether a part of an error says what was being done.
func isDoing(part string) bool {
	for _, verb := range []string{"checking", "reading", "subscribing to", "subscribing"} {
		if rest, ok := strings.CutPrefix(part, verb); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// oneLine makes text fit for one line: what would break it becomes a blank.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
