// Package table holds a zone's table: a row for each member or child zone, and one for each aggregation function that
// was installed for the zone. It decides which of two rows is newer, what is too old, and which rows two copies of a
// table exchange. It does not decide which nodes may write a row.
package table

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Content is what a row says. It travels when it is new. A Stamp says that it still holds.
type Content struct {
	Zone       zone.Path   `cbor:"1,keyasint" max:"200"` // in whose table the row stands
	Label      string      `cbor:"2,keyasint" max:"32"`  // its name there
	Issuer     engine.Peer `cbor:"3,keyasint"`
	Attributes attr.Row    `cbor:"4,keyasint" max:"64"`
	// Proof is why the issuer may write the row, in a network with certificates: from the trusted key down.
	Proof cert.Chain `cbor:"5,keyasint" max:"8"`
}

// Digest identifies a content.
type Digest [16]byte

// Stamp says that its issuer stood by a content at a time. A row is a content with the newest stamp that is known of
// it.
type Stamp struct {
	// Time is the issuer's logical time: a later stamp has a larger one, also after a restart. It is the seconds of the
	// calendar where that is larger.
	Time uint32 `cbor:"1,keyasint"`
	// Lifetime is for how long after the stamp the row holds, in seconds. 0: the row is withdrawn; see also Forever.
	Lifetime  uint16                       `cbor:"2,keyasint"`
	Content   Digest                       `cbor:"3,keyasint"`
	Signature [engine.SignatureLength]byte `cbor:"4,keyasint"` // of Words, by the issuer
}

// Row is a content and a stamp of it. Both are shared, and never changed.
type Row struct {
	*Content
	*Stamp
}

// IsZero reports whether r is no row.
func (r Row) IsZero() bool { return r.Content == nil }

// Path returns the zone that a row of a zone is about.
func (r Row) Path() zone.Path { return r.Zone.Child(r.Label) }

// Digest returns what identifies c.
func (c *Content) Digest() (d Digest) {
	h := make([]byte, 0, 512)
	text := func(b []byte) { h = append(binary.AppendUvarint(h, uint64(len(b))), b...) }
	text([]byte(c.Zone))
	text([]byte(c.Label))
	text(c.Issuer.ID[:])
	text([]byte(c.Issuer.Address))
	for _, a := range c.Attributes {
		text([]byte(a.Name))
		h = append(h, byte(a.Value.Type))
		h = binary.AppendVarint(h, a.Value.Integer)
		h = binary.BigEndian.AppendUint64(h, math.Float64bits(a.Value.Real))
		text(a.Value.Bytes)
	}
	for _, link := range c.Proof { // a certificate that was renewed is news
		text(link.Signature)
	}
	sum := sha256.Sum256(h)
	copy(d[:], sum[:])
	return d
}

// Words returns what a stamp's signature is of.
func (s *Stamp) Words() []byte {
	w := append(make([]byte, 0, 64), "tidings zone row\n"...)
	w = binary.BigEndian.AppendUint32(w, s.Time)
	w = binary.BigEndian.AppendUint16(w, s.Lifetime)
	return append(w, s.Content[:]...)
}

// Gone reports whether s withdraws a row.
func (s *Stamp) Gone() bool { return s.Lifetime == 0 }

// Bounds of a row's age.
const (
	// Remembered is for how long a row is remembered that does not hold any more, so that no older one comes back.
	Remembered = 15 * time.Minute

	// MaxAhead is how far a logical time may be ahead of the calendar. One that is further is a mistake or a lie, and
	// would silence the next writer of the row.
	MaxAhead = 24 * time.Hour
)

// Forever is the lifetime of rows that are not stamped anew: they hold until another replaces them.
const Forever = 1<<16 - 1

// holds returns for how long after its stamp a row holds.
func (s *Stamp) holds() time.Duration {
	if s.Lifetime == Forever {
		return 1<<63 - 1
	}
	return time.Duration(s.Lifetime) * time.Second
}

// keeps returns for how long after its stamp a row is remembered.
func (s *Stamp) keeps() time.Duration { return max(s.holds(), Remembered) }

// newer reports whether a row replaces another with its label. Of two with one time, which only a crash or a quarrel
// brings about, all nodes choose the same.
func (s *Stamp) newer(than *Stamp) bool {
	switch {
	case s.Time != than.Time:
		return s.Time > than.Time
	case s.Content != than.Content:
		return string(s.Content[:]) > string(than.Content[:])
	}
	return s.Lifetime < than.Lifetime
}
