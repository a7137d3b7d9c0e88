package node

import (
	"os"
	"path/filepath"
	"testing"

	"tidings/node/member"
)

func TestDoctorOnTheNetworkKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := member.WriteNetworkKey(file); err != nil {
		t.Fatal(err)
	}
	expect(t, aboutNetworkKey(file))
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, aboutNetworkKey(file), "warning: Others may read the network key (mode 0644).", "chmod 600 ")
}
