package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"time"
)

// Update is what a state of a feed's history has brought against the state before.
type Update struct {
	Time     time.Time // when the state was recorded
	Bytes    int       // of the document
	Added    int       // bytes of what is new in it
	Items    int       // in the document; 0 in the first state, of which nobody counted them
	NewItems int
	Changed  bool // more than time stamps
}

// Feed is what was noted of a feed over time. Its documents are not here.
type Feed struct {
	Name    string
	Format  string   // rss2.0, rss1.0, atom1.0 or json
	Recent  int      // how many of the last updates its recorded history has documents of, without a gap
	Updates []Update // in the order of time; the first has brought nothing
}

// The columns of the updates of all feeds, one feed after the other.
const (
	updateTime  = iota // Unix seconds, as differences
	updateBytes        // as differences
	updateAdded
	updateItems // as differences
	updateNewItems
	updateChanged
	updateColumnsHere
)

// Feeds returns the notes of 37 feeds, in the order of their names: of each the latest updates, at most 1,300.
func Feeds() []Feed {
	feeds, states, err := feedList()
	if err != nil {
		panic("dataset: reading the list of feeds: " + err.Error())
	}
	c := table("feeds")
	for _, column := range []int{updateTime, updateBytes, updateItems} {
		sums(c[column])
	}
	next := 0
	for i := range feeds {
		feeds[i].Updates = make([]Update, states[i])
		for k := range feeds[i].Updates {
			feeds[i].Updates[k] = Update{
				Time: time.Unix(int64(c[updateTime][next]), 0).UTC(), Bytes: c[updateBytes][next],
				Added: c[updateAdded][next],
				Items: c[updateItems][next], NewItems: c[updateNewItems][next], Changed: c[updateChanged][next] != 0,
			}
			next++
		}
	}
	return feeds
}

// feedList reads feeds without their updates, and how many each has.
func feedList() (feeds []Feed, states []int, err error) {
	list, err := measured.ReadFile("measured/feeds.csv")
	if err != nil {
		return nil, nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(list)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows[1:] {
		n, err1 := strconv.Atoi(row[2])
		recent, err2 := strconv.Atoi(row[3])
		if err1 != nil || err2 != nil {
			return nil, nil, fmt.Errorf("feed %s has no numbers", row[0])
		}
		feeds, states = append(feeds, Feed{Name: row[0], Format: row[1], Recent: recent}), append(states, n)
	}
	return feeds, states, nil
}
