package builtin

import (
	"fmt"
	"strings"
)

// Bounds of the values that the built-in aggregation reads from a row. With them every result is a valid row.
const (
	MaxRep   = 200       // bytes of a representative's address
	MaxReach = 1_000_000 // of a coordinate, either way, in microseconds as vivaldi.MaxReach
	MaxDepth = 62        // of a child
)

// text is the aggregation in SQL, but for the coordinates. $order stands for the order of representatives, $k for how
// many there are.
const text = `SELECT
SUM(members) FILTER (WHERE typeof(members) = 'integer' AND members > 0) AS members,
MIN(load) FILTER (WHERE load BETWEEN 0 AND 1) AS load,
MAX(IIF(typeof(depth) = 'integer' AND depth BETWEEN 0 AND 62, depth, 0)) + 1 AS depth,
BITOR(filter) FILTER (WHERE typeof(filter) = 'blob') AS filter,
FIRST(1, rep $order) AS rep,
FIRST($k, rep $order) AS reps,
$coordinates
FROM children`

const order = `ORDER BY IIF(load BETWEEN 0 AND 1, load, 1), up DESC, label)
 FILTER (WHERE typeof(rep) IN ('text', 'blob') AND octet_length(rep) <= 200`

// mean is the mean of a coordinate $c, which is at least $low, weighted by members.
const mean = `SUM(1.0 * $c * members) FILTER $given / SUM(members) FILTER $given AS $c`

const given = `(WHERE $c BETWEEN $low AND 1e6 AND typeof(members) = 'integer' AND members > 0)`

// Text returns the aggregation in SQL, of which Aggregate is the same in Go, for k representatives.
func Text(k int) string {
	var means []string
	for _, c := range coordinates {
		low := "-1e6"
		if c == "h" {
			low = "0"
		}
		means = append(means,
			strings.NewReplacer("$c", c, "$low", low).Replace(strings.ReplaceAll(mean, "$given", given)))
	}
	return strings.NewReplacer("$order", order, "$k", fmt.Sprint(bound(k)), "$coordinates",
		strings.Join(means, ",\n")).Replace(text)
}

// bound returns how many representatives there are when k are wanted: FIRST(1, x) would be no list.
func bound(k int) int { return min(max(k, 2), MaxReps) }
