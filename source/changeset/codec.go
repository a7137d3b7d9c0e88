package changeset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"tidings"
	"tidings/source/feed"
)

const (
	version = 1

	// A changeset longer than this is compressed.
	packFrom = 1 << 10
	// MaxSize is the longest changeset that is read, in bytes before it was compressed.
	MaxSize = 16 << 20

	maxName = 4 << 10 // bytes of a channel's title or site
)

const (
	plain  = 0
	packed = 1
)

const (
	aFeed = 'f'
	aPage = 'p'
)

// ErrMalformed says that bytes are no changeset.
var ErrMalformed = errors.New("no changeset")

var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(2),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(false))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxSize),
			zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
	})
)

// Encode writes a changeset.
func (p *Set) Encode() ([]byte, error) {
	w := writer{[]byte{version, plain}}
	if p.Kind == tidings.KindPage {
		w.byte(aPage)
	} else {
		w.byte(aFeed)
	}
	w.text(p.Title)
	w.text(p.Site)
	if p.Kind == tidings.KindPage {
		w.text(p.Delta)
	} else {
		w.number(len(p.Items))
		for i := range p.Items {
			w.item(&p.Items[i])
		}
	}
	if len(w.b) < packFrom {
		return w.b, nil
	}
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("writing a changeset: %w", err)
	}
	return enc.EncodeAll(w.b[2:], []byte{version, packed}), nil
}

// Decode reads a changeset. Of what it says nothing has been proved; see Feed and Page.
func Decode(b []byte, c feed.Config) (*Set, error) {
	if len(b) < 3 || b[0] != version || b[1] > packed {
		return nil, fmt.Errorf("reading a changeset: %w", ErrMalformed)
	}
	body := b[2:]
	if b[1] == packed {
		dec, err := decoder()
		if err != nil {
			return nil, fmt.Errorf("reading a changeset: %w", err)
		}
		if body, err = dec.DecodeAll(body, nil); err != nil {
			return nil, fmt.Errorf("reading a changeset: %w (%w)", ErrMalformed, err)
		}
	}
	r := reader{rest: body}
	p := r.changeset(c)
	if r.bad || len(r.rest) > 0 {
		return nil, fmt.Errorf("reading a changeset: %w", ErrMalformed)
	}
	return p, nil
}

type writer struct{ b []byte }

func (w *writer) byte(v byte)    { w.b = append(w.b, v) }
func (w *writer) number(n int)   { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *writer) text(s string)  { w.number(len(s)); w.b = append(w.b, s...) }
func (w *writer) fixed(v uint64) { w.b = binary.BigEndian.AppendUint64(w.b, v) }
func (w *writer) signed(v int64) { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.signed(math.MinInt64)
		return
	}
	w.signed(t.UnixMicro())
}

// How much of an item there is.
const (
	aMark  = 0 // by what it is known
	whole  = 1
	filled = 2 // whole, with references to files
	told   = 3 // whole, with references to files, of which there may be none, and what it says as a news item
)

func (w *writer) item(c *feed.Carried) {
	switch {
	case !c.Whole:
		w.byte(aMark)
	case c.News != nil:
		w.byte(told)
	case len(c.Files) == 0:
		w.byte(whole)
	default:
		w.byte(filled)
	}
	for _, part := range []uint64{c.Mark.ID, c.Mark.Link, c.Mark.Title, c.Mark.Date, c.Mark.Print} {
		w.fixed(part)
	}
	if !c.Whole {
		return
	}
	w.text(c.ID)
	w.text(c.URL)
	w.time(c.Published)
	w.time(c.Updated)
	best := c.Content
	if best == "" {
		best = c.Summary
	}
	raw := c.Raw
	if raw == best {
		w.byte(0)
	} else {
		w.byte(1)
		w.text(raw)
	}
	for _, s := range []string{c.Title, c.Author, c.Summary, c.Content} {
		w.text(s)
	}
	w.number(len(c.Enclosures))
	for _, e := range c.Enclosures {
		w.text(e.URL)
		w.text(e.Type)
		w.signed(e.Length)
	}
	w.number(len(c.Categories))
	for _, s := range c.Categories {
		w.text(s)
	}
	if len(c.Files) > 0 || c.News != nil {
		w.number(len(c.Files))
	}
	for _, f := range c.Files {
		w.text(f.URL)
		w.text(f.Type)
		w.signed(f.Length)
		w.b = append(w.b, f.Ref[:]...)
	}
	if c.News != nil {
		w.text(string(feed.EncodeNews(c.News)))
	}
}

