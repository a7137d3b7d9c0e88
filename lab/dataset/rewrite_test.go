package dataset

import (
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// rewriteHint says what to do where the recorded data and what the project carries of them differ.
const rewriteHint = "if it is to be, write it anew with TIDINGS_REWRITE=1 go test ./lab/dataset"

// rewrite writes a table anew where TIDINGS_REWRITE says so, and reports whether it did. What it has written is
// there from the next run of the tests on, as it is compiled in.
func rewrite(t *testing.T, name string, columns ...[]int) bool {
	t.Helper()
	if os.Getenv("TIDINGS_REWRITE") == "" {
		return false
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	compressed := encoder.EncodeAll(encodeColumns(columns...), nil)
	if err := os.WriteFile("measured/"+name+".zst", compressed, 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}
