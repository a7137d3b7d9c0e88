package sync

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/http"
	"strconv"
	"strings"
	gosync "sync"

	"github.com/klauspost/compress/gzip"

	"tidings/delivery/accept"
	"tidings/delivery/memory"
)

// JSON is the type of most answers.
const JSON = "application/json; charset=UTF-8"

// Text is the type of the others.
const Text = "text/plain; charset=UTF-8"

// Reply collects an answer, compressed as it grows if the client reads that, and sends it as a whole. So an
// error in the middle is still answered as one. What it holds counts as memory of the request (package
// memory).
type Reply struct {
	w       http.ResponseWriter
	r       *http.Request
	body    bytes.Buffer
	zip     *gzip.Writer
	sum     hash.Hash // of what was written; nil: the answer has no validator
	counted int
	failed  error
}

var zippers = gosync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// NewReply begins an answer to r. Its status is sent by Send.
func NewReply(w http.ResponseWriter, r *http.Request) *Reply {
	p := &Reply{w: w, r: r}
	if accept.Gzip(r.Header.Get("Accept-Encoding")) {
		p.zip = zippers.Get().(*gzip.Writer)
		p.zip.Reset(&p.body)
	}
	return p
}

// Validated gives the answer an ETag, by which the client need not read it again while it is the same in each
// byte. It is to be called before anything is written.
func (p *Reply) Validated() *Reply {
	p.sum = sha256.New()
	return p
}

// Write adds to the answer. It fails with [memory.ErrFull], and then always.
func (p *Reply) Write(b []byte) (int, error) {
	if p.failed != nil {
		return 0, p.failed
	}
	if p.sum != nil {
		_, _ = p.sum.Write(b)
	}
	if p.zip != nil {
		_, _ = p.zip.Write(b) // into a Buffer, which accepts everything
	} else {
		_, _ = p.body.Write(b)
	}
	return len(b), p.count()
}

// count counts what the answer holds where that has grown.
func (p *Reply) count() error {
	if held := p.body.Cap(); held > p.counted {
		p.counted = held
		p.failed = memory.Of(p.r.Context()).Keep(int64(held))
	}
	return p.failed
}

// Print adds texts to the answer.
func (p *Reply) Print(texts ...string) {
	for _, t := range texts {
		_, _ = p.Write([]byte(t)) // Send knows of the failure
	}
}

// Held returns how many bytes of memory the answer holds so far.
func (p *Reply) Held() int { return p.body.Cap() }

// JSON adds a value as JSON, without escaping HTML in texts: that would make articles half as large again.
func (p *Reply) JSON(v any) error {
	e := json.NewEncoder(p)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Send sends the answer with a status, or returns why it cannot. Nothing was sent then.
func (p *Reply) Send(status int, contentType string) error {
	if p.zip != nil {
		_ = p.zip.Close() // into a Buffer
		zippers.Put(p.zip)
		if err := p.count(); err != nil {
			p.zip = nil
			return err
		}
	}
	if p.failed != nil {
		return p.failed
	}
	h := p.w.Header()
	h.Add("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	if p.sum != nil {
		tag := `W/"` + hex.EncodeToString(p.sum.Sum(nil)[:12]) + `"` // weak: the same for all codings
		h.Set("ETag", tag)
		h.Set("Cache-Control", "private, no-cache") // kept by the client, which asks each time
		if status == http.StatusOK && holds(p.r, tag) {
			p.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	if p.zip != nil {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(p.body.Len()))
	p.w.WriteHeader(status)
	if p.r.Method != http.MethodHead {
		_, _ = p.w.Write(p.body.Bytes()) // a client that went away is its own affair
	}
	return nil
}

// SendText answers with a text.
func SendText(w http.ResponseWriter, r *http.Request, status int, text string) error {
	p := NewReply(w, r)
	p.Print(text)
	return p.Send(status, Text)
}

// SendJSON answers with a value as JSON.
func SendJSON(w http.ResponseWriter, r *http.Request, status int, v any) error {
	p := NewReply(w, r)
	if err := p.JSON(v); err != nil {
		return err
	}
	return p.Send(status, JSON)
}

// SendNothing answers with a status alone.
func SendNothing(w http.ResponseWriter, status int) error {
	w.Header().Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	return nil
}

// holds reports whether the client has the answer of that tag.
func holds(r *http.Request, tag string) bool {
	for _, header := range r.Header["If-None-Match"] {
		for held := range strings.SplitSeq(header, ",") {
			if held = strings.TrimSpace(held); held == "*" || held == tag || "W/"+held == tag {
				return true
			}
		}
	}
	return false
}
