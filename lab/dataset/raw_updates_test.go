package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// updateColumns are those of updates.csv.gz.
var updateColumns = []string{
	"name", "unixtime", "bytes", "added_bytes", "removed_bytes", "items", "new_items", "gone_items", "content_changed",
}

// readUpdates reads those of all feeds by name, in the order of time: updates.csv.gz.
func readUpdates(file string) (map[string][]Update, error) {
	all := make(map[string][]Update)
	err := readTable(file, updateColumns, func(fields []string) error {
		name := fields[0]
		n := make([]int, len(fields))
		for i, field := range fields[1:] {
			if field == "" {
				continue
			}
			var err error
			if n[i+1], err = strconv.Atoi(field); err != nil {
				return fmt.Errorf("%s: %w", updateColumns[i+1], err)
			}
		}
		u := Update{Time: time.Unix(int64(n[1]), 0).UTC(), Bytes: n[2], Added: n[3], Items: n[5], NewItems: n[6],
			Changed: n[8] != 0}
		if list := all[name]; len(list) > 0 && u.Time.Before(list[len(list)-1].Time) {
			return fmt.Errorf("a state of %s out of order", name)
		}
		all[name] = append(all[name], u)
		return nil
	})
	return all, err
}

// readFeeds reads the index of feeds and their updates.
func readFeeds(t *testing.T, folder string) (feeds []Feed) {
	t.Helper()
	updates, err := readUpdates(filepath.Join(folder, "updates.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(folder, "index.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(index)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const format, dense = 4, 10
	if rows[0][format] != "format" || rows[0][dense] != "dense_snapshots" {
		t.Fatalf("other columns: %q", rows[0])
	}
	for _, row := range rows[1:] {
		recent, err := strconv.Atoi(row[dense])
		if err != nil {
			t.Fatal(err)
		}
		feeds = append(feeds, Feed{Name: row[0], Format: row[format], Recent: recent, Updates: updates[row[0]]})
	}
	return feeds
}

// What the project notes of feeds is what was recorded.
func TestFeedsAreTheRecordedOnes(t *testing.T) {
	feeds := readFeeds(t, filepath.Join(NeedDir(t), "feed-histories"))
	list, columns := feedColumns(feeds)
	if rewrite(t, "feeds", columns...) {
		if err := os.WriteFile("measured/feeds.csv", []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !reflect.DeepEqual(Feeds(), feeds) {
		t.Errorf("not what was recorded; %s", rewriteHint)
	}
}

// feedColumns is the contrary of Feeds.
func feedColumns(feeds []Feed) (list string, columns [][]int) {
	list = "name,format,updates,recent\n"
	c := make([][]int, updateColumnsHere)
	add := func(column, value int) { c[column] = append(c[column], value) }
	for _, f := range feeds {
		list += fmt.Sprintf("%s,%s,%d,%d\n", f.Name, f.Format, len(f.Updates), f.Recent)
		for _, u := range f.Updates {
			changed := 0
			if u.Changed {
				changed = 1
			}
			add(updateTime, int(u.Time.Unix()))
			add(updateBytes, u.Bytes)
			add(updateAdded, u.Added)
			add(updateItems, u.Items)
			add(updateNewItems, u.NewItems)
			add(updateChanged, changed)
		}
	}
	for _, column := range []int{updateTime, updateBytes, updateItems} {
		c[column] = differences(c[column])
	}
	return list, c
}
