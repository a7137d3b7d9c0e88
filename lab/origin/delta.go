package origin

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
)

// maxServed is how many of the states that were served last are known by their tags.
const maxServed = 64

// servedTags is a ring of the states that clients may hold.
type servedTags struct {
	hashes [maxServed]string
	states [maxServed]int
	next   int
}

func (s *servedTags) add(hash string, state int) {
	s.hashes[s.next%maxServed], s.states[s.next%maxServed] = hash, state
	s.next++
}

func (s *servedTags) find(hash string) (state int, ok bool) {
	for i, h := range s.hashes {
		if h == hash && h != "" {
			return s.states[i], true
		}
	}
	return 0, false
}

// delta returns p without the items of the state that the client holds, if the client requested that, its state is
// known, and both can be cut.
func (d *document) delta(r *http.Request, p *prepared) (body []byte, base string, ok bool) {
	if !d.opts.Delta || d.opts.NoETag || r.Method != http.MethodGet || !wantsFeed(r.Header["A-Im"]) {
		return nil, "", false
	}
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		tag = strings.TrimSpace(tag)
		d.mu.Lock()
		state, known := d.served.find(baseOf(tag))
		d.mu.Unlock()
		if !known {
			continue
		}
		if body, ok := without(p.body, d.series.body(state)); ok {
			return body, tag, true
		}
	}
	return nil, "", false
}

func wantsFeed(headers []string) bool {
	for _, header := range headers {
		for im := range strings.SplitSeq(header, ",") {
			if name, _, _ := strings.Cut(im, ";"); strings.EqualFold(strings.TrimSpace(name), "feed") {
				return true
			}
		}
	}
	return false
}

// without cuts the items out of doc that stand in base byte for byte.
func without(doc, base []byte) ([]byte, bool) {
	had, ok := items(base)
	if !ok {
		return nil, false
	}
	known := make(map[[sha256.Size]byte]bool, len(had))
	for _, it := range had {
		known[sha256.Sum256(base[it.from:it.to])] = true
	}
	has, ok := items(doc)
	if !ok {
		return nil, false
	}
	var b bytes.Buffer
	from := 0
	for _, it := range has {
		if known[sha256.Sum256(doc[it.from:it.to])] {
			b.Write(doc[from:it.from])
			from = it.to
		}
	}
	b.Write(doc[from:])
	return b.Bytes(), true
}

type span struct{ from, to int }

// items finds the items of an RSS or Atom document in UTF-8.
func items(doc []byte) ([]span, bool) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	d.Strict = false
	var found []span
	root, depth, from, itemDepth := "", 0, 0, 0
	for {
		at := int(d.InputOffset())
		token, err := d.RawToken()
		if err == io.EOF {
			return found, depth == 0 && (root == "rss" || root == "feed")
		}
		if err != nil {
			return nil, false // also another character set: no CharsetReader
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				root = t.Name.Local
			}
			if itemDepth == 0 && (root == "rss" && depth == 3 && t.Name.Local == "item" || root == "feed" &&
				depth == 2 && t.Name.Local == "entry") {
				from, itemDepth = at, depth
			}
		case xml.EndElement:
			if depth == itemDepth {
				found = append(found, span{from, int(d.InputOffset())})
				itemDepth = 0
			}
			depth--
		}
	}
}
