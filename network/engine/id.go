package engine

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// ID is a point on the ring of 2^160 that nodes and channels share: the SHA-1 of a node's
// public key or of a channel's canonical URL, most significant byte first.
type ID [20]byte

// Bits is the length of an ID.
const Bits = 160

// IDOf returns the ID of what data names: a public key, a canonical URL.
func IDOf(data []byte) ID { return sha1.Sum(data) }

// DrawID draws an identifier.
func DrawID(chance *rand.Rand) (id ID) {
	for i := range id {
		id[i] = byte(chance.Uint32())
	}
	return id
}

// ParseID reads the 40 hexadecimal digits that String writes.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 2*len(id) {
		return ID{}, fmt.Errorf("reading an ID: %d digits where %d belong", len(s), 2*len(id))
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, errors.New("reading an ID: not hexadecimal")
	}
	return id, nil
}

// PrefixID returns the ID that starts with the given hexadecimal digits, zeros following.
// It makes IDs that are short enough to see; it panics if digits is no such start.
func PrefixID(digits string) ID {
	padded := fmt.Sprintf("%-40s", digits)
	id, err := ParseID(string(bytes.ReplaceAll([]byte(padded), []byte(" "), []byte("0"))))
	if err != nil {
		panic("engine: no start of an ID: " + digits)
	}
	return id
}

// String returns the ID as 40 hexadecimal digits.
func (a ID) String() string { return hex.EncodeToString(a[:]) }

// Short returns the first eight digits, enough for people to distinguish nodes.
func (a ID) Short() string { return hex.EncodeToString(a[:4]) }

// Compare orders IDs as numbers: -1 if a is less than b, 0 if they are equal, 1 if it is more.
func (a ID) Compare(b ID) int { return bytes.Compare(a[:], b[:]) }

// CommonBits returns how many leading bits a and b share, 160 if they are equal.
func (a ID) CommonBits(b ID) int { return commonBits(&a, &b) }

func commonBits(a, b *ID) int {
	x, y := a.words(), b.words()
	switch {
	case x.high != y.high:
		return bits.LeadingZeros64(x.high ^ y.high)
	case x.middle != y.middle:
		return 64 + bits.LeadingZeros32(x.middle^y.middle)
	}
	return 96 + bits.LeadingZeros64(x.low^y.low)
}

// CommonDigits returns how many leading digits of base 2^k a and b share. k is 1, 2, 4 or 8.
func (a ID) CommonDigits(b ID, k int) int {
	return commonBits(&a, &b) >> bits.TrailingZeros(uint(k))
}

// Digit returns the i-th digit of base 2^k, counted from 0 at the most significant. k is
// 1, 2, 4 or 8, so that a digit lies within one byte.
func (a ID) Digit(i, k int) int {
	at := i * k
	return int(a[at/8]>>(8-k-at%8)) & (1<<k - 1)
}

// WithDigit returns a with its i-th digit of base 2^k set to d and zeros behind it: the
// least ID of that subtree.
func (a ID) WithDigit(i, k, d int) ID {
	at := i * k
	shift := 8 - k - at%8
	a[at/8] = a[at/8]>>(shift+k)<<(shift+k) | byte(d<<shift)
	clear(a[at/8+1:])
	return a
}

// Clockwise returns how far b lies ahead of a on the ring, going upwards: b-a modulo 2^160.
func (a ID) Clockwise(b ID) ID { return a.words().ahead(b.words()).id() }

// Distance returns the length of the shorter way round the ring between a and b.
func (a ID) Distance(b ID) ID { return a.words().apart(b.words()).id() }

// Position returns where a stands on the ring, from 0 up to 1, as exactly as a float64 can
// tell. It is for people and estimates; decisions compare IDs.
func (a ID) Position() float64 {
	return float64(binary.BigEndian.Uint64(a[:])>>11) / (1 << 53)
}

// Closer reports whether a is numerically closer to key than b. Of two at the same distance,
// which lie on either side of the key, the lesser ID counts as closer, so that all nodes
// agree on one.
func Closer(key, a, b ID) bool {
	k, x, y := key.words(), a.words(), b.words()
	if near, far := k.apart(x), k.apart(y); near != far {
		return near.less(far)
	}
	return x.less(y)
}

// Closest returns the index of the peer that is numerically closest to key, in the order of
// Closer; the first of several with the same ID; -1 if there are no peers.
func Closest(key ID, peers []Peer) int {
	if len(peers) == 0 {
		return -1
	}
	k, best := key.words(), 0
	id := peers[0].ID.words()
	far := k.apart(id)
	for i := 1; i < len(peers); i++ {
		w := peers[i].ID.words()
		d := k.apart(w)
		if d.less(far) || d == far && w.less(id) {
			best, id, far = i, w, d
		}
	}
	return best
}

// MarshalText writes what String writes.
func (a ID) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *ID) UnmarshalText(text []byte) (err error) {
	*a, err = ParseID(string(text))
	return err
}

// words are an ID as numbers, for arithmetic modulo 2^160. They are cut where Go's compiler
// cuts the 20 bytes when it copies an ID: a processor that reads across the seams of what
// it has just written has to wait.
type words struct {
	high   uint64
	middle uint32
	low    uint64
}

func (a *ID) words() words {
	return words{binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint32(a[8:]), binary.BigEndian.Uint64(a[12:])}
}

func (w words) id() (id ID) {
	binary.BigEndian.PutUint64(id[:], w.high)
	binary.BigEndian.PutUint32(id[8:], w.middle)
	binary.BigEndian.PutUint64(id[12:], w.low)
	return id
}

func (w words) less(v words) bool {
	switch {
	case w.high != v.high:
		return w.high < v.high
	case w.middle != v.middle:
		return w.middle < v.middle
	}
	return w.low < v.low
}

// ahead returns v-w.
func (w words) ahead(v words) words {
	low, borrow := bits.Sub64(v.low, w.low, 0)
	middle, more := bits.Sub32(v.middle, w.middle, uint32(borrow))
	high, _ := bits.Sub64(v.high, w.high, uint64(more))
	return words{high, middle, low}
}

// apart returns the lesser of v-w and w-v.
func (w words) apart(v words) words {
	there := w.ahead(v)
	if there.high < 1<<63 { // less than half the ring
		return there
	}
	return v.ahead(w)
}
