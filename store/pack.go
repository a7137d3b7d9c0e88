package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Packed texts begin with a byte that says how they are packed.
const (
	packedPlain = 0
	packedZstd  = 1
)

// packMin is the length from which a text is worth compressing.
const packMin = 200

// unpackMax bounds what one packed text may become, should the file be damaged.
const unpackMax = 64 << 20

var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(128<<10), zstd.WithEncoderCRC(false))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(unpackMax),
			zstd.WithDecoderLowmem(true))
	})
)

// pack returns text for a BLOB column: nil if it is empty, compressed if that helps.
func pack(text string) []byte {
	if text == "" {
		return nil
	}
	if len(text) >= packMin {
		if enc, err := encoder(); err == nil {
			packed := enc.EncodeAll([]byte(text), append(make([]byte, 0, len(text)/2), packedZstd))
			if len(packed) <= len(text) {
				return packed
			}
		}
	}
	return append([]byte{packedPlain}, text...)
}

func unpack(blob []byte) (string, error) {
	if len(blob) == 0 {
		return "", nil
	}
	switch blob[0] {
	case packedPlain:
		return string(blob[1:]), nil
	case packedZstd:
		dec, err := decoder()
		if err != nil {
			return "", fmt.Errorf("unpacking a text: %w", err)
		}
		text, err := dec.DecodeAll(blob[1:], nil)
		if err != nil {
			return "", fmt.Errorf("unpacking a text: %w (%w)", ErrDamaged, err)
		}
		return string(text), nil
	}
	return "", fmt.Errorf("unpacking a text: %w", ErrDamaged)
}

// packLines returns the lines of a page for a BLOB column, never nil.
func packLines(lines []string) []byte {
	if packed := pack(joinLines(lines)); packed != nil {
		return packed
	}
	return []byte{packedPlain}
}

func unpackLines(blob []byte) ([]string, error) {
	text, err := unpack(blob)
	if err != nil || text == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), nil
}

func joinLines(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// packOrder encodes item numbers in their order: neighbours are mostly close, so
// each is kept as its distance from the one before.
func packOrder(items []int64) []byte {
	b := make([]byte, 0, 2*len(items)+8)
	before := int64(0)
	for _, item := range items {
		b = binary.AppendVarint(b, item-before)
		before = item
	}
	return b
}

func unpackOrder(blob []byte) ([]int64, error) {
	items := make([]int64, 0, len(blob)/2+1)
	before := int64(0)
	for len(blob) > 0 {
		distance, n := binary.Varint(blob)
		if n <= 0 {
			return nil, fmt.Errorf("unpacking an order of items: %w", ErrDamaged)
		}
		before += distance
		items = append(items, before)
		blob = blob[n:]
	}
	return slices.Clip(items), nil
}
