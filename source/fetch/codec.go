package fetch

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"tidings"
)

// memoryVersion is the first byte of an encoded Memory. Fields are only ever added at
// the end: what an older writer did not know is then zero. The version changes when a
// field changes its meaning.
const memoryVersion = 1

// maxMemory bounds an encoded Memory: three addresses and some headers.
const maxMemory = 64 << 10

// errMemory says that bytes are no Memory.
var errMemory = errors.New("not the memory of an origin")

// fields passes every field of m, in the order of the encoding, to what reads or writes them.
func (m *Memory) fields(c fieldCoder) {
	phase, kind := uint64(m.Phase), string(m.Kind)
	hours, days := uint64(m.SkipHours), uint64(m.SkipDays)
	trouble := string(m.Trouble)
	c.number(&phase)
	c.text(&kind)
	c.text(&m.ETag)
	c.text(&m.LastModified)
	c.text(&m.ValidFor)
	c.text(&m.CacheControl)
	c.text(&m.Expires)
	c.time(&m.FreshUntil)
	c.sum(&m.Sum)
	c.span(&m.TTL)
	c.span(&m.UpdatePeriod)
	c.number(&hours)
	c.number(&days)
	c.time(&m.LastRead)
	c.time(&m.LastFull)
	c.text(&m.Redirect)
	c.count(&m.RedirectCount)
	c.time(&m.RedirectSince)
	c.count(&m.Failures)
	c.time(&m.FailingSince)
	c.text(&trouble)
	c.count(&m.Row)
	c.time(&m.RowSince)
	c.count(&m.Changes)
	c.flag(&m.NoDelta)
	c.time(&m.DistrustUntil)
	c.text(&m.Ended)
	m.Phase, m.Kind = uint32(phase), tidings.Kind(kind)
	m.SkipHours, m.SkipDays = uint32(hours), uint8(days)
	m.Trouble = tidings.Outcome(trouble)
}

type fieldCoder interface {
	number(*uint64)
	count(*int)
	text(*string)
	time(*time.Time)
	span(*time.Duration)
	sum(*[sha256.Size]byte)
	flag(*bool)
}

// Encode returns the memory in a compact form that later versions of this package read too.
func (m *Memory) Encode() []byte {
	w := writer{b: make([]byte, 0, 160+len(m.ETag)+len(m.ValidFor)+len(m.CacheControl)+len(m.Redirect)+len(m.Ended))}
	w.b = append(w.b, memoryVersion)
	m.fields(&w)
	return w.b
}

// Decode reads what Encode wrote, in this version or an older one.
func Decode(b []byte) (Memory, error) {
	if len(b) == 0 || len(b) > maxMemory || b[0] != memoryVersion {
		return Memory{}, errMemory
	}
	var m Memory
	r := reader{b: b[1:]}
	m.fields(&r)
	if r.bad {
		return Memory{}, fmt.Errorf("%w (damaged)", errMemory)
	}
	return m, nil
}

type writer struct{ b []byte }

func (w *writer) number(v *uint64) { w.b = binary.AppendUvarint(w.b, *v) }
func (w *writer) count(v *int)     { w.b = binary.AppendUvarint(w.b, uint64(max(*v, 0))) }
func (w *writer) text(v *string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(*v)))
	w.b = append(w.b, *v...)
}

// time writes the zero time as 0, and others as milliseconds since 1970.
func (w *writer) time(v *time.Time) {
	var ms int64
	if !v.IsZero() {
		ms = v.UnixMilli()
	}
	w.b = binary.AppendVarint(w.b, ms)
}

func (w *writer) span(v *time.Duration) { w.b = binary.AppendVarint(w.b, int64(*v)) }

// sum writes no bytes for the zero sum.
func (w *writer) sum(v *[sha256.Size]byte) {
	if *v == ([sha256.Size]byte{}) {
		w.b = append(w.b, 0)
		return
	}
	w.b = append(w.b, 1)
	w.b = append(w.b, v[:]...)
}

func (w *writer) flag(v *bool) {
	var b byte
	if *v {
		b = 1
	}
	w.b = append(w.b, b)
}

// reader leaves fields as they are when the bytes end between two of them, and is bad
// when they end within one.
type reader struct {
	b   []byte
	bad bool
}

// at reports whether there is a field to read.
func (r *reader) at() bool { return !r.bad && len(r.b) > 0 }

func (r *reader) number(v *uint64) {
	if !r.at() {
		return
	}
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad = true
		return
	}
	*v, r.b = n, r.b[size:]
}

func (r *reader) count(v *int) {
	n := uint64(*v)
	r.number(&n)
	*v = int(min(n, 1<<31-1))
}

func (r *reader) text(v *string) {
	if !r.at() {
		return
	}
	var n uint64
	r.number(&n)
	if r.bad || n > uint64(len(r.b)) {
		r.bad = true
		return
	}
	*v, r.b = string(r.b[:n]), r.b[n:]
}

func (r *reader) signed() (int64, bool) {
	if !r.at() {
		return 0, false
	}
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.bad = true
		return 0, false
	}
	r.b = r.b[size:]
	return n, true
}

func (r *reader) time(v *time.Time) {
	if ms, ok := r.signed(); ok && ms != 0 {
		*v = time.UnixMilli(ms).UTC()
	}
}

func (r *reader) span(v *time.Duration) {
	if n, ok := r.signed(); ok {
		*v = time.Duration(n)
	}
}

func (r *reader) sum(v *[sha256.Size]byte) {
	if !r.at() {
		return
	}
	known := r.b[0]
	r.b = r.b[1:]
	switch {
	case known == 0:
	case known == 1 && len(r.b) >= sha256.Size:
		*v = [sha256.Size]byte(r.b)
		r.b = r.b[sha256.Size:]
	default:
		r.bad = true
	}
}

func (r *reader) flag(v *bool) {
	if !r.at() {
		return
	}
	*v, r.b = r.b[0] != 0, r.b[1:]
}
