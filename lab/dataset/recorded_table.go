package dataset

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// readTable calls row for each line of a name.csv.gz below the header, which must be the given one.
// The fields are valid during the call.
func readTable(file string, header []string, row func(fields []string) error) error {
	return readGzip(file, func(r io.Reader) error {
		c := csv.NewReader(r)
		c.ReuseRecord = true
		first, err := c.Read()
		if err != nil {
			return err
		}
		if !slices.Equal(first, header) {
			return fmt.Errorf("columns %q where %q belong", first, header)
		}
		for {
			fields, err := c.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = row(fields)
			}
			if err != nil {
				line, _ := c.FieldPos(0)
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
	})
}

func readGzip(file string, read func(io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("reading data: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = read(z)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	return nil
}
