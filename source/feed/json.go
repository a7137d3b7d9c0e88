package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tidings/source/feed/nearjson"
)

// readJSON reads JSON Feed, or any other JSON that is plainly a list of news.
func readJSON(d *Document, src, base string, cfg Config) error {
	if err := boundJSON(src, cfg.MaxDepth); err != nil {
		return err
	}
	head, items, err := cutJSON(src, cfg)
	if err != nil && !errors.Is(err, ErrLimit) {
		if mended := nearjson.Mend(src); mended != src {
			d.note("mended JSON: line breaks or escapes in its texts, or commas without a value")
			head, items, err = cutJSON(mended, cfg)
		}
	}
	switch {
	case errors.Is(err, ErrLimit):
		return err
	case err != nil && d.Format == JSONFeed:
		return fmt.Errorf("%w: %w", ErrDamaged, cmp.Or(nearjson.Wrong(src), err))
	case err != nil:
		return fmt.Errorf("%w: JSON that cannot be read: %w", ErrNotFeed, cmp.Or(nearjson.Wrong(src), err))
	}
	if len(items) > cfg.MaxItems {
		items = items[:cfg.MaxItems]
		d.note("has more items than are read: the rest is left out")
	}
	if isJSONFeed(head) {
		d.Format = JSONFeed
		readJSONFeed(d, head, items, base, cfg)
		return nil
	}
	return readJSONList(d, head, items, base, cfg)
}

// boundJSON refuses JSON that nests deeper than maxDepth, before anything recursive
// sees it.
func boundJSON(src string, maxDepth int) error {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("%w: JSON nested deeper than %d", ErrLimit, maxDepth)
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		}
	}
	return nil
}

// object is a JSON object as far as it was looked at.
type object map[string]json.RawMessage

// listKeys are the names under which lists of news stand in an object.
var listKeys = set(`items entries articles posts news stories results data feed`)

// maxFields bounds a document's own fields; more: refused.
const maxFields = 1000

// cutJSON separates a document's own fields from its items, whether it is an object
// that holds the list or the list itself. It keeps at most one item more than are read.
func cutJSON(src string, cfg Config) (object, []json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(src))
	tok, err := dec.Token()
	if err != nil {
		return nil, nil, err
	}
	if tok == json.Delim('[') {
		items, err := jsonItems(dec, cfg)
		return nil, items, err
	}
	head := make(object)
	var items []json.RawMessage
	for fields := 0; dec.More(); fields++ {
		if fields >= maxFields {
			return nil, nil, fmt.Errorf("%w: more than %d fields", ErrLimit, maxFields)
		}
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := key.(string)
		if items == nil && listKeys[name] && nextIsArray(dec, src) {
			if _, err := dec.Token(); err != nil {
				return nil, nil, err
			}
			if items, err = jsonItems(dec, cfg); err != nil {
				return nil, nil, err
			}
			if len(items) > cfg.MaxItems {
				return head, items, nil // the rest is not looked at
			}
			if _, err := dec.Token(); err != nil { // "]"
				return nil, nil, err
			}
			continue
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		if len(value) <= cfg.MaxText {
			head[name] = value
		}
	}
	if _, err := dec.Token(); err != nil { // "}": a document cut off is no document
		return nil, nil, err
	}
	return head, items, nil
}

// nextIsArray reports whether the value that dec reads next starts with "[".
func nextIsArray(dec *json.Decoder, src string) bool {
	rest := strings.TrimLeft(src[dec.InputOffset():], " \t\r\n:")
	return strings.HasPrefix(rest, "[")
}

// jsonItems reads the rest of a list whose "[" was read, without its "]".
func jsonItems(dec *json.Decoder, cfg Config) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	for dec.More() {
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return nil, err
		}
		if len(item) <= cfg.MaxJSONItem {
			items = append(items, item)
		}
		if len(items) > cfg.MaxItems {
			return items, nil
		}
	}
	if !dec.More() {
		if _, err := peekEnd(dec); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// peekEnd reports an error if the document ended where a list goes on.
func peekEnd(dec *json.Decoder) (bool, error) {
	rest, err := io.ReadAll(io.LimitReader(dec.Buffered(), 64))
	if err != nil {
		return false, err
	}
	if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) == 0 {
		return false, io.ErrUnexpectedEOF
	}
	return true, nil
}

// text returns the text of a field: a string, a number or truth value as written, or the text in an object or at the
// head of a list. It is "" for anything else.
func (o object) text(names ...string) string {
	for _, name := range names {
		if s := scalarIn(o[name]); s != "" {
			return s
		}
	}
	return ""
}

func scalar(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return cleanString(s)
	case '{', '[', 'n':
		return ""
	}
	return string(raw)
}

// textKeys are the names under which an object has the text that should stand in its place: as WordPress, Google and
// MongoDB write them, and others.
var textKeys = []string{"rendered", "text", "#text", "$t", "value", "content", "name", "href", "url", "$oid", "$date"}

// scalarIn is scalar for a value that may be an object or a list, with the text in it.
func scalarIn(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '[' {
		first := object{"": raw}.list("", 1)
		if len(first) == 0 {
			return ""
		}
		raw = first[0]
	}
	if len(raw) == 0 || raw[0] != '{' {
		return scalar(raw)
	}
	o := toObject(raw)
	for _, key := range textKeys {
		if s := scalar(o[key]); s != "" {
			return s
		}
	}
	return ""
}

// cleanString leaves out the characters that JSON can escape and no text may have.
func cleanString(s string) string {
	if isClean([]byte(s)) {
		return s
	}
	s, _ = clean([]byte(s))
	return s
}

// object returns a field that is an object, nil for anything else.
func (o object) object(name string) object {
	if raw := o[name]; len(raw) > 0 && raw[0] == '{' {
		return toObject(raw)
	}
	return nil
}

func toObject(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// list returns the first of a field that is a list, at most so many; what stands alone is a list of one.
func (o object) list(name string, most int) (l []json.RawMessage) {
	raw := o[name]
	switch {
	case len(raw) == 0 || raw[0] == 'n': // null
		return nil
	case raw[0] != '[':
		return []json.RawMessage{raw}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the "[" that was seen
	for len(l) < most && dec.More() {
		var element json.RawMessage
		if dec.Decode(&element) != nil {
			return nil
		}
		l = append(l, element)
	}
	return l
}
