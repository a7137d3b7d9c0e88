package origin

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer serves p as a careful publisher does.
func (d *document) answer(w http.ResponseWriter, r *http.Request, p *prepared, now time.Time) {
	c := identity
	if !d.opts.NoCompression && len(p.body) >= minCompressed {
		c = accepted(r.Header.Get("Accept-Encoding"))
	}
	v := p.variant(c)
	dated := d.dated(p, now)
	h := w.Header()
	h["Vary"] = d.vary
	if d.cacheControl != nil {
		h["Cache-Control"] = d.cacheControl
	}
	if !d.opts.NoETag {
		h["Etag"] = v.etag
	}
	if dated {
		h["Last-Modified"] = p.modified
	}
	if d.notModified(r, p, dated) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if body, base, ok := d.delta(r, p); ok {
		sendDelta(w, p, body, base)
		return
	}
	h["Content-Type"] = p.contentType
	h["Content-Length"] = v.length
	if v.coding != nil {
		h["Content-Encoding"] = v.coding
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	_, _ = w.Write(v.body) // a client that went away is its own affair
}

// dated reports whether p's Last-Modified is sent. It is not sent within the second it names. Another state could
// follow in that second, and a client with the date would be answered "not modified" (RFC 9110, section 8.8.2.2).
func (d *document) dated(p *prepared, now time.Time) bool {
	return !d.opts.NoLastModified && now.Sub(p.lastModified) >= time.Second
}

// notModified evaluates the preconditions (RFC 9110, section 13.2.2).
func (d *document) notModified(r *http.Request, p *prepared, dated bool) bool {
	if tags := r.Header["If-None-Match"]; len(tags) > 0 {
		return !d.opts.NoETag && matches(tags, p.hash)
	}
	since := r.Header.Get("If-Modified-Since")
	if since == "" || !dated {
		return false
	}
	t, err := http.ParseTime(since)
	return err == nil && !p.lastModified.After(t)
}

// matches compares weakly: any representation of the state will do.
func matches(headers []string, hash string) bool {
	for _, header := range headers {
		for tag := range strings.SplitSeq(header, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || baseOf(tag) == hash {
				return true
			}
		}
	}
	return false
}

// baseOf returns the hash in an entity tag of this origin.
func baseOf(tag string) string {
	tag = strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	hash, _, _ := strings.Cut(tag, "-")
	return hash
}

// sendDelta answers with the items that the state named base lacks (RFC 3229).
func sendDelta(w http.ResponseWriter, p *prepared, body []byte, base string) {
	h := w.Header()
	h["Etag"] = p.variant(identity).etag
	h["Content-Type"] = p.contentType
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("IM", "feed")
	h.Set("Delta-Base", base)
	h.Set("Cache-Control", "no-store, im")
	w.WriteHeader(http.StatusIMUsed)
	_, _ = w.Write(body)
}
