package origin

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// FaultKind names a way to misbehave.
type FaultKind string

// NoFault, asked for in a request's query, answers well despite the document's fault.
const NoFault FaultKind = "none"

// Fault is how a document misbehaves.
type Fault struct {
	Kind  FaultKind
	Times int    // how many requests it lasts; 0: until Heal
	Value string // the kind's parameter, see Faults; empty: its default
}

// FaultDoc explains a kind.
type FaultDoc struct {
	Kind    FaultKind
	Value   string // what Fault.Value means; empty: not used
	Default string
	Text    string
}

// fault is a kind with what it does.
type fault struct {
	FaultDoc
	serve func(w *recorder, r *http.Request, d *document, p *prepared, value string, now time.Time)
}

// faults is every kind, in the order in which they are explained. It is a function
// because some kinds serve well in the end and so refer back to it.
func faults() []fault {
	return []fault{
		{FaultDoc{"slow", "bytes a second", "100", "the right answer, slowly"}, slow},
		{FaultDoc{"truncated", "", "", "Content-Length of the whole, half of the body, then the end"}, truncated},
		{FaultDoc{"too-long", "", "", "Content-Length of half of the body, then all of it"}, tooLong},
		{FaultDoc{"negative-length", "", "", "Content-Length: -1"}, negativeLength},
		{FaultDoc{"chunk-cut", "", "", "chunked, cut off in the middle"}, chunkCut},
		{FaultDoc{"reset", "", "", "the connection is reset before any answer"}, reset},
		{FaultDoc{"reset-middle", "", "", "the connection is reset after half of the body"}, resetMiddle},
		{FaultDoc{"silent", "", "", "the request is read and never answered"}, silent},
		{FaultDoc{"switching", "", "", "101 Switching Protocols, then silence"}, switching},
		{FaultDoc{"endless", "", "", "a body without end (stops after 1 GiB)"}, endless},
		{FaultDoc{"bomb", "MiB after decompression", "1024", "a gzip body of zeros, about a thousandth of that size"},
			bomb},
		{FaultDoc{"double-gzip", "", "", "gzip in gzip, declared once"}, doubleGzip},
		{FaultDoc{"many-headers", "number of headers", "10000", "as many header fields"}, manyHeaders},
		{FaultDoc{"endless-headers", "", "", "header fields without end (stops after 64 MiB)"}, endlessHeaders},
		{FaultDoc{"status", "status code", "500", "an error page with that status"}, status},
		{FaultDoc{"500", "", "", "internal server error"}, statusOf(500)},
		{FaultDoc{"404", "", "", "not found"}, statusOf(404)},
		{FaultDoc{"410", "", "", "gone"}, statusOf(410)},
		{FaultDoc{"429", "Retry-After as it is sent: seconds, a date, garbage", "60", "too many requests"},
			limited(429)},
		{FaultDoc{"503", "Retry-After as it is sent; none: no such header", "none", "service unavailable"},
			limited(503)},
		{FaultDoc{"301", "address", "/", "moved permanently"}, redirect(301)},
		{FaultDoc{"302", "address", "/", "found elsewhere"}, redirect(302)},
		{FaultDoc{"307", "address", "/", "temporary redirect"}, redirect(307)},
		{FaultDoc{"308", "address", "/", "permanent redirect"}, redirect(308)},
		{FaultDoc{"loop", "", "", "a redirect to itself"}, loop},
		{FaultDoc{"chain", "number of redirects", "11", "as many redirects, then the right answer"}, chain},
		{FaultDoc{"empty", "", "", "200 without a body"}, empty},
		{FaultDoc{"login", "", "", "200 with a login page"}, login},
		{FaultDoc{"challenge", "", "", "403 with cf-mitigated: challenge"}, challenge},
		{FaultDoc{"charset", "label", "utf-16", "the right body under a wrong character set"}, wrongCharset},
		{FaultDoc{"type", "media type", "text/plain", "the right body under a wrong media type"}, wrongType},
		{FaultDoc{"304", "", "", "not modified, unasked"}, statusOf(304)},
		{FaultDoc{"same-etag", "", "", "the current body under an ETag that never changes"}, sameETag},
		{FaultDoc{"future", "", "", "Last-Modified ten years ahead, no ETag"}, future},
		{FaultDoc{"noise", "", "", "a token, a clock and an advertisement that differ at each request; no validators"},
			noise},
	}
}

