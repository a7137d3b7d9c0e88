package store

import (
	"flag"
	"os"
	"testing"

	"tidings/lab/unsynced"
)

// scale is how many times as much the two tests of large amounts do: 96 has TestHostile54ManyWritersOfSingleItems
// insert a million items, and 100 has BenchmarkWriteDuringPrune fill a store with ten million, for which it needs 10 GB
// of disk.
var scale = flag.Int("scale", 1, "`times` as many rows")

// With -short nothing waits for the disk, whose pace is not the tests' matter. The whole
// tests sync as a node does.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		unsynced.Install()
	}
	os.Exit(m.Run())
}
