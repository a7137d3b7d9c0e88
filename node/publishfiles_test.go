package node

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/pieces"
	"tidings/store/large"
	"tidings/view"
)

// A file's published item stays while the file is unchanged. When the file has changed, its item is published again.
func TestAChangedFileIsPublishedAgain(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	mustKey(t, author, "me")
	dir := t.TempDir()
	file, feed := filepath.Join(dir, "1.mp3"), filepath.Join(dir, "feed.xml")
	item := `<item><guid>1</guid><title>One</title><enclosure url="https://blog.example/1.mp3" type="audio/mpeg" length="5"/></item>`
	writeFile(t, file, "hello")
	writeFile(t, feed, rssOf("", item))
	order := view.PublishOrder{Source: feed, FullContent: dir}
	var changes []tidings.ChangeKind
	publish := func() {
		t.Helper()
		changes = nil
		for _, i := range mustPublishFeed(t, author, order).Items {
			changes = append(changes, i.Change)
		}
	}
	if publish(); !slices.Equal(changes, []tidings.ChangeKind{tidings.New}) {
		t.Fatalf("at first %v", changes)
	}
	last, err := author.store.Published.Publication(t.Context(), ownFeed, "me")
	if err != nil {
		t.Fatal(err)
	}
	at := last.Last
	touch := func(text string) {
		t.Helper()
		writeFile(t, file, text)
		at = at.Add(time.Millisecond) // clocks of file systems are coarse
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		// a file of the future is not read
		await(t, "the file's time is past", func() bool { return time.Now().After(at) })
	}
	touch("hello")
	if publish(); len(changes) != 0 {
		t.Errorf("a file that was written again as it was gave %v", changes)
	}
	touch("other")
	if publish(); !slices.Equal(changes, []tidings.ChangeKind{tidings.Changed}) {
		t.Errorf("a file that has changed gave %v", changes)
	}
	if publish(); len(changes) != 0 {
		t.Errorf("published again: %v", changes)
	}
	// The file of before may be gone already: it goes with the next check, and that of the start can be late.
	other, err := pieces.Make(strings.NewReader("other"), 5, func(int, []byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	isOther := func(c large.Content) bool { return c.Ref == other.Ref() && c.Own && c.Pieces == 1 }
	if kept, err := author.store.Large.Contents(t.Context(), nil, 10); err != nil ||
		!slices.ContainsFunc(kept, isOther) {
		t.Errorf("kept are %+v: %v", kept, err)
	}
}

// A published file stays here as long as it is current. Replaced files, and those of an ended publication, make room. A
// file that another publication has as well stays.
func TestFilesOfWhatIsPublishedNoMoreGo(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	mustKey(t, author, "me")
	dir := t.TempDir()
	write := func(name, text string, at time.Time) {
		t.Helper()
		file := filepath.Join(dir, name)
		writeFile(t, file, text)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	feed := filepath.Join(dir, "feed.xml")
	publish := func(channel string, names ...string) {
		t.Helper()
		var items []string
		for _, name := range names {
			items = append(items, `<item><guid>`+name+`</guid><title>`+name+
				`</title><enclosure url="https://blog.example/`+name+`" type="audio/mpeg" length="5"/></item>`)
		}
		writeFile(t, feed, rssOf("", items...))
		if _, err := author.Publish(t.Context(),
			view.PublishOrder{Source: feed, Channel: channel, FullContent: dir}); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (lengths []int64) {
		t.Helper()
		all, err := author.store.Large.Contents(t.Context(), nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			if l.Own {
				lengths = append(lengths, l.Length)
			}
		}
		slices.Sort(lengths)
		return lengths
	}
	const one, two = "https://one.example/feed", "https://two.example/feed"
	began := time.Now().Add(-time.Hour)
	write("1.mp3", "x", began)
	write("2.mp3", "xx", began)
	write("3.mp3", "xxx", began)
	publish(one, "1.mp3", "2.mp3")
	publish(two, "2.mp3", "3.mp3")
	write("3.mp3", "xxxx", time.Now())
	publish(two, "2.mp3", "3.mp3")
	// The file that was replaced, of 3 bytes, may be gone already: the check of the start can be late.
	if got := slices.DeleteFunc(kept(), func(n int64) bool { return n == 3 }); !slices.Equal(got, []int64{1, 2, 4}) {
		t.Fatalf("kept are files of %v bytes", got)
	}
	author.stop()
	author.start() // nothing is being published
	await(t, "the file that was replaced goes", func() bool { return slices.Equal(kept(), []int64{1, 2, 4}) })
	if err := author.StopPublishing(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	await(t, "what was in one alone goes", func() bool { return slices.Equal(kept(), []int64{2, 4}) })
	if err := author.StopPublishing(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	await(t, "all go", func() bool { return len(kept()) == 0 })
	if s, err := author.Status(t.Context()); err != nil || s.Files.Items != 0 {
		t.Errorf("%+v, %v", s.Files, err)
	}
}
