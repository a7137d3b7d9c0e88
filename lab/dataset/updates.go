package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Update is what a state of a feed's history has brought against the state before.
type Update struct {
	Time     time.Time // when the state was recorded
	Bytes    int       // of the document
	Added    int       // bytes of what is new in it
	NewItems int
	Changed  bool // more than time stamps
}

// updateColumns are those of updates.csv.gz.
var updateColumns = []string{
	"name", "unixtime", "bytes", "added_bytes", "removed_bytes", "items", "new_items", "gone_items", "content_changed",
}

// ReadUpdates reads those of some feeds, by name, in the order of time: updates.csv.gz. The first of each has
// brought nothing.
func ReadUpdates(file string, names ...string) (map[string][]Update, error) {
	all := make(map[string][]Update, len(names))
	err := readTable(file, updateColumns, func(fields []string) error {
		name := fields[0]
		if !slices.Contains(names, name) {
			return nil
		}
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
		u := Update{Time: time.Unix(int64(n[1]), 0).UTC(), Bytes: n[2], Added: n[3], NewItems: n[6], Changed: n[8] != 0}
		if list := all[name]; len(list) > 0 && u.Time.Before(list[len(list)-1].Time) {
			return fmt.Errorf("a state of %s out of order", name)
		}
		all[name] = append(all[name], u)
		return nil
	})
	return all, err
}
