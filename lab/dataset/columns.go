package dataset

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// measured holds the tables that the project carries; measured/README.md names their sources.
//
//go:embed measured/*.zst measured/*.csv
var measured embed.FS

// table decodes one of the tables that the project carries. It panics where that cannot be: the tables are
// part of the program.
func table(name string) [][]int {
	columns, err := readColumns("measured/" + name + ".zst")
	if err != nil {
		panic(fmt.Sprintf("dataset: table %s: %v", name, err))
	}
	return columns
}

func readColumns(file string) ([][]int, error) {
	compressed, err := measured.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	data, err := decoder.DecodeAll(compressed, nil)
	if err != nil {
		return nil, err
	}
	return decodeColumns(data)
}

// decodeColumns decodes columns of integers, one after the other. A column has the number of values and the bytes of
// each, as unsigned varints, then all lowest bytes, all second ones and so on, which compress better so than value by
// value. The integers are in the zigzag form of encoding/binary's varints.
func decodeColumns(data []byte) (columns [][]int, err error) {
	for len(data) > 0 {
		var column []int
		if column, data, err = decodeColumn(data); err != nil {
			return nil, fmt.Errorf("column %d: %w", len(columns)+1, err)
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// maxWidth is how many bytes a value has at most.
const maxWidth = 8

var errCut = errors.New("cut off")

func decodeColumn(data []byte) (column []int, rest []byte, err error) {
	n, used := binary.Uvarint(data)
	if used <= 0 {
		return nil, nil, errCut
	}
	data = data[used:]
	width, used := binary.Uvarint(data)
	if used <= 0 || width == 0 || width > maxWidth {
		return nil, nil, errors.New("no width")
	}
	data = data[used:]
	if n > uint64(len(data))/width {
		return nil, nil, errCut
	}
	column = make([]int, n)
	for i := range column {
		var z uint64
		for k := range width {
			z |= uint64(data[k*n+uint64(i)]) << (8 * k)
		}
		column[i] = int(z>>1) ^ -int(z&1)
	}
	return column, data[n*width:], nil
}

// sums turns the differences between neighbours, of which the first is that from 0, into what they differ.
func sums(differences []int) []int {
	sum := 0
	for i, d := range differences {
		sum += d
		differences[i] = sum
	}
	return differences
}
