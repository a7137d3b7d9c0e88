package shared_test

import (
	"bytes"
	"errors"
	"testing"

	"tidings/store/db"
	"tidings/store/shared"
	"tidings/store/storetest"
)

// An item that is damaged on the disk is an error. It is neither missing nor empty, and keeps nobody from the others,
// nor from dropping it or keeping it anew.
func TestADamagedItemIsAnError(t *testing.T) {
	t.Parallel()
	s, ctx := storetest.New(t), t.Context()
	whole := [][]byte{[]byte("short"), bytes.Repeat([]byte("long enough to be packed "), 100), {}}
	for i, item := range whole {
		if err := s.Shared.PutArchived(ctx, archivedAs(byte(i), 1, uint64(i)), item, roomy); err != nil {
			t.Fatal(err)
		}
	}
	for what, sql := range map[string]string{
		"its end is gone":      `UPDATE archived SET item = substr(item, 1, length(item) - 3) WHERE key = ?`,
		"its start is another": `UPDATE archived SET item = CAST(x'ff' || substr(item, 2) AS BLOB) WHERE key = ?`,
		"it is something else": `UPDATE archived SET item = x'017f' WHERE key = ?`,
	} {
		damaged := archivedAs(1, 1, 1)
		if err := s.DB.Write(ctx, func(t *db.Tx) error { return db.Exec(t.Conn, sql, damaged.Key[:]) }); err != nil {
			t.Fatal(err)
		}
		if item, err := s.Shared.ArchivedItem(ctx, damaged.Key); !errors.Is(err, db.ErrDamaged) || item != nil {
			t.Errorf("%s: it is %d bytes, error %v", what, len(item), err)
		}
		for i, want := range whole {
			item, err := s.Shared.ArchivedItem(ctx, shared.Point{byte(i)})
			if i != 1 && (err != nil || !bytes.Equal(item, want)) {
				t.Errorf("%s: item %d is %q, error %v", what, i, item, err)
			}
		}
		if page, err := s.Shared.Archived(ctx, nil, 10); err != nil || len(page) != len(whole) {
			t.Errorf("%s: %d items are listed, error %v", what, len(page), err)
		}
		if err := s.Shared.PutArchived(ctx, damaged, whole[1], roomy); err != nil {
			t.Fatal(err)
		}
		if item, err := s.Shared.ArchivedItem(ctx, damaged.Key); err != nil || !bytes.Equal(item, whole[1]) {
			t.Errorf("%s: kept anew it is %d bytes, error %v", what, len(item), err)
		}
	}
}
