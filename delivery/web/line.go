package web

import (
	"context"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

const (
	pageLines  = 40  // lines of the river on one page
	entryBatch = 50  // entries read at once to make them
	maxRounds  = 10  // batches read for one page, when many entries fold into one line
	maxFolded  = 50  // titles shown of a folded line; the others are on the channel's page
	maxName    = 100 // characters of a channel's name, where it is a title
)

// line is one line of the river: an entry, or the many entries of a channel's first
// version folded into one, so that following something does not flood the river.
type line struct {
	tidings.Entry
	Title   string
	Summary string
	Found   string // of a search result: the title, with matches between U+0002 and U+0003
	Tally   tally  // of a page
	Revised int    // how often the item was revised, as far as the lines at hand tell
	Badge   badge
	Folded  []title // of a folded line: the first of its entries
	Total   int     // of a folded line: how many entries it has
	Level   int     // of its heading
	Back    string  // where its forms lead back to
}

// title is an entry in a folded line.
type title struct {
	ID    int64
	Title string
}

// IsFolded reports whether the line stands for a channel's first version.
func (l line) IsFolded() bool { return l.Total > 0 }

// RevisedText says how often the item was revised; "" if never.
func (l line) RevisedText() string {
	switch l.Revised {
	case 0:
		return ""
	case 1:
		return "revised"
	case 2:
		return "revised twice"
	}
	return "revised " + thousands(int64(l.Revised)) + " times"
}

// Where returns what tells where the line comes from. A page's line has its name as
// title, so that its host says more.
func (l line) Where() string {
	if l.Kind == tidings.KindPage {
		return fallback(hostOf(l.Channel), l.Label)
	}
	return nameOf(l.Label, 60)
}

func lineOf(e tidings.Entry, back string) line {
	l := line{Entry: e, Title: titleOf(e), Summary: summaryOf(e), Badge: badgeOf(e.Label, e.Channel), Level: 3, Back: back}
	if e.Kind == tidings.KindPage {
		l.Tally = tallyOf(e.Delta)
		l.Snippet = headingSigns.ReplaceAllString(l.Snippet, "$1")
	} else if e.Change == tidings.Changed {
		l.Revised = 1
	}
	if !strings.Contains(l.Snippet, "\x02") {
		l.Snippet = "" // only the title matches; the summary says more than any other part
	}
	l.Entry.Content.Content, l.Entry.Content.Summary = "", "" // not needed any more, and large
	return l
}

// titleOf returns the best title there is for an entry, never empty.
func titleOf(e tidings.Entry) string {
	if e.Kind == tidings.KindPage {
		name := fallback(nameOf(e.Label, maxName), plain(e.Content.Title, maxName), "Untitled")
		if e.Version == 1 {
			return "Now following " + name
		}
		return name
	}
	return fallback(plain(e.Content.Title, maxTitle), plain(summaryOf(e), 90), hostOf(e.Content.URL), "Untitled")
}

// folding makes lines of entries, which come newest first. Of an item's revisions only
// the newest gets a line; the first entries of a feed get one together.
type folding struct {
	lines    []line
	together bool          // whether first versions are folded
	back     string        // where the lines' forms lead back to
	words    []sought      // what was searched for
	at       map[int64]int // item: where in lines its newest revision is
}

// add adds an entry, unless it needs a line and there are max already.
func (f *folding) add(e tidings.Entry, max int) bool {
	first := f.together && e.Version == 1 && e.Kind == tidings.KindFeed
	n := len(f.lines)
	if first && n > 0 && f.lines[n-1].IsFolded() && f.lines[n-1].Update == e.Update {
		f.lines[n-1].fold(e)
		return true
	}
	if at, known := f.at[e.Item]; known && !first {
		if e.Change == tidings.Changed {
			f.lines[at].Revised++
		}
		return true
	}
	if n >= max {
		return false
	}
	l := lineOf(e, f.back)
	if first {
		l.Title, l.Summary = "Now following "+nameOf(e.Label, maxName), ""
		l.fold(e)
	} else if f.at == nil {
		f.at = map[int64]int{e.Item: n}
	} else {
		f.at[e.Item] = n
	}
	if len(f.words) > 0 {
		l.Found = markIn(l.Title, f.words)
	}
	f.lines = append(f.lines, l)
	return true
}

// fold adds an entry to a folded line.
func (l *line) fold(e tidings.Entry) {
	l.Total++
	l.Read = l.Read && e.Read
	if len(l.Folded) < maxFolded {
		l.Folded = append(l.Folded, title{e.ID, titleOf(e)})
	}
}

// lines fills f with one page of lines that q selects. older is where the next page
// begins, 0 if there is none.
func (s *site) lines(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery, f *folding) (older int64, err error) {
	q.Limit = entryBatch
	for range maxRounds {
		entries, err := s.store.Entries(ctx, account, q)
		if err != nil || len(entries) == 0 {
			return 0, err
		}
		for _, e := range entries {
			if !f.add(e, pageLines) {
				return q.Before, nil
			}
			q.Before = e.ID
		}
		memory.Of(ctx).Release() // the lines have the beginnings of texts alone
		q.Limit = min(2*q.Limit, 500)
	}
	return q.Before, nil
}

// day is the lines of one day.
type day struct {
	Name  string
	Lines []line
}

func daysOf(lines []line, now time.Time) []day {
	var days []day
	for _, l := range lines {
		name := dayName(l.Received, now)
		if len(days) == 0 || days[len(days)-1].Name != name {
			days = append(days, day{Name: name})
		}
		d := &days[len(days)-1]
		d.Lines = append(d.Lines, l)
	}
	return days
}
