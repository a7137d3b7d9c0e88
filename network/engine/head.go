package engine

import (
	"encoding/binary"
	"fmt"
	"math"
)

// major is a data item's major type (RFC 8949, section 3.1).
type major byte

const (
	majorUint major = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple // and floating-point numbers
)

// First bytes of the items of majorSimple that there are here.
const (
	itemFalse = 0xf4
	itemTrue  = 0xf5
	itemHalf  = 0xf9
	itemFloat = 0xfa
	item64    = 0xfb
)

// readHead reads the head of a data item: its major type and its number, which for the
// items of majorSimple is 0 or 1 for false and true, or the bits of a float64.
func readHead(data []byte) (m major, n uint64, rest []byte, err error) {
	if len(data) > 0 && data[0]&0x1f < 24 && data[0] < 0xe0 {
		return major(data[0] >> 5), uint64(data[0] & 0x1f), data[1:], nil
	}
	return readLongHead(data)
}

// readLongHead is readHead where the number may be longer than the first byte has room for.
func readLongHead(data []byte) (m major, n uint64, rest []byte, err error) {
	if len(data) == 0 {
		return 0, 0, nil, errCut
	}
	first := data[0]
	m, info, rest := major(first>>5), first&0x1f, data[1:]
	if m == majorSimple {
		n, rest, err = readSimple(first, rest)
		return m, n, rest, err
	}
	if info > 27 {
		return 0, 0, nil, fmt.Errorf("%w: an indefinite or reserved length", ErrMalformed)
	}
	length := 1 << (info - 24)
	if len(rest) < length {
		return 0, 0, nil, errCut
	}
	least := uint64(24)
	switch length {
	case 1:
		n = uint64(rest[0])
	case 2:
		n, least = uint64(binary.BigEndian.Uint16(rest)), 1<<8
	case 4:
		n, least = uint64(binary.BigEndian.Uint32(rest)), 1<<16
	case 8:
		n, least = binary.BigEndian.Uint64(rest), 1<<32
	}
	if n < least {
		return 0, 0, nil, fmt.Errorf("%w: an integer or length longer than needed", ErrMalformed)
	}
	return m, n, rest[length:], nil
}

func readSimple(first byte, rest []byte) (uint64, []byte, error) {
	var f float64
	length := 0
	switch first {
	case itemFalse, itemTrue:
		return uint64(first - itemFalse), rest, nil
	case itemHalf:
		length = 2
	case itemFloat:
		length = 4
	case item64:
		length = 8
	default:
		return 0, nil, fmt.Errorf("%w: a simple value that messages have no use for", ErrMalformed)
	}
	if len(rest) < length {
		return 0, nil, errCut
	}
	switch length {
	case 2:
		f = fromHalf(binary.BigEndian.Uint16(rest))
	case 4:
		f = float64(math.Float32frombits(binary.BigEndian.Uint32(rest)))
	case 8:
		f = math.Float64frombits(binary.BigEndian.Uint64(rest))
	}
	if !isFinite(f) {
		return 0, nil, fmt.Errorf("%w: a number that is not finite", ErrMalformed)
	}
	if floatSize(f) != 1+length {
		return 0, nil, fmt.Errorf("%w: a floating-point number longer than needed", ErrMalformed)
	}
	return math.Float64bits(f), rest[length:], nil
}

// appendHead appends the head of a data item, in its shortest form.
func appendHead(dst []byte, m major, n uint64) []byte {
	first := byte(m) << 5
	switch {
	case n < 24:
		return append(dst, first|byte(n))
	case n < 1<<8:
		return append(dst, first|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, first|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, first|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, first|27), n)
}

// headSize returns how many bytes appendHead appends.
func headSize(n uint64) int {
	switch {
	case n < 24:
		return 1
	case n < 1<<8:
		return 2
	case n < 1<<16:
		return 3
	case n < 1<<32:
		return 5
	}
	return 9
}
