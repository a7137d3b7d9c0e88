package feedtree

import (
	"slices"
	"time"

	"tidings/lab/dataset"
)

// recorded is a feed whose history was recorded.
type recorded struct {
	name    string
	updates []dataset.Update
	items   []int   // lengths of the entries published, in order
	perDay  float64 // items
}

// recordedNames are feeds of several kinds: two articles a week, a few jobs an hour, news of a public transport service, and news of others merged.
var recordedNames = []string{"rust-blog", "new-grad-jobs", "wien-oepnv-en", "merged-feed"}

// aboutItem is how many bytes an entry takes beside what is new in the feed's document: names of fields, and what identifies it.
const aboutItem = 120

// maxRecordedItem bounds what a recording makes of one item, as when a feed's whole template changed.
const maxRecordedItem = 64 << 10

// recordedFeeds returns the feeds.
func recordedFeeds() (feeds []recorded) {
	all := dataset.Feeds()
	for _, name := range recordedNames {
		i := slices.IndexFunc(all, func(f dataset.Feed) bool { return f.Name == name })
		feeds = append(feeds, newRecorded(name, all[i].Updates))
	}
	return feeds
}

// newRecorded makes items of what was recorded: as many as are new in a state, or one where only old ones have changed. They share what was added.
func newRecorded(name string, updates []dataset.Update) recorded {
	f := recorded{name: name, updates: updates}
	for _, u := range updates[1:] {
		if !u.Changed {
			continue
		}
		k := max(1, u.NewItems)
		for range k {
			f.items = append(f.items, min(u.Added/k+aboutItem, maxRecordedItem))
		}
	}
	span := updates[len(updates)-1].Time.Sub(updates[0].Time)
	f.perDay = float64(len(f.items)) / (span.Hours() / 24)
	return f
}

// Polling, as readers do it.
const (
	pollingEvery = 30 * time.Minute
	aboutAnswer  = 300 // bytes of the head of an answer
	phases       = 8
)

// pollingDay returns the bytes that one reader of all feeds is sent a day.
func pollingDay(feeds []recorded) (bytes float64) {
	for _, f := range feeds {
		for phase := range phases {
			bytes += polled(f.updates, pollingEvery*time.Duration(phase)/phases) / phases
		}
	}
	return bytes
}

// polled returns the bytes that a reader is sent a day who polls at some phase: the document whenever its state is another one than at the last poll.
func polled(updates []dataset.Update, phase time.Duration) float64 {
	start, end := updates[0].Time, updates[len(updates)-1].Time
	bytes, at, seen := 0, 0, 0
	for now := start.Add(phase); now.Before(end); now = now.Add(pollingEvery) {
		for at+1 < len(updates) && !updates[at+1].Time.After(now) {
			at++
		}
		bytes += aboutAnswer
		if at != seen {
			bytes += updates[at].Bytes
			seen = at
		}
	}
	return float64(bytes) / (end.Sub(start).Hours() / 24)
}
