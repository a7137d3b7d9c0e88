package fetch

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tidings"
)

// Request says what to fetch and what is known of it.
type Request struct {
	URL string // http or https; a user name and password in it are ignored

	// Access is sent to the scheme, host and port of URL only. Redirects elsewhere go without it, and never from https
	// to http. Its proxy alone is used for them, too.
	Access tidings.Access

	// ETag and LastModified are an earlier response's validators, sent back byte for
	// byte, and only to the address that gave them.
	ETag, LastModified string
	ValidFor           string // Response.URL of that response; empty: URL

	// Delta offers the origin to send only what is new ("A-IM: feed"). Without an ETag
	// there is nothing to be new against, and it is not offered.
	Delta bool

	// Cost is what the poll that the request is part of has cost so far; nil: the request is a poll of its own.
	Cost *Cost
}

// Response is a whole document (Status 200), what is new in it (226), or the statement that it is unchanged (304).
type Response struct {
	URL    string // where the document was, after all redirects
	Status int
	Header http.Header
	Body   []byte // decompressed; nil with 304

	ETag, LastModified string    // of this response alone; empty if it has none
	Date               time.Time // the origin's clock; zero if it did not say

	Hops      []Hop         // the redirects followed, in order
	Permanent string        // where the document is from now on, if every redirect said so; else empty
	Wire      int64         // bytes of bodies received, before decompression
	Took      time.Duration // from the first connection to the last byte, waiting for turns excluded

	// BadDelta says that the origin first sent a delta that is none, and was asked again.
	BadDelta bool

	sum *[sha256.Size]byte
}

// Hop is one redirect.
type Hop struct {
	URL      string
	Status   int
	Location string // absolute
}

// Sum returns the SHA-256 of the body. It is computed once; not safe for several goroutines.
func (r *Response) Sum() [sha256.Size]byte {
	if r.sum == nil {
		sum := sha256.Sum256(r.Body)
		r.sum = &sum
	}
	return *r.sum
}

// webBegan is before anything on the web was last modified. A document with an earlier date, such as 1970 or 1980, lost
// its date when it was built or installed. It keeps that date whatever changes.
var webBegan = time.Date(1991, time.January, 1, 0, 0, 0, 0, time.UTC)

// Validators returns those of the response that may be sent back: not a date that cannot be true, to which origins
// answer "not modified" for ever.
func (r *Response) Validators(now time.Time) (etag, lastModified string) {
	etag, lastModified = bound(r.ETag, 1<<10), bound(r.LastModified, 1<<8)
	if !r.Date.IsZero() {
		now = r.Date
	}
	const clocksDiffer = 24 * time.Hour
	if at, err := http.ParseTime(lastModified); err == nil && (at.Before(webBegan) || at.After(now.Add(clocksDiffer))) {
		lastModified = ""
	}
	return etag, lastModified
}

// isDelta reports whether a response of status 226 is what the request offered to accept.
func (r *Response) isDelta(ask Request) bool {
	if !ask.Delta || ask.ETag == "" {
		return false
	}
	said := strings.Split(strings.ToLower(strings.Join(r.Header["Im"], ",")), ",")
	return slices.ContainsFunc(said, func(im string) bool { return strings.TrimSpace(im) == "feed" })
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the origin"
	}
	return u.Host
}
