// Package xmlrpc is for programs that speak XML-RPC (http://xmlrpc.com/spec.md), as weblog editors and old aggregators
// do:
//
//	POST /xmlrpc
//
//	metaWeblog.newPost(blog, user, password, post, publish)   publishes an entry; returns its ID
//	metaWeblog.getRecentPosts(blog, user, password, number)   the latest entries of a followed channel
//	tidings.subscribe(url)                                    what the JSON API answers to POST channels
//	tidings.updates(cursor)                                   what it answers to GET updates?after=cursor
//	system.listMethods()
//
// A blog is the address of a feed: for newPost of one that is published here, for getRecentPosts of one that is
// followed. Post is a struct with title, description (HTML), link, guid, dateCreated, author, mt_excerpt, categories
// and enclosure.
//
// The account is that of the request's context (auth.Account), so a program sends a token as the password of HTTP
// Basic. The user and password among the parameters are ignored. Whatever comes, the answer is a value or a fault with
// a message for people.
package xmlrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
	"tidings/view"
)

// Path is where the handler is to be found.
const Path = "/xmlrpc"

// Bounds of a call.
const (
	maxBody   = 1 << 20 // bytes
	maxDepth  = 16      // of arrays and structs within each other
	maxValues = 10_000  // values, members and parameters
)

// Node is what is asked of the node.
type Node interface {
	// Subscribe makes account follow a channel.
	Subscribe(ctx context.Context, account tidings.AccountID, o tidings.SubscribeRequest) (tidings.Subscription, error)
	// PublishEntry publishes an entry with the only key that there is.
	PublishEntry(ctx context.Context, channel, key string, e tidings.PublishedEntry) (view.Issued, error)
}

// Store is what is read.
type Store interface {
	Updates(ctx context.Context, account tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error)
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
}

// Config says what the handler works with. All of it must be set.
type Config struct {
	Node   Node
	Store  Store
	Logger *slog.Logger
}

type handler struct{ Config }

// New returns the handler of Path.
func New(c Config) http.Handler { return &handler{c} }

// crossOrigin refuses what a browser sends on behalf of another site.
var crossOrigin = http.NewCrossOriginProtection()

// ServeHTTP answers one call.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "XML-RPC calls are sent by POST", http.StatusMethodNotAllowed)
		return
	}
	account, ok := auth.Account(r.Context())
	if !ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="Tidings", charset="UTF-8"`)
		http.Error(w, "this node wants to know who calls: make a token in its settings and give it as the password",
			http.StatusUnauthorized)
		return
	}
	if err := crossOrigin.Check(r); err != nil {
		http.Error(w, "another site sent this call", http.StatusForbidden)
		return
	}
	// Neither type can be sent by a form, or by a script of another site without asking first.
	if given, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); given != "text/xml" &&
		given != "application/xml" {
		http.Error(w, "the call does not say that it is XML: send Content-Type: text/xml",
			http.StatusUnsupportedMediaType)
		return
	}
	result, err := h.answer(r.Context(), account, http.MaxBytesReader(w, r.Body, maxBody))
	body := responseOf(result)
	if err == nil {
		err = memory.Of(r.Context()).Keep(int64(cap(body)))
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err != nil {
		f := h.fault(r.Context(), err)
		body = faultOf(f)
		if f.code == noMemory { // the one fault that is the server's as a whole, which clients know by the status
			w.Header().Set("Retry-After", memory.RetryAfter)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	_, _ = w.Write(body) // a caller that went away is its own affair
}

func (h *handler) answer(ctx context.Context, account tidings.AccountID, body io.Reader) (any, error) {
	c, err := parseCall(body)
	if err != nil {
		return nil, err
	}
	do := methods[c.method]
	if do == nil {
		return nil, &fault{noMethod, fmt.Sprintf("there is no method %q; system.listMethods lists those that there are",
			c.method)}
	}
	if c.method == publishing && !auth.Admits(ctx, Path+" "+publishing) {
		return nil, &fault{refused, auth.Refusal}
	}
	return do(h, ctx, account, c.params)
}

// Codes of faults; those from -32700 on are of "Specification for Fault Code Interoperability".
const (
	malformed = -32700
	noMethod  = -32601
	badParams = -32602
	internal  = -32603
	refused   = 400
	forbidden = 403
	notFound  = 404
	tooSlow   = 408
	conflict  = 409
	tooLarge  = 413
	noMemory  = 503
)

// fault is the report of an error to a caller.
type fault struct {
	code int
	text string
}

func (f *fault) Error() string { return f.text }

// fault returns the report of an error to a caller, and logs the error: as one of the node if the node itself has
// failed.
func (h *handler) fault(ctx context.Context, err error) *fault {
	f, ours := faultFor(err)
	switch {
	case !ours:
		h.Logger.DebugContext(ctx, "a call by XML-RPC was refused", "code", f.code, "reason", f.text)
	case ctx.Err() == nil: // else nobody waits for the answer, and whatever was under way may have failed of that
		h.Logger.ErrorContext(ctx, "a call by XML-RPC failed", "error", err)
	}
	return f
}

// faultFor returns the report of an error to a caller, and whether the node itself has failed, not the caller or an
// origin.
func faultFor(err error) (f *fault, ours bool) {
	var tooBig *http.MaxBytesError
	if errors.As(err, &f) {
		return f, false
	}
	if errors.As(err, &tooBig) {
		return &fault{tooLarge, fmt.Sprintf("the call is larger than %d bytes", tooBig.Limit)}, false
	}
	for _, known := range []struct {
		error
		code int
	}{
		{os.ErrDeadlineExceeded, tooSlow}, {tidings.ErrNotFollowed, notFound}, {tidings.ErrNotFound, notFound},
		{tidings.ErrInvalid, refused}, {tidings.ErrExists, conflict}, {tidings.ErrStale, conflict},
		{tidings.ErrUnauthorized, forbidden},
		{memory.ErrFull, noMemory},
	} {
		if errors.Is(err, known.error) {
			return &fault{known.code, tidings.Explain(err)}, false
		}
	}
	var at *tidings.Failure
	return &fault{internal, tidings.Explain(err)}, !errors.As(err, &at) || at.Address == ""
}
