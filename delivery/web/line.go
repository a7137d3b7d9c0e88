package web

import (
	"context"
	"time"

	"tidings"
)

const (
	pageLines  = 40 // lines of the river on one page
	entryBatch = 50 // entries read at once to make them
	maxRounds  = 10 // batches read for one page, when many entries fold into one line
	maxFolded  = 50 // titles shown of a folded line; the others are on the channel's page
)

// line is one line of the river: an entry, or the many entries of a channel's first
// version folded into one, so that following something does not flood the river.
type line struct {
	tidings.Entry
	Title   string
	Summary string
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

func lineOf(e tidings.Entry, back string) line {
	l := line{Entry: e, Title: titleOf(e), Summary: summaryOf(e), Badge: badgeOf(e.Label, e.Channel), Level: 3, Back: back}
	l.Entry.Content.Content, l.Entry.Content.Summary = "", "" // not needed any more, and large
	return l
}

// titleOf returns the best title there is for an entry, never empty.
func titleOf(e tidings.Entry) string {
	if e.Kind == tidings.KindPage {
		if e.Version == 1 {
			return "Now following this page"
		}
		return fallback(firstChange(e.Delta, 120), "Changed")
	}
	return fallback(plain(e.Content.Title, maxTitle), plain(summaryOf(e), 90), hostOf(e.Content.URL), "Untitled")
}

// fold adds an entry to lines: as a line, or, if together says so, into the last one
// where both are of the same first version of a feed.
func fold(lines []line, e tidings.Entry, together bool, back string) []line {
	if !together || e.Version != 1 || e.Kind != tidings.KindFeed {
		return append(lines, lineOf(e, back))
	}
	if n := len(lines); n == 0 || !lines[n-1].IsFolded() || lines[n-1].Update != e.Update {
		l := lineOf(e, back)
		l.Title, l.Summary = "Now following "+plain(e.Label, 100), ""
		lines = append(lines, l)
	}
	l := &lines[len(lines)-1]
	l.Total++
	l.Read = l.Read && e.Read
	if len(l.Folded) < maxFolded {
		l.Folded = append(l.Folded, title{e.ID, titleOf(e)})
	}
	return lines
}

// foldAll makes lines of entries, newest first.
func foldAll(entries []tidings.Entry, together bool, back string) []line {
	var lines []line
	for _, e := range entries {
		lines = fold(lines, e, together, back)
	}
	return lines
}

// lines reads one page of lines that q selects. older is where the next page begins, 0 if there is none.
func (s *site) lines(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery, together bool, back string) (lines []line, older int64, err error) {
	q.Limit = entryBatch
	for range maxRounds {
		entries, err := s.store.Entries(ctx, account, q)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range entries {
			next := fold(lines, e, together, back)
			if len(next) > pageLines {
				return next[:pageLines], q.Before, nil
			}
			lines, q.Before = next, e.ID
		}
		if len(entries) < q.Limit {
			return lines, 0, nil
		}
		q.Limit = min(2*q.Limit, 500)
	}
	return lines, q.Before, nil
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