// reader reads on until something is wrong; then it gives zero values.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) fail() {
	r.bad = true
	r.rest = nil
}

func (r *reader) byte() byte {
	if len(r.rest) < 1 {
		r.fail()
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reader) flag() bool {
	v := r.byte()
	if v > 1 {
		r.fail()
	}
	return v == 1
}

// number reads a count of things of at least size bytes each.
func (r *reader) number(most, size int) int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > uint64(most) || v*uint64(size) > uint64(len(r.rest)-n) {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *reader) text(most int) string {
	n := r.number(most, 1)
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	if !utf8.ValidString(s) {
		r.fail()
		return ""
	}
	return s
}

func (r *reader) fixed() uint64 {
	if len(r.rest) < 8 {
		r.fail()
		return 0
	}
	v := binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// time reads a time; one outside the years 1 to 9999 is none.
func (r *reader) time() time.Time {
	const first, last = -62135596800, 253402300800 // seconds since 1970
	v := r.signed()
	if s := v / 1e6; s <= first || s >= last {
		return time.Time{}
	}
	return time.UnixMicro(v).UTC()
}

func (r *reader) changeset(c feed.Config) *Set {
	p := &Set{}
	kind := r.byte()
	p.Title, p.Site = oneLine(r.text(maxName)), oneLine(r.text(maxName))
	switch kind {
	case aPage:
		p.Kind = tidings.KindPage
		p.Delta = r.text(MaxSize)
	case aFeed:
		p.Kind = tidings.KindFeed
		const least = 1 + 5*8
		n := r.number(c.MaxItems, least)
		p.Items = make([]feed.Carried, n)
		for i := 0; i < n && !r.bad; i++ {
			r.item(&p.Items[i], c)
		}
	default:
		r.fail()
	}
	return p
}

func (r *reader) item(i *feed.Carried, c feed.Config) {
	much := r.byte()
	if much > told {
		r.fail()
	}
	i.Whole = much != aMark
	for _, part := range []*uint64{&i.Mark.ID, &i.Mark.Link, &i.Mark.Title, &i.Mark.Date, &i.Mark.Print} {
		*part = r.fixed()
	}
	if !i.Whole {
		return
	}
	i.ID, i.URL = r.text(c.MaxText), r.text(c.MaxURL)
	i.Published, i.Updated = r.time(), r.time()
	other := r.flag()
	if other {
		i.Raw = r.text(2 * c.MaxText)
	}
	for _, s := range []*string{&i.Title, &i.Author, &i.Summary, &i.Content} {
		*s = r.text(2 * c.MaxText)
	}
	if !other {
		if i.Raw = i.Content; i.Raw == "" {
			i.Raw = i.Summary
		}
	}
	for n := r.number(c.MaxPerItem, 3); n > 0 && !r.bad; n-- {
		i.Enclosures = append(i.Enclosures, tidings.Enclosure{URL: r.text(c.MaxURL), Type: r.text(maxName),
			Length: r.signed()})
	}
	for n := r.number(c.MaxPerItem, 1); n > 0 && !r.bad; n-- {
		i.Categories = append(i.Categories, r.text(c.MaxText))
	}
	if much >= filled {
		r.files(i, c, much == filled)
	}
	if much == told && !r.bad {
		var err error
		if i.News, err = feed.DecodeNews(r.text(4 * c.MaxText)); err != nil {
			r.fail()
		}
	}
}

func (r *reader) files(i *feed.Carried, c feed.Config, some bool) {
	n := r.number(c.MaxPerItem, 3+len(tidings.File{}.Ref))
	if n == 0 && some {
		r.fail() // then the item would have said so
	}
	for ; n > 0 && !r.bad; n-- {
		f := tidings.File{URL: r.text(c.MaxURL), Type: r.text(maxName), Length: r.signed()}
		if len(r.rest) < len(f.Ref) {
			r.fail()
			return
		}
		r.rest = r.rest[copy(f.Ref[:], r.rest):]
		i.Files = append(i.Files, f)
	}
}

// oneLine leaves out what has no place in a name.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}
