package minifluxapi

import (
	"path/filepath"
	"testing"

	"tidings/delivery/sync/synctest"
)

// Each client that is known by its sources or logs gets what it needs. See the head of each file.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("there are %d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			library, gate := synctest.Sample()
			synctest.Replay(t, New(library, gate, synctest.Log()), file)
		})
	}
}
