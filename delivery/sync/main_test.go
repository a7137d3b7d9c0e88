package sync_test

import (
	"os"
	"testing"

	"tidings/lab/unsynced"
)

// The tests wait for no disk, so that its pace does not matter.
func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}
