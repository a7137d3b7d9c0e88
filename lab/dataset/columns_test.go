package dataset

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// encodeColumns is the contrary of decodeColumns.
func encodeColumns(columns ...[]int) (data []byte) {
	for _, column := range columns {
		zigzag := make([]uint64, len(column))
		width := 1
		for i, v := range column {
			zigzag[i] = uint64(v)<<1 ^ uint64(v>>63)
			for width < maxWidth && zigzag[i]>>(8*width) > 0 {
				width++
			}
		}
		data = binary.AppendUvarint(data, uint64(len(column)))
		data = binary.AppendUvarint(data, uint64(width))
		for k := range width {
			for _, z := range zigzag {
				data = append(data, byte(z>>(8*k)))
			}
		}
	}
	return data
}

// differences is the contrary of sums.
func differences(values []int) []int {
	all, last := make([]int, len(values)), 0
	for i, v := range values {
		all[i], last = v-last, v
	}
	return all
}

func TestColumnsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOf(rapid.SliceOf(rapid.Int())).Draw(t, "columns")
		got, err := decodeColumns(encodeColumns(columns...))
		if err != nil || !slices.EqualFunc(got, columns, slices.Equal) {
			t.Fatalf("%v: %v", got, err)
		}
		for _, c := range columns {
			if !slices.Equal(sums(differences(c)), c) {
				t.Fatalf("sums of differences of %v", c)
			}
		}
	})
}

func TestBrokenColumnsAreRefused(t *testing.T) {
	whole := encodeColumns([]int{1, 2, 300})
	for n := 1; n < len(whole); n++ {
		if got, err := decodeColumns(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are read as %v", n, len(whole), got)
		}
	}
	for name, data := range map[string][]byte{
		"no width": {1, 0, 0}, "too wide": {1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"endless": {255, 255, 255, 255, 255, 255, 255, 255, 127, 8},
	} {
		if got, err := decodeColumns(data); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
}
