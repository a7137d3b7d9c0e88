package store

import (
	"testing"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// hostile 52: what the index of words holds does not agree, though every page has its checksum. It is found beside the
// start, and made anew before anybody searches.
func TestHostile52WrongIndexOfWordsIsMadeAnew(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	library(t, s)
	want := river(t, s, tidings.EntryQuery{Search: "story", Limit: tidings.MaxLimit})
	if len(want) == 0 {
		t.Fatal("nothing is found before")
	}
	if err := s.write(t.Context(), func(t *content.Tx) error {
		// 1 and 10 say what there is
		return db.Exec(t.Conn, `UPDATE search_data SET block = zeroblob(length(block)) WHERE id > 10`)
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir})
	if got := river(t, s, tidings.EntryQuery{Search: "story", Limit: tidings.MaxLimit}); titles(got) != titles(want) {
		t.Errorf("found are %q, not %q", titles(got), titles(want))
	}
	publish(t, s, channelURL(1), story{"after", "it goes on"})
	if got := river(t, s, tidings.EntryQuery{Search: "goes"}); titles(got) != "after" {
		t.Errorf("afterwards %q is found", titles(got))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}
