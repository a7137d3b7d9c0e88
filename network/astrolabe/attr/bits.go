package attr

import "encoding/binary"

// Or unites sets of bits as the function BITOR of aggregations does. It skips what is neither Integer nor Blob.
//
// Bit i of an Integer has the value 2^i. Bit i of a Blob is bit i%8 of byte i/8, and a Blob has zeros behind its end.
// The zero Or is empty.
type Or struct {
	integers        int64
	blob            []byte
	sawInt, sawBlob bool
}

// Add adds the bits of a value, which it does not keep.
func (o *Or) Add(v Value) {
	switch v.Type {
	case Integer:
		o.integers |= v.Integer
		o.sawInt = true
	case Blob:
		o.sawBlob = true
		o.blob = or(o.blob, v.Bytes)
	}
}

// Value returns all bits: NULL of no sets, an Integer of Integers, a Blob as long as the longest of Blobs. Integers
// among Blobs count as Blobs of eight bytes, the lowest first. The result uses o's memory: nothing can be added behind
// it.
func (o *Or) Value() Value {
	switch {
	case !o.sawBlob && !o.sawInt:
		return Value{}
	case !o.sawBlob:
		return Int(o.integers)
	case !o.sawInt:
		return Bytes(o.blob)
	}
	var eight [8]byte
	binary.LittleEndian.PutUint64(eight[:], uint64(o.integers))
	return Bytes(or(o.blob, eight[:]))
}

// or adds the bits of b to a, which grows if it is shorter.
func or(a, b []byte) []byte {
	if len(b) > len(a) {
		a = append(a, make([]byte, len(b)-len(a))...)
	}
	a = a[:max(len(a), len(b))]
	i := 0
	for ; i+8 <= len(b); i += 8 {
		binary.NativeEndian.PutUint64(a[i:], binary.NativeEndian.Uint64(a[i:])|binary.NativeEndian.Uint64(b[i:]))
	}
	for ; i < len(b); i++ {
		a[i] |= b[i]
	}
	return a
}

// Bit returns bit i of a set of bits, 0 or 1; NULL if v is none.
func Bit(v Value, i int64) Value {
	set := false
	switch v.Type {
	case Integer:
		set = i >= 0 && i < 64 && v.Integer>>i&1 == 1
	case Blob:
		set = i >= 0 && i/8 < int64(len(v.Bytes)) && v.Bytes[i/8]>>(i%8)&1 == 1
	default:
		return Value{}
	}
	if set {
		return Int(1)
	}
	return Int(0)
}
