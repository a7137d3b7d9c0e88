package channels

import (
	"html"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/source"
)

// A channel counts as failing for people after failedPolls failed polls in a row, over failedFor: most outages are over
// by then.
const (
	failedPolls = 3
	failedFor   = time.Hour
)

// beginsToFail reports whether a channel counts as failing since this poll. It does so once, until it has been read
// again. What was never read is not news to the person that follows it.
func beginsToFail(w source.Job, r source.Result) bool {
	lasts := func(failures int, last time.Time) bool {
		return failures >= failedPolls && last.Sub(r.Since) >= failedFor
	}
	broken := r.Health == tidings.HealthFailing || r.Health == tidings.HealthChallenged
	return broken && !w.Guest && w.Kind != tidings.KindUnknown && lasts(r.Failures, r.Poll.At) &&
		!lasts(w.Failures, w.Last.At)
}

// failing notifies a channel's subscribers that it cannot be read, and why.
func failing(w source.Job, r source.Result) *tidings.Change {
	why := r.Poll.Error
	if why == "" {
		why = "its server answers with status " + strconv.Itoa(r.Poll.Status)
	}
	return &tidings.Change{
		Kind: w.Kind, Found: time.Now(),
		Notice: &tidings.Item{
			ID:        tidings.NoticeID("failing:"+strconv.FormatInt(r.Since.Unix(), 10), w.ID()),
			URL:       w.URL,
			Title:     "This channel cannot be read",
			Published: r.Poll.At,
			Content: "<p>" + html.EscapeString(w.URL) + " could not be read since " +
				r.Since.UTC().Format("2 January, 15:04 UTC") + ": " +
				html.EscapeString(why) +
				".</p><p>It is tried again, less and less often. Nothing is lost as long as its server still lists it then.</p>",
		},
	}
}

// farewell announces to a channel's subscribers that it has ended, and why.
func farewell(w source.Job, r source.Result) *tidings.Change {
	why := strings.TrimPrefix(r.Poll.NextWhy, "never again: ")
	return &tidings.Change{
		Kind: w.Kind, Found: time.Now(),
		Notice: &tidings.Item{
			ID:        tidings.NoticeID("ended", w.ID()),
			URL:       w.URL,
			Title:     "This channel has ended",
			Published: r.Poll.At,
			Content: "<p>" + html.EscapeString(w.URL) + " is no longer checked: " + html.EscapeString(why) +
				".</p><p>What came from it stays. If it should live on, check it again by hand.</p>",
		},
	}
}
