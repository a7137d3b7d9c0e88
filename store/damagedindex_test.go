package store

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/published"
)

// rootOf returns the root page of a table or an index.
func rootOf(t *testing.T, file, name string) (page int64) {
	t.Helper()
	conn, err := sqlite.OpenConn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	found, err := db.One(conn, `SELECT rootpage FROM sqlite_schema WHERE name = ?`,
		func(r *sqlite.Stmt) { page = r.ColumnInt64(0) }, name)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	return page
}

// The kinds of leaves of b-trees (sqlite.org/fileformat2.html).
const (
	indexLeaf = 10
	tableLeaf = 13
)

// changeIndex changes the one page of an index: what is wrong shows beside its table alone.
func changeIndex(t *testing.T, file, index string, change func(page, cells []byte)) {
	t.Helper()
	changeLeaf(t, file, index, indexLeaf, change)
}

// changeLeaf changes the one page of a table or an index, a leaf, and gives it the checksum that it then has.
func changeLeaf(t *testing.T, file, name string, kind byte, change func(page, cells []byte)) {
	t.Helper()
	number := rootOf(t, file, name)
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := make([]byte, pageSize)
	if _, err := f.ReadAt(data, (number-1)*pageSize); err != nil {
		t.Fatal(err)
	}
	// The header of a b-tree's page: its kind, the number of cells, and where they are.
	cells := int(binary.BigEndian.Uint16(data[3:]))
	if data[0] != kind || cells < 2 {
		t.Fatalf("page %d is of kind %d with %d cells", number, data[0], cells)
	}
	change(data, data[8:8+2*cells])
	db.Seal(data, uint64(number))
	if _, err := f.WriteAt(data, (number-1)*pageSize); err != nil {
		t.Fatal(err)
	}
}

// soundLibrary fails the test unless all of a library can be read and its directory is sound.
func soundLibrary(t *testing.T, s *Store, dir string, want []tidings.Entry) {
	t.Helper()
	got := river(t, s, tidings.EntryQuery{Limit: tidings.MaxLimit})
	if len(got) != len(want) {
		t.Errorf("%d entries can be read, want %d", len(got), len(want))
	}
	changes, err := Check(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range changes {
		if !f.OK {
			t.Error(f.Text)
		}
	}
}

// hostile 52: an index is damaged, by a byte or by wrong entries with a right checksum, while the store is open or
// closed. It is named, all else can be read, and it is made anew: at once, or at the next start.
func TestHostile52DamagedIndex(t *testing.T) {
	const index = "revision_channel"
	byteIn := func(t *testing.T, file string) { flip(t, file, (rootOf(t, file, index)-1)*4096+2000) }
	twice := func(t *testing.T, file string) {
		changeIndex(t, file, index, func(_, cells []byte) { copy(cells[:2], cells[2:4]) })
	}
	other := func(t *testing.T, file string) {
		changeIndex(t, file, index, func(page, cells []byte) {
			last := page[binary.BigEndian.Uint16(cells[len(cells)-2:]):]
			last[last[0]]++ // the end of its payload: the number of the row
		})
	}
	for _, c := range []struct {
		name    string
		damage  func(t *testing.T, file string)
		running bool
	}{
		{"a byte, while it is open", byteIn, true},
		{"a byte, while it is closed", byteIn, false},
		{"an entry twice, while it is open", twice, true},
		{"an entry twice, while it is closed", twice, false},
		{"an entry for another row, while it is open", other, true},
		{"an entry for another row, while it is closed", other, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := dataDir(t)
			file := filepath.Join(dir, db.FileName)
			s := mustOpen(t, Config{Dir: dir})
			library(t, s)
			want := river(t, s, tidings.EntryQuery{Limit: tidings.MaxLimit})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if c.running {
				s = mustOpen(t, Config{Dir: dir})
				c.damage(t, file)
				for _, e := range want {
					if got, err := s.Reader.Entry(t.Context(), tidings.Owner, e.ID); err != nil ||
						!reflect.DeepEqual(got.Content, e.Content) {
						t.Errorf("with a damaged index entry %d is %+v, was %+v (%v)", e.ID, got.Content, e.Content,
							err)
					}
				}
			} else {
				c.damage(t, file)
				s = mustOpen(t, Config{Dir: dir})
			}
			told := scrubAll(t, s)
			if len(told) != 1 || told[0].Table != index || !told[0].Repaired || told[0].Rows != 0 ||
				!strings.Contains(told[0].String(), index) {
				t.Errorf("told %+v", told)
			}
			soundLibrary(t, s, dir, want)
			publish(t, s, channelURL(0), story{"after", "it goes on"})
			if again := scrubAll(t, s); !slices.EqualFunc(told, again,
				func(a, b db.Damage) bool { return a.String() == b.String() }) {
				t.Errorf("afterwards it tells %+v", again)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, Config{Dir: dir})
			if told := s.DB.Damage(); len(told) > 0 {
				t.Errorf("the next start finds %+v", told)
			}
			soundLibrary(t, s, dir, append(want, tidings.Entry{}))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A database that is not sound after a repair, as a page is wrong though its checksum is right, is left as it was: the
// repair is all of it or nothing.
func TestARepairThatIsNotEnoughChangesNothing(t *testing.T) {
	const index = "revision_channel"
	for _, wrong := range []bool{false, true} {
		dir := dataDir(t)
		file := filepath.Join(dir, db.FileName)
		s := mustOpen(t, Config{Dir: dir})
		library(t, s)
		for i := range 2 {
			if _, err := s.Published.Publish(t.Context(),
				published.Publication{Channel: channelURL(i), Key: "me"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if wrong {
			changeLeaf(t, file, "publication", tableLeaf, func(_, cells []byte) { // its rows are not in order
				cells[0], cells[1], cells[2], cells[3] = cells[2], cells[3], cells[0], cells[1]
			})
		}
		flip(t, file, (rootOf(t, file, index)-1)*4096+2000)
		before := contentOf(t, file)
		s, err := Open(t.Context(), Config{Dir: dir})
		if err == nil {
			err = s.Close()
		}
		if (err != nil) != wrong || bytes.Equal(before, contentOf(t, file)) != wrong {
			t.Errorf("wrong besides: %v; the file is as it was: %v; %v", wrong, bytes.Equal(before, contentOf(t, file)),
				err)
		}
	}
}
