package enginetest

import (
	"bytes"
	"encoding/hex"
	"slices"

	"tidings/network/engine"
)

// hostileItem is a data item that no message has anywhere.
type hostileItem struct{ what, hex string }

// hostileItems are hostile 28.
var hostileItems = []hostileItem{
	{"an array of indefinite length", "9f01ff"},
	{"a map of indefinite length", "bf01f5ff"},
	{"a byte string of indefinite length", "5f4100ff"},
	{"a text of indefinite length", "7f6161ff"},
	{"a break alone", "ff"},
	{"a repeated key", "a201f501f5"},
	{"a repeated key, apart", "a301f502f501f5"},
	{"falling keys", "a202f501f5"},
	{"a negative key", "a120f5"},
	{"a negative key behind others", "a201f520f5"},
	{"the least key", "a13bfffffffffffffffff5"},
	{"NaN as a key", "a1f97e00f5"},
	{"a number with a point as a key", "a1f93c00f5"},
	{"a text as a key", "a16161f5"},
	{"a byte string as a key", "a14161f5"},
	{"a boolean as a key", "a1f5f5"},
	{"an array as a key", "a180f5"},
	{"5 in two bytes", "1805"},
	{"23 in two bytes", "1817"},
	{"255 in three bytes", "1900ff"},
	{"65535 in five bytes", "1a0000ffff"},
	{"2^32-1 in nine bytes", "1b00000000ffffffff"},
	{"-6 in two bytes", "3805"},
	{"a length in two bytes", "580161"},
	{"a text's length in three bytes", "79000161"},
	{"a count in two bytes", "9801f5"},
	{"a map's count in two bytes", "b80101f5"},
	{"a key in two bytes", "a11801f5"},
	{"reserved lengths", "1c"},
	{"more reserved lengths", "5e"},
	{"1.0 as a float32", "fa3f800000"},
	{"1.0 as a float64", "fb3ff0000000000000"},
	{"0.1 as a float32, as a float64", "fb3fb99999a0000000"},
	{"NaN", "f97e00"},
	{"NaN as a float64", "fb7ff8000000000000"},
	{"infinity", "f97c00"},
	{"minus infinity as a float32", "faff800000"},
	{"null", "f6"},
	{"undefined", "f7"},
	{"a simple value", "e0"},
	{"false in two bytes", "f814"},
	{"a text that is not UTF-8", "61ff"},
	{"a surrogate in a text", "63eda080"},
	{"a tag around a number", "c101"},
	{"a tag around a tag", "d9fff0d9fff0a0"},
	{"a tag that is no kind", "da00010000a0"},
	{"a tag in too many bytes", "d90010a0"},
	{"a tag around nothing", "d9fff0"},
	{"a count of 2^31 that does not come", "9a80000000"},
	{"a map of 2^63 that does not come", "bb8000000000000000"},
	{"a map of 2^64-1 that does not come", "bbffffffffffffffff"},
	{"a length of 2^31 that does not come", "5a8000000061"},
	{"a text of 2^64-1 that does not come", "7bffffffffffffffff61"},
}

// decentItems are what a newer version could have in a field that is unknown here.
var decentItems = []hostileItem{
	{"true", "f5"},
	{"false", "f4"},
	{"a number", "1903e8"},
	{"the greatest number", "1bffffffffffffffff"},
	{"the least number", "3bffffffffffffffff"},
	{"a number with a point", "fb3fb999999999999a"},
	{"minus zero", "f98000"},
	{"a byte string", "4100"},
	{"a text", "63e282ac"},
	{"an array", "8301f54100"},
	{"a map", "a301f51901f4a01bfffffffffffffffff4"},
	{"a message of an unknown kind", "d9fff0a101f5"},
	{"arrays as deep as allowed", "81818181818180"},
}

func (h hostileItem) bytes() []byte { return must(hex.DecodeString(h.hex)) }

// unknownKey is higher than that of any field.
var unknownKey = []byte{0x1a, 0, 1, 0, 0}

// withUnknown returns the message of the kind whose only field is unknown and holds value.
func withUnknown(kind engine.Kind, value []byte) []byte {
	empty := written(kind, map[uint64]any{})
	return slices.Concat(empty[:len(empty)-1], []byte{0xa1}, unknownKey, value)
}

// wrongHeads returns messages of the kind that are wrong from the start.
func wrongHeads(kind engine.Kind) map[string][]byte {
	empty := written(kind, map[uint64]any{})
	tag := empty[:len(empty)-1]
	around := func(hex string) []byte { return slices.Concat(tag, hostileItem{hex: hex}.bytes()) }
	return map[string][]byte{
		"nothing":                    {},
		"no tag":                     {0xa0},
		"a tag around nothing":       tag,
		"a tag around an array":      around("80"),
		"a tag around null":          around("f6"),
		"a map of indefinite length": around("bfff"),
		"a count in two bytes":       around("b800"),
		"a map that does not come":   around("ba80000000"),
		"a tag around a tag":         slices.Concat(tag, empty),
		"a tag in nine bytes": slices.Concat([]byte{0xdb, 0, 0, 0, 0, 0, 0, byte(kind >> 8), byte(kind)},
			[]byte{0xa0}),
		"a byte behind":                append(bytes.Clone(empty), 0),
		"another message behind":       slices.Concat(empty, empty),
		"the self-described CBOR tag":  slices.Concat([]byte{0xd9, 0xd9, 0xf7}, empty),
		"one level more than allowed":  withUnknown(kind, []byte{0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x80}),
		"a hundred thousand levels":    withUnknown(kind, append(bytes.Repeat([]byte{0x81}, 1e5), 0x80)),
		"one byte more than a message": withUnknown(kind, must(deterministic.Marshal(make([]byte, engine.MaxMessage)))),
	}
}
