package dataset_test

import (
	"errors"
	"path/filepath"
	"testing"

	"tidings/lab/dataset"
	"tidings/lab/effort"
)

// A folder that is not one of recorded documents, such as that of a node's data, is passed over.
func TestAFolderWithoutDocumentsIsPassedOver(t *testing.T) {
	t.Setenv(dataset.EnvDir, t.TempDir())
	if dir, err := dataset.Dir(); !errors.Is(err, dataset.ErrMissing) {
		t.Errorf("%q, %v", dir, err)
	}
}

// everyFourth returns the first of some files, and every fourth from there on.
func everyFourth(files []string) (some []string) {
	for i := 0; i < len(files); i += 4 {
		some = append(some, files[i])
	}
	return some
}

func TestEveryHistoryIsReadWholeAndInOrder(t *testing.T) {
	data := dataset.NeedDir(t)
	for folder, want := range map[string]struct{ histories, states int }{
		"feed-histories": {37, 5304},
		"page-histories": {20, 2568},
	} {
		files, err := dataset.Histories(filepath.Join(data, folder))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != want.histories {
			t.Errorf("%s: %d histories, want %d", folder, len(files), want.histories)
		}
		if !effort.All() {
			files = everyFourth(effort.Histories(t, folder)) // replays read the others
		}
		states := 0
		for _, file := range files {
			h, err := dataset.ReadHistory(file)
			if err != nil {
				t.Fatal(err)
			}
			states += len(h.Snapshots)
			for i := 1; i < len(h.Snapshots); i++ {
				if h.Snapshots[i].Time.Before(h.Snapshots[i-1].Time) {
					t.Errorf("%s: state %d is older than the one before it", h.Name, i)
				}
			}
		}
		if states != want.states && effort.All() {
			t.Errorf("%s: %d states, want %d", folder, states, want.states)
		}
	}
}
