package engine

import "reflect"

// MaxAddress is the length of the longest Address, in bytes.
const MaxAddress = 512

// addressForm is of Address: a byte string of at most most bytes.
type addressForm struct{ most int }

func (addressForm) empty(v reflect.Value) bool                      { return v.Len() == 0 }
func (addressForm) size(v reflect.Value, _ int) (n int, empty bool) { return blobSize(v.Len()) }
func (addressForm) least() int                                      { return 1 }

func (f addressForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	if v.Len() > f.most {
		return nil, errBound
	}
	return append(appendHead(dst, majorBytes, uint64(v.Len())), v.String()...), nil
}

func (f addressForm) read(data []byte, v reflect.Value) ([]byte, error) {
	blob, rest, err := readBlob(data, majorBytes, f.most)
	if err != nil {
		return nil, err
	}
	v.SetString(string(blob))
	return rest, nil
}

// peerForm is of Peer: one byte string, the ID and behind it the address; an empty one if it
// is no peer. That is two bytes less than the two of them in an array. The fields of Peer
// stand in that order, and in no other.
type peerForm struct{}

func (peerForm) empty(v reflect.Value) bool { return peerLength(v) == 0 }
func (peerForm) least() int                 { return 1 }

func (peerForm) size(v reflect.Value, _ int) (n int, empty bool) { return blobSize(peerLength(v)) }

func (peerForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	n := peerLength(v)
	if n > len(ID{})+MaxAddress {
		return nil, errBound
	}
	dst = appendHead(dst, majorBytes, uint64(n))
	if n == 0 {
		return dst, nil
	}
	return append(append(dst, v.Field(0).Bytes()...), v.Field(1).String()...), nil
}

func (peerForm) read(data []byte, v reflect.Value) ([]byte, error) {
	blob, rest, err := readBlob(data, majorBytes, len(ID{})+MaxAddress)
	if err != nil || len(blob) == 0 {
		return rest, err
	}
	if len(blob) < len(ID{}) {
		return nil, errType
	}
	address := blob[copy(v.Field(0).Bytes(), blob):]
	v.Field(1).SetString(string(address))
	if peerLength(v) == 0 {
		return nil, errEmpty
	}
	return rest, nil
}

// peerLength returns how many bytes the peer v is on the wire, without the head.
func peerLength(v reflect.Value) int {
	n := v.Field(1).Len()
	if n == 0 && v.Field(0).IsZero() {
		return 0
	}
	return len(ID{}) + n
}
