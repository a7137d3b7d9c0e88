package sync_test

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tidings/delivery/fever"
	"tidings/delivery/greader"
	"tidings/delivery/minifluxapi"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/phones/phonestest"
)

// asSample is a library over a store in which feeds and folders are listed as in the sample: in the order of their
// numbers. Feeds were polled last when the first item arrived, and the first has an icon; phonestest makes none.
type asSample struct {
	*phonestest.Node
	polled time.Time
}

var sampleIcon = sync.Icon{Type: "image/png", Bytes: []byte("\x89PNG\r\n\x1a\n")}

func (l asSample) Feeds(ctx context.Context, p sync.Person) ([]sync.Feed, error) {
	feeds, err := l.Node.Feeds(ctx, p)
	slices.SortFunc(feeds, func(a, b sync.Feed) int { return cmp.Compare(a.ID, b.ID) })
	for i := range feeds {
		if feeds[i].LastUpdated, feeds[i].Checked = l.polled, l.polled; feeds[i].ID == 1 {
			feeds[i].Icon = 1
		}
	}
	return feeds, err
}

func (l asSample) Folders(ctx context.Context, p sync.Person) ([]sync.Folder, error) {
	folders, err := l.Node.Folders(ctx, p)
	slices.SortFunc(folders, func(a, b sync.Folder) int { return cmp.Compare(a.ID, b.ID) })
	return folders, err
}

func (l asSample) Icon(ctx context.Context, p sync.Person, icon int64) (sync.Icon, error) {
	if icon == 1 {
		return sampleIcon, nil
	}
	return l.Node.Icon(ctx, p, icon)
}

// Each known client gets what it needs of a library over a real store as well.
func TestTranscriptsWithTheStore(t *testing.T) {
	const items = 1200
	filled := t.TempDir()
	library, err := phonestest.Open(filled, synctest.Begin(items))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Fill(library, items)
	now := library.Now()
	if err := library.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for language, handler := range map[string]func(sync.Library, sync.Gate, *slog.Logger) http.Handler{
		"greader": greader.New, "fever": fever.New, "minifluxapi": minifluxapi.New,
	} {
		files, err := filepath.Glob("../" + language + "/testdata/*.txt")
		if err != nil || len(files) < 5 {
			t.Fatalf("there are %d transcripts, %v", len(files), err)
		}
		for _, file := range files {
			t.Run(language+" "+filepath.Base(file), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(filled)); err != nil {
					t.Fatal(err)
				}
				library, err := phonestest.Open(dir, now)
				if err != nil {
					t.Fatal(err)
				}
				defer library.Store.Close()
				synctest.Replay(t, handler(asSample{library, synctest.Begin(items)}, synctest.SampleGate(),
					synctest.Log()), file)
			})
		}
	}
}
