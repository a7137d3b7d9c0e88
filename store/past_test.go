package store

import (
	"bytes"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
	"tidings/store/shared"
)

// hostile 80: two bytes are wrong in the names of former contents. They are given up, and their channels are polled
// anew.
func TestHostile80TwoBytesInFormerContents(t *testing.T) {
	t.Parallel()
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	library(t, s)
	for c := range 3 {
		for i := range byte(16) {
			if err := s.Name(t.Context(), channelURL(c), hashed(i), shared.Version{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var order []byte
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT body FROM past WHERE length(body) > 3 LIMIT 1`, func(r *sqlite.Stmt) {
			order = db.ColumnBlob(r, 0)
		}))
	}); err != nil {
		t.Fatal(err)
	}
	pages, _ := pagesOf(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := contentOf(t, filepath.Join(dir, db.FileName))
	damaged := 0
	for _, page := range pages["past"] {
		where := bytes.Index(whole[(page-1)*pageSize:page*pageSize], order) // what is damaged is no key
		if where < 0 {
			continue
		}
		damaged++
		s, dir, err := damageTwo(t, whole, page, [2]int{where, where + 1}, clk)
		if err != nil {
			t.Error(err)
			continue
		}
		if told := s.DB.Damage(); len(told) != 1 || told[0].Table != "past" || !told[0].Repaired {
			t.Errorf("told %+v", told)
		}
		publish(t, s, channelURL(0), story{"after", "it goes on"})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, dir)
	}
	if damaged == 0 {
		t.Error("no page has what is to be damaged")
	}
}
