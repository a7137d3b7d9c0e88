package servers

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

const (
	leastCompressed = 1 << 10 // bytes: a shorter answer fits into one packet anyway
	// So many random bytes, at most, hide the exact length of an answer. The length could reveal a secret in it to an
	// attacker that can put texts beside it (BREACH, https://www.breachattack.com).
	jitter = 64
)

// compressed gzips the texts of h for clients that accept gzip. Streams pass through: their headers go out first.
func compressed(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(leastCompressed), gzhttp.RandomJitter(jitter, 0, false),
		gzhttp.EnableZstd(false),
		gzhttp.ContentTypes([]string{"text/html", "text/css", "text/javascript", "text/plain", "text/x-opml",
			"application/json", "image/svg+xml"}))
	if err != nil {
		panic(err) // the options are constant
	}
	zipped := wrap(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStream(r) {
			h.ServeHTTP(w, r)
			return
		}
		zipped.ServeHTTP(w, r)
	})
}

// isStream reports whether a request is for an answer that goes on, of events or of lines.
func isStream(r *http.Request) bool {
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accepted, "text/event-stream") || strings.Contains(accepted, "ndjson") ||
		strings.HasSuffix(r.URL.Path, "/stream")
}
