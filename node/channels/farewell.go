package channels

import (
	"html"
	"strings"
	"time"

	"tidings"
	"tidings/source"
)

// farewell tells a channel's subscribers that it has ended, and why.
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
