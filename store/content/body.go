package content

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"tidings/store/column"
	"tidings/store/db"
)

// packLines returns the lines of a page for a BLOB column, never nil.
func packLines(lines []string) []byte {
	return column.PackBytes([]byte(joinLines(lines)))
}

func unpackLines(blob []byte) ([]string, error) {
	text, err := column.Unpack(blob)
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
			return nil, fmt.Errorf("unpacking an order of items: %w", db.ErrDamaged)
		}
		before += distance
		items = append(items, before)
		blob = blob[n:]
	}
	return slices.Clip(items), nil
}
