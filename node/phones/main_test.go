package phones_test

import (
	"os"
	"testing"

	"tidings/lab/unsynced"
)

// Nothing waits for the disk, whose pace is not the tests' matter.
func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}
