package store

import (
	"flag"
	"os"
	"testing"

	"tidings/lab/unsynced"
)

// With -short nothing waits for the disk, whose pace is not the tests' matter. The whole
// tests sync as a node does.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		unsynced.Install()
	}
	os.Exit(m.Run())
}
