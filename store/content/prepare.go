package content

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/store/column"
)

// Prepared is a change with everything that can be worked out before the writer
// has its turn: what is compressed here costs nobody else's time.
type Prepared struct {
	*tidings.Change
	texts []texts // of feeds: one an item
	// marks are those of a feed's whole document, in its order; set where the change is one, once it is recorded.
	marks []tidings.ItemIdentity
	delta []byte // of pages
	body  []byte
	// the document as received, packed; nil if there is none
	document []byte

	// Of what a publisher has signed: since when the channel is trusted to its key, and whether a poll had found it
	// before; see signed.go.
	Trusted time.Time
	Late    bool
}

// texts is an item as it is stored. It is zero for items of which no revision is stored.
type texts struct {
	summary, content, raw []byte
	extra                 string
}

// Prepare checks a change and packs its texts.
func Prepare(f *tidings.Change) (*Prepared, error) {
	p := &Prepared{Change: f}
	if f.Notice != nil {
		text, err := packItem(&tidings.FoundItem{Item: asNew(*f.Notice)})
		p.texts = []texts{text}
		return p, err
	}
	switch f.Kind {
	case tidings.KindFeed:
		if len(f.Items) > MaxItems {
			return nil, fmt.Errorf("%w change: %d items, at most %d", tidings.ErrInvalid, len(f.Items), MaxItems)
		}
		p.texts = make([]texts, len(f.Items))
		for i := range f.Items {
			item := &f.Items[i]
			if item.Change == "" && !item.Signed {
				continue
			}
			var err error
			if p.texts[i], err = packItem(item); err != nil {
				return nil, err
			}
		}
	case tidings.KindPage:
		text := joinLines(f.Lines)
		sum := sha256.Sum256([]byte(text))
		if f.Hash != hex.EncodeToString(sum[:]) {
			return nil, fmt.Errorf("%w change: the hash is not that of the lines", tidings.ErrInvalid)
		}
		if strings.Count(text, "\n") != len(f.Lines) {
			return nil, fmt.Errorf("%w change: a line with a line break in it", tidings.ErrInvalid)
		}
		p.delta, p.body = column.Pack(f.Delta), packLines(f.Lines)
	default:
		return nil, fmt.Errorf("%w change: kind %q", tidings.ErrInvalid, f.Kind)
	}
	p.document = column.Pack(string(f.Raw))
	return p, nil
}

func packItem(item *tidings.FoundItem) (texts, error) {
	t := texts{summary: column.Pack(item.Summary), content: column.Pack(item.Content)}
	best := item.Content
	if best == "" {
		best = item.Summary
	}
	if item.Raw != best {
		t.raw = column.Pack(item.Raw)
	}
	var err error
	t.extra, err = column.PackExtras(item.Item, "")
	return t, err
}
