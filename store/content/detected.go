package content

import (
	"context"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const (
	lastDetected = 32      // changes of a channel by which it is judged
	mostDetected = 100_000 // changes of all channels that are looked at at a time
)

// measurable is the condition of the index version_detected.
const measurable = `origin_changed IS NOT NULL AND version > 1`

// Detected returns how soon the latest changes of channels were detected, in the order of urls. At most 32 changes of
// each channel count. A channel that is not known has none.
func (s *Store) Detected(ctx context.Context, urls []string) (all []tidings.Detection, err error) {
	all = make([]tidings.Detection, len(urls))
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		for i, url := range urls {
			times, err := detected(conn, `SELECT found, origin_changed FROM version
				WHERE channel = (SELECT id FROM channel WHERE url = ?) AND `+measurable+` AND found IS NOT NULL
				ORDER BY version DESC LIMIT +?`, url, lastDetected)
			if err != nil {
				return err
			}
			all[i] = detectionOf(times)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading how soon changes were detected: %w", err)
	}
	return all, nil
}

// Detection returns how soon changes of all followed channels were detected, with the distribution. At most 100,000 of
// those that are kept count.
func (s *Store) Detection(ctx context.Context) (d tidings.Detection, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		times, err := detected(conn, `SELECT v.found, v.origin_changed FROM channel c CROSS JOIN version v
			WHERE c.orphaned IS NULL AND v.channel = c.id AND `+measurableOfV+` LIMIT +?`, mostDetected)
		if err != nil {
			return err
		}
		d = detectionOf(times)
		d.Bins = binned(times)
		return nil
	})
	if err != nil {
		return tidings.Detection{}, fmt.Errorf("reading how soon changes were detected: %w", err)
	}
	return d, nil
}

// measurableOfV is measurable where another table has a column of that name.
const measurableOfV = `v.origin_changed IS NOT NULL AND v.version > 1`

func detected(conn *sqlite.Conn, sql string, args ...any) (times []time.Duration, err error) {
	err = db.Each(conn, sql, func(r *sqlite.Stmt) error {
		times = append(times, max(0, db.ColumnTime(r, 0).Sub(db.ColumnTime(r, 1))))
		return nil
	}, args...)
	return times, err
}

// detectionOf sums times up; it sorts them.
func detectionOf(times []time.Duration) (d tidings.Detection) {
	if len(times) == 0 {
		return d
	}
	slices.Sort(times)
	sum := 0.
	for _, t := range times {
		sum += float64(t)
	}
	n := len(times)
	d.Changes, d.Mean = n, time.Duration(sum/float64(n))
	d.Median = times[(n-1)/2]/2 + times[n/2]/2
	return d
}

// binned counts times by tidings.DetectionEdges.
func binned(times []time.Duration) []int {
	edges := tidings.DetectionEdges()
	bins := make([]int, len(edges)+1)
	for _, t := range times {
		at, equal := slices.BinarySearch(edges, t)
		if equal {
			at++
		}
		bins[at]++
	}
	return bins
}
