// Package announce writes into a feed's document that its items are pushed: under which topic, by which key, and how
// long a silence can be ([feed.Announcement]).
//
// It promises that it changes only the bytes of the announcement. That stands behind the start of the channel or feed,
// or behind JSON Feed's version. So byte order mark, encoding, indentation and prefixes stay. A new announcement
// replaces an old one. The returned document has been read again: it has the same items as before, and the
// announcement.
package announce

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed"
)

// usual is the prefix that an announcement's elements have where the document declares none.
const usual = "tidings"

// Into returns the document with the announcement in it. The error is [feed.ErrNotFeed] for a document that is no feed.
// It is [tidings.ErrInvalid] for a feed without a place for it, or an announcement that no reader would accept.
func Into(doc []byte, a feed.Announcement, c feed.Config) ([]byte, error) {
	if err := check(a); err != nil {
		return nil, fmt.Errorf("announcing: %w", err)
	}
	place, err := feed.PlaceOf(doc, c)
	if err != nil {
		return nil, fmt.Errorf("announcing: %w", err)
	}
	out := put(doc, place, a)
	if err := prove(doc, out, a, c); err != nil {
		return nil, fmt.Errorf("announcing: %w", err)
	}
	return out, nil
}

// Snippet returns the announcement as it is to stand in a document of the given format, for people to
// paste: behind the start tag of the channel or feed, or among the fields of a JSON Feed.
func Snippet(f feed.Format, a feed.Announcement) (string, error) {
	if err := check(a); err != nil {
		return "", fmt.Errorf("announcing: %w", err)
	}
	if f == feed.JSONFeed {
		return `"` + feed.AnnouncementField + `": ` + object(a), nil
	}
	return element(a, ""), nil
}

// check refuses what no reader would accept unchanged.
func check(a feed.Announcement) error {
	switch {
	case a.Silence < 0 || a.Silence > feed.MaxSilence || a.Silence%time.Second != 0:
		return fmt.Errorf("%w silence %v: whole seconds up to %v are possible", tidings.ErrInvalid, a.Silence,
			feed.MaxSilence)
	case len(a.Rotations) > feed.MaxStatements || len(a.Revocations) > feed.MaxStatements:
		return fmt.Errorf("%w announcement: more than %d rotations or revocations", tidings.ErrInvalid,
			feed.MaxStatements)
	}
	for _, s := range slices.Concat(a.Rotations, a.Revocations) {
		if len(s) == 0 || len(s) > feed.MaxStatement {
			return fmt.Errorf("%w announcement: a statement of %d bytes", tidings.ErrInvalid, len(s))
		}
	}
	return nil
}

// put writes the announcement at its place: over the first that is there, else as a new one. Further ones
// are left out.
func put(doc []byte, p *feed.Place, a feed.Announcement) []byte {
	isJSON := p.Format == feed.JSONFeed || p.Format == feed.JSON
	if len(p.Own) == 0 {
		text := p.Lead + element(a, p.Prefix)
		if isJSON {
			text = "," + p.Lead + `"` + feed.AnnouncementField + `": ` + object(a)
		}
		return slices.Concat(doc[:p.At], p.Bytes(text), doc[p.At:])
	}
	text := object(a)
	if !isJSON {
		text = element(a, p.Prefix)
	}
	first := p.Own[0]
	out := slices.Concat(doc[:first[0]], p.Bytes(text))
	at := first[1]
	for _, further := range p.Own[1:] {
		out = append(out, doc[at:further[0]]...)
		at = further[1]
	}
	return append(out, doc[at:]...)
}

// element writes an announcement in XML; prefix is that under which its namespace is declared, if it is.
func element(a feed.Announcement, prefix string) string {
	declaration := ""
	if prefix == "" {
		prefix, declaration = usual, fmt.Sprintf(` xmlns:%s="%s"`, usual, feed.AnnouncementSpace)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<%s:push%s topic="%x" fingerprint="%x" silence="%d"`, prefix, declaration, a.Topic, a.Fingerprint,
		a.Silence/time.Second)
	if len(a.Rotations)+len(a.Revocations) == 0 {
		b.WriteString("/>")
		return b.String()
	}
	b.WriteString(">")
	for name, list := range statements(a) {
		for _, s := range list {
			fmt.Fprintf(&b, "<%[1]s:%[2]s>%[3]s</%[1]s:%[2]s>", prefix, name, base64.StdEncoding.EncodeToString(s))
		}
	}
	fmt.Fprintf(&b, "</%s:push>", prefix)
	return b.String()
}

// statements goes through the lists of signed statements, by the name of an element of theirs.
func statements(a feed.Announcement) func(func(string, [][]byte) bool) {
	return func(yield func(string, [][]byte) bool) {
		_ = yield("rotation", a.Rotations) && yield("revocation", a.Revocations)
	}
}

// object writes an announcement in JSON, on one line.
func object(a feed.Announcement) string {
	b, err := json.Marshal(struct {
		Topic       string   `json:"topic"`
		Fingerprint string   `json:"fingerprint"`
		Silence     int64    `json:"silence"`
		Rotations   [][]byte `json:"rotations,omitempty"` // which JSON has in base64
		Revocations [][]byte `json:"revocations,omitempty"`
	}{hex.EncodeToString(a.Topic[:]), hex.EncodeToString(a.Fingerprint[:]), int64(a.Silence / time.Second), a.Rotations,
		a.Revocations})
	if err != nil {
		panic("announce: " + err.Error()) // there is nothing in it that JSON does not have
	}
	return string(b)
}

// errOther says that an announcement would be more than one.
var errOther = errors.New("an announcement would change how the document is read")

// prove reads a document with its announcement, and compares it with the one without.
func prove(before, after []byte, a feed.Announcement, c feed.Config) error {
	c.MaxBytes = max(c.MaxBytes, len(after))
	was, err := feed.Parse(before, "", "", c)
	if err != nil {
		return err
	}
	is, err := feed.Parse(after, "", "", c)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errOther, err)
	case is.Announcement == nil || !same(*is.Announcement, a):
		return fmt.Errorf("%w: it would not be found again", errOther)
	case len(is.Items) != len(was.Items):
		return errOther
	}
	for i := range is.Items {
		if is.Items[i].Mark != was.Items[i].Mark || !reflect.DeepEqual(is.Items[i].Item, was.Items[i].Item) {
			return errOther
		}
	}
	return nil
}

func same(a, b feed.Announcement) bool {
	return a.Topic == b.Topic && a.Fingerprint == b.Fingerprint && a.Silence == b.Silence &&
		slices.EqualFunc(a.Rotations, b.Rotations, slices.Equal) && slices.EqualFunc(a.Revocations, b.Revocations,
		slices.Equal)
}
