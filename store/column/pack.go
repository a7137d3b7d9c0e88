// Package column says how values stand in columns of the database that SQLite has no type for: texts that are packed,
// items, what items are known by, and IDs of nodes. It reads channels, their last polls, and updates for the parts that
// show them.
package column

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tidings/store/db"
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

// Pack returns text for a BLOB column: nil if it is empty, compressed if that helps.
func Pack(text string) []byte {
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

// Unpack returns a text that Pack has packed; db.ErrDamaged if it is none.
func Unpack(blob []byte) (string, error) {
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
			return "", fmt.Errorf("unpacking a text: %w (%w)", db.ErrDamaged, err)
		}
		return string(text), nil
	}
	return "", fmt.Errorf("unpacking a text: %w", db.ErrDamaged)
}

// PackBytes is Pack for what may be empty: it is never nil.
func PackBytes(b []byte) []byte {
	if packed := Pack(string(b)); packed != nil {
		return packed
	}
	return []byte{packedPlain}
}
