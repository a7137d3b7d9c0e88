package phones_test

import (
	"os"
	"testing"

	"tidings/lab/unsynced"
)

// Nothing waits for the disk: its pace is not under test.
func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}
