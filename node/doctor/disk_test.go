package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tidings/node/diskspace"
)

func TestDoctorOnTheDisk(t *testing.T) {
	for name, test := range map[string]struct {
		free uint64
		err  error
		want []string
	}{
		"room enough": {lowDisk, nil, []string{"ok: 256 MiB are free on the disk."}},
		"nearly full": {lowDisk - 1, nil, []string{"warning: Only 255 MiB are free on the disk of /far."}},
		"it does not answer": {0, diskspace.ErrSilent,
			[]string{"problem: The file system of /far does not answer: there was nothing within 5 seconds."}},
		"unknown": {0, diskspace.ErrUnknown, nil},
	} {
		c := Config{Data: "/far", Free: func(context.Context, string) (uint64, error) { return test.free, test.err }}
		found, err := c.checkDisk(t.Context())
		if expect(t, found, test.want...); !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the doctor would wait for is left out where the file system does not answer.
func TestTheDoctorLeavesASilentFileSystemAlone(t *testing.T) {
	c := Config{Data: t.TempDir(), Free: func(context.Context, string) (uint64, error) {
		return 0, diskspace.ErrSilent
	}}
	told := false
	for _, d := range Examine(t.Context(), c) {
		told = told || strings.Contains(d.Text, "does not answer: there was nothing within")
		if strings.Contains(d.Text, "No node is running") {
			t.Errorf("it has checked the data directory: %+v", d)
		}
	}
	if !told {
		t.Error("it does not say that the file system does not answer")
	}
}