// Faults explains every kind.
func Faults() []FaultDoc {
	var docs []FaultDoc
	for _, f := range faults() {
		docs = append(docs, f.FaultDoc)
	}
	return docs
}

func findFault(kind FaultKind) (fault, bool) {
	for _, f := range faults() {
		if f.Kind == kind {
			return f, true
		}
	}
	return fault{}, false
}

func (f Fault) validate() error {
	known, ok := findFault(f.Kind)
	if !ok {
		return fmt.Errorf("no fault is called %q", f.Kind)
	}
	if f.Times < 0 {
		return fmt.Errorf("a fault cannot last %d requests", f.Times)
	}
	if known.numeric() && f.Value != "" {
		if n, err := strconv.Atoi(f.Value); err != nil || n < 0 || n > 1_000_000 {
			return fmt.Errorf("fault %s takes a number up to 1,000,000, not %q", f.Kind, f.Value)
		}
	}
	if f.Kind == "status" && len(f.Value) != 3 && f.Value != "" {
		return fmt.Errorf("%q is no status", f.Value)
	}
	return nil
}

// numeric reports whether the value is a number.
func (f fault) numeric() bool {
	switch f.Kind {
	case "slow", "bomb", "many-headers", "status", "chain":
		return true
	}
	return false
}

func misbehave(w *recorder, r *http.Request, d *document, p *prepared, f Fault, now time.Time) {
	known, _ := findFault(f.Kind) // validated
	value := f.Value
	if value == "" {
		value = known.Default
	}
	known.serve(w, r, d, p, value, now)
}

// number reads a value that validate let pass.
func number(value string) int {
	n, _ := strconv.Atoi(value)
	return n
}

func status(w *recorder, _ *http.Request, _ *document, _ *prepared, value string, _ time.Time) {
	sendStatus(w, number(value))
}

func statusOf(code int) func(*recorder, *http.Request, *document, *prepared, string, time.Time) {
	return func(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
		sendStatus(w, code)
	}
}

func sendStatus(w *recorder, code int) {
	if code == http.StatusNotModified {
		w.WriteHeader(code)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(max(code, 200))
	fmt.Fprintf(w, "<!DOCTYPE html><title>%d</title><h1>%d %s</h1>\n", code, code, http.StatusText(code))
}

func limited(code int) func(*recorder, *http.Request, *document, *prepared, string, time.Time) {
	return func(w *recorder, _ *http.Request, _ *document, _ *prepared, value string, _ time.Time) {
		if value != "none" {
			w.Header().Set("Retry-After", value)
		}
		sendStatus(w, code)
	}
}

func redirect(code int) func(*recorder, *http.Request, *document, *prepared, string, time.Time) {
	return func(w *recorder, _ *http.Request, _ *document, _ *prepared, value string, _ time.Time) {
		w.Header().Set("Location", value)
		w.WriteHeader(code)
	}
}

func loop(w *recorder, r *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	w.Header().Set("Location", r.URL.RequestURI())
	w.WriteHeader(http.StatusFound)
}

func chain(w *recorder, r *http.Request, d *document, p *prepared, value string, now time.Time) {
	n := number(value)
	if n == 0 {
		d.answer(w, r, p, now)
		return
	}
	next := url.Values{"fault": {"chain"}, "value": {strconv.Itoa(n - 1)}}
	w.Header().Set("Location", "/"+d.name+"?"+next.Encode())
	w.WriteHeader(http.StatusFound)
}
