package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"tidings/delivery/accept"
	"tidings/delivery/memory"
)

// answer sends the document: nothing if the reader has it (304), what the reader lacks
// if it asks for that (226), else the whole.
//
// It has written nothing if it returns an error.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, f format, doc document) error {
	body, err := f.render(doc.whole(), h.Config)
	if err != nil {
		return err
	}
	tag := tagOf(doc.newest(), body)
	zip := accept.Gzip(r.Header.Get("Accept-Encoding"))
	modified, dated := h.lastModified(doc)

	header := w.Header()
	header.Set("ETag", tag.quoted(zip))
	header.Set("Vary", "Accept-Encoding, A-IM, If-None-Match")
	header.Set("Cache-Control", "private, no-cache") // kept by the reader alone, which asks each time
	header.Set("Link", doc.links())
	if dated {
		header.Set("Last-Modified", modified.Format(http.TimeFormat))
	}
	if notModified(r, tag, modified, dated && !doc.unordered) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	status := http.StatusOK
	if r.Method == http.MethodGet && wantsDelta(r) {
		if news, base, ok := sinceAny(doc, r); ok {
			if body, err = f.render(news, h.Config); err != nil {
				return err
			}
			status = http.StatusIMUsed
			header.Set("IM", "feed")
			header.Set("Delta-Base", base)
			header.Set("Cache-Control", "no-store, im")
		}
	}
	header.Set("Content-Type", f.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	if zip {
		body = h.zip(body)
		header.Set("Content-Encoding", "gzip")
	}
	if err := memory.Of(r.Context()).Keep(int64(cap(body))); err != nil {
		return err
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a reader that went away is its own affair
	}
	return nil
}

// links is the Link header of a document (RFC 8288; WebSub, section 4).
func (d document) links() string {
	self := fmt.Sprintf(`<%s>; rel="self"`, d.self)
	if d.hub == "" {
		return self
	}
	return fmt.Sprintf(`<%s>; rel="hub", %s`, d.hub, self)
}

// entityTag names a whole document: its newest entry, and its bytes. With the first part, the node can make deltas
// without any memory of earlier replies.
type entityTag struct {
	newest state
	hash   string
}

func tagOf(newest state, body []byte) entityTag {
	sum := sha256.Sum256(body)
	return entityTag{newest: newest, hash: hex.EncodeToString(sum[:10])}
}

const zipSuffix = "-gzip" // strong tags of different codings must differ (RFC 9110, section 8.8.3.3)

// quoted is the tag as a header has it.
func (t entityTag) quoted(zip bool) string {
	suffix := ""
	if zip {
		suffix = zipSuffix
	}
	return fmt.Sprintf(`"%s.%s.%s%s"`, strconv.FormatInt(t.newest.id, 36), strconv.FormatInt(t.newest.received, 36),
		t.hash, suffix)
}

// parseTag reads what quoted wrote.
func parseTag(s string) (entityTag, bool) {
	s = strings.TrimPrefix(s, "W/") // proxies on the way weaken tags
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return entityTag{}, false
	}
	parts := strings.Split(strings.TrimSuffix(s[1:len(s)-1], zipSuffix), ".")
	if len(parts) != 3 {
		return entityTag{}, false
	}
	id, err1 := strconv.ParseInt(parts[0], 36, 64)
	received, err2 := strconv.ParseInt(parts[1], 36, 64)
	return entityTag{newest: state{id, received}, hash: parts[2]}, err1 == nil && err2 == nil
}

// heldTags returns the tags of If-None-Match as they stand.
func heldTags(r *http.Request) (raw []string) {
	for _, header := range r.Header["If-None-Match"] {
		for tag := range strings.SplitSeq(header, ",") {
			raw = append(raw, strings.TrimSpace(tag))
		}
	}
	return raw
}

// lastModified is when the newest entry came, in whole seconds. It is no validator within that second: another entry
// could follow in it, and a reader with that date would not learn of it (RFC 9110, section 8.8.2.2).
func (h *handler) lastModified(doc document) (t time.Time, ok bool) {
	t = doc.updated.UTC().Truncate(time.Second)
	return t, !t.IsZero() && h.Clock().Sub(t) >= time.Second
}

// notModified evaluates the preconditions (RFC 9110, section 13.2.2).
func notModified(r *http.Request, current entityTag, modified time.Time, dated bool) bool {
	if held := heldTags(r); len(held) > 0 {
		for _, raw := range held {
			if tag, ok := parseTag(raw); raw == "*" || ok && tag == current {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && dated && !modified.After(since)
}

// wantsDelta reports whether the reader understands the "feed" manipulation.
func wantsDelta(r *http.Request) bool {
	for _, header := range r.Header["A-Im"] {
		for im := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(im, ";")
			if strings.EqualFold(strings.TrimSpace(name), "feed") && !refused(params) {
				return true
			}
		}
	}
	return false
}

// sinceAny returns what came after the first state held that is known.
func sinceAny(doc document, r *http.Request) (news document, base string, ok bool) {
	for _, raw := range heldTags(r) {
		if tag, isTag := parseTag(raw); isTag {
			if news, ok := doc.since(tag.newest); ok {
				return news, raw, true
			}
		}
	}
	return document{}, "", false
}

// refused reports whether the parameters give a weight of nought.
func refused(params string) bool {
	q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	weight, err := strconv.ParseFloat(q, 64)
	return ok && (err != nil || weight <= 0)
}

func (h *handler) zip(body []byte) []byte {
	z, ok := h.zippers.Get().(*gzip.Writer)
	if !ok {
		z = gzip.NewWriter(nil)
	}
	defer h.zippers.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	_, _ = z.Write(body) // a Buffer accepts everything
	_ = z.Close()
	return b.Bytes()
}
