package origin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// prepared is one state, ready to be sent: headers are made once.
type prepared struct {
	state        int
	body         []byte
	hash         string
	contentType  []string
	since        time.Time
	lastModified time.Time // whole seconds
	modified     []string  // the same as a header
	compressors  *compressors
	*variants
}

// variants are a state's representations; they outlive a change of its date.
type variants [codings]variant

// variant is one representation. Its entity tag is strong, so that it differs from
// those of the others (RFC 9110, section 8.8.3.3).
type variant struct {
	once   sync.Once
	body   []byte
	length []string
	etag   []string
	coding []string // Content-Encoding; nil for identity
}

func newPrepared(state int, body []byte, contentType string, cs *compressors) *prepared {
	sum := sha256.Sum256(body)
	if contentType == "" {
		contentType = typeOf(body)
	}
	return &prepared{
		state:       state,
		body:        body,
		hash:        hex.EncodeToString(sum[:12]),
		contentType: []string{contentType},
		variants:    new(variants),
		compressors: cs,
	}
}

// changedAt returns p with the date of its becoming current. The first state was there
// before the origin was.
func (p *prepared) changedAt(since time.Time, first bool) *prepared {
	dated := *p
	dated.since = since
	dated.lastModified = since.Truncate(time.Second)
	if first {
		dated.lastModified = dated.lastModified.Add(-time.Minute)
	}
	dated.modified = []string{dated.lastModified.UTC().Format(http.TimeFormat)}
	return &dated
}

// variant returns the representation in coding c.
func (p *prepared) variant(c coding) *variant {
	v := &p.variants[c]
	v.once.Do(func() {
		tag := p.hash
		v.body = p.body
		if c != identity {
			v.body = p.compressors.compress(c, p.body)
			v.coding = []string{codingNames[c]}
			tag += "-" + codingNames[c]
		}
		v.etag = []string{`"` + tag + `"`}
		v.length = []string{strconv.Itoa(len(v.body))}
	})
	return v
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

var rootElement = regexp.MustCompile(`<([A-Za-z][\w.-]*(?::[A-Za-z][\w.-]*)?)[\s>/]`)

// typeOf derives the media type from the content, as a careful publisher labels it.
func typeOf(body []byte) string {
	head := bytes.TrimSpace(bytes.TrimPrefix(body[:min(len(body), 4096)], []byte("\xEF\xBB\xBF")))
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		if bytes.Contains(head, []byte("jsonfeed.org/version")) {
			return "application/feed+json"
		}
		return "application/json"
	}
	root := rootElement.FindSubmatch(comment.ReplaceAll(head, nil))
	if root == nil {
		return "text/plain; charset=utf-8"
	}
	switch name := strings.ToLower(string(root[1])); {
	case name == "rss":
		return "application/rss+xml"
	case name == "rdf:rdf":
		return "application/rdf+xml"
	case name == "feed" || strings.HasSuffix(name, ":feed"):
		return "application/atom+xml"
	case bytes.HasPrefix(head, []byte("<?xml")) && name != "html":
		return "application/xml"
	}
	if utf8.Valid(body) {
		return "text/html; charset=utf-8"
	}
	return "text/html"
}
