package web

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

const (
	pageLines  = 40 // lines of the river on one page
	entryBatch = 50 // entries read at once to make them
	maxRounds  = 10 // batches read for one page, when many entries fold into one line
	maxFolded  = 50 // titles shown of a folded line; the others are on the channel's page
	maxBurst   = 5  // entries of one update in a row that have lines of their own; of more the first unfolded do
	unfolded   = 3
	maxName    = 100 // characters of a channel's name, where it is a title
)

// line is one line of the river: an entry, or several folded into one. So neither following something nor a burst of a
// channel floods the river.
type line struct {
	tidings.Entry
	Title   string
	Summary string
	Found   string // of a search result: the title, with matches between U+0002 and U+0003
	Tally   tally  // of a page
	Revised int    // how often the item was revised, as far as the lines at hand show
	Badge   wording.Badge
	Folded  []title // of a folded line: the first of its entries
	Total   int     // of a folded line: how many entries it has
	New     int     // of them, those that are no revisions
	Parts   string  // of a folded line: what they are, such as "12 more items"
	Href    string  // of a folded line: where all of them are
	Level   int     // of its heading
	Back    string  // where its forms lead back to
	In      string  // what its entries' addresses say of the page from which they are opened, see viewIn
}

// title is an entry in a folded line.
type title struct {
	ID    int64
	Title string
}

// IsFolded reports whether the line stands for several entries.
func (l line) IsFolded() bool { return l.Total > 0 }

// revisedText says how often the item was revised; "" if never.
func revisedText(w wording.Words, l line) string {
	switch l.Revised {
	case 0:
		return ""
	case 1:
		return w.Text("revised")
	case 2:
		return w.Text("revised twice")
	}
	return w.Text("revised %s times", w.Number(int64(l.Revised)))
}

// Where names the line's source. A page's line has its name as
// title, so that its host says more.
func (l line) Where() string {
	if l.Kind == tidings.KindPage {
		return wording.Fallback(wording.HostIn(l.Channel), l.Label)
	}
	return wording.NameOf(l.Label, 60)
}

func lineOf(w wording.Words, e tidings.Entry, back string) line {
	l := line{Entry: e, Title: titleOf(w, e), Summary: summaryOf(w, e), Badge: wording.BadgeOf(e.Label, e.Channel),
		Level: 3, Back: back}
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
func titleOf(w wording.Words, e tidings.Entry) string {
	if e.Kind == tidings.KindPage {
		name := wording.Fallback(wording.NameOf(e.Label, maxName), wording.Plain(e.Content.Title, maxName),
			w.Text("Untitled"))
		if e.Version == 1 {
			return w.Text("Now following %s", name)
		}
		return name
	}
	return wording.Fallback(wording.Plain(e.Content.Title, wording.MaxTitle), wording.Plain(summaryOf(w, e), 90),
		wording.HostIn(e.Content.URL), w.Text("Untitled"))
}

// folding makes lines of entries, which come newest first or, if they are rising, oldest first. Of an item's revisions
// only the newest gets a line.
type folding struct {
	lines    []line
	say      wording.Words // of the reader
	icons    shell.ChannelIcons
	held     int64 // bytes that the answer holds besides
	together fold
	rising   bool
	back     string        // where the lines' forms lead back to
	in       string        // path of the page, on which entries go on to their neighbours; "": they have none
	words    []sought      // what was searched for
	at       map[int64]int // item: where in lines its newest revision is
	burst    int           // how many of the last lines are of one update
}

// fold says which entries get a line together.
type fold int

const (
	foldNothing fold = iota
	foldFirsts       // the first entries of a feed
	foldBursts       // those of an update that stand in a row, but for the first; and newly followed pages
)

// lineOf returns the line of an entry.
func (f *folding) lineOf(e tidings.Entry, back string) line {
	l := lineOf(f.say, e, back)
	l.Badge = f.icons.Badge(e.Label, e.Channel)
	return l
}

// add adds an entry, unless it needs a line and there are max already.
func (f *folding) add(e tidings.Entry, max int) bool {
	first := f.together == foldFirsts && e.Version == 1 && e.Kind == tidings.KindFeed &&
		tidings.KindOf(e.Channel).HasOrigin()
	n := len(f.lines)
	if first && n > 0 && f.lines[n-1].IsFolded() && f.lines[n-1].Update == e.Update {
		f.lines[n-1].fold(f.lineOf(e, ""))
		f.lines[n-1].Parts = f.say.Count(int64(f.lines[n-1].Total), "earlier item", "earlier items")
		return true
	}
	if at, known := f.at[e.Item]; known && !first {
		if f.rising && !f.lines[at].IsFolded() {
			newer := f.lineOf(e, f.back)
			newer.In, newer.Revised = f.lines[at].In, f.lines[at].Revised+1
			f.lines[at] = newer
			return true
		}
		if e.Change == tidings.Changed && !f.lines[at].IsFolded() {
			f.lines[at].Revised++
		}
		return true
	}
	if f.together == foldBursts && f.addToRow(e) {
		f.keep(e, len(f.lines)-1)
		return true
	}
	if n >= max {
		return false
	}
	l := f.lineOf(e, f.back)
	if f.in != "" {
		l.In = "?" + url.Values{"in": {f.in}}.Encode()
	}
	if first {
		entry := l
		l.Title, l.Summary, l.Href = f.say.Text("Now following %s", wording.NameOf(e.Label, maxName)), "",
			shell.ChannelPath(e.Channel)
		l.Parts = f.say.Count(1, "earlier item", "earlier items")
		l.fold(entry)
	} else {
		f.keep(e, n)
	}
	if len(f.words) > 0 {
		l.Found = markIn(l.Title, f.words)
	}
	f.lines = append(f.lines, l)
	return true
}

// keep notes in which line an item is.
func (f *folding) keep(e tidings.Entry, at int) {
	if f.at == nil {
		f.at = make(map[int64]int)
	}
	f.at[e.Item] = at
}

// addToRow adds an entry to the folded line before it. If the lines before it stand in one row with it, it folds them.
func (f *folding) addToRow(e tidings.Entry) bool {
	n := len(f.lines)
	if n == 0 {
		f.burst = 1
		return false
	}
	last := &f.lines[n-1]
	switch {
	case isNotice(e) && isNotice(last.Entry):
		if !last.IsFolded() {
			entry := *last
			last.Summary, last.Href = "", "/channels"
			last.fold(entry)
		}
		last.fold(f.lineOf(e, ""))
		last.Parts = f.say.Count(int64(last.Total), "page", "pages")
		last.Title = f.say.Text("Now following %s", last.Parts)
		return true
	case e.Update != last.Update || e.Channel != last.Channel || e.Kind == tidings.KindPage:
		f.burst = 1
		return false
	case !last.IsFolded():
		if f.burst++; f.burst <= maxBurst {
			return false
		}
		row := f.lines[n-(maxBurst-unfolded):]
		entries := slices.Clone(row)
		row[0].Summary, row[0].Snippet, row[0].Href, row[0].Revised = "", "", shell.ChannelPath(e.Channel), 0
		row[0].Withdrawn, row[0].Content.News = nil, nil // they are one entry's
		for _, entry := range entries {
			row[0].fold(entry)
			f.keep(entry.Entry, n-len(row))
		}
		f.lines = f.lines[:n-len(row)+1]
		last = &f.lines[len(f.lines)-1]
	}
	last.fold(f.lineOf(e, ""))
	last.Parts = f.say.Count(int64(last.Total), "more item", "more items")
	last.Title = f.say.Text("%s from %s", last.Parts, wording.NameOf(e.Label, maxName))
	return true
}

// isNotice reports whether an entry says no more than that a page is followed.
func isNotice(e tidings.Entry) bool { return e.Kind == tidings.KindPage && e.Version == 1 }

// fold adds the line of an entry to a folded line.
func (l *line) fold(entry line) {
	l.Total++
	if entry.Change == tidings.New {
		l.New++
	}
	l.Read = l.Read && entry.Read
	if len(l.Folded) < maxFolded {
		l.Folded = append(l.Folded, title{entry.ID, entry.Title})
	}
}

// lines fills f with one page of lines that q selects. older is the cursor of the next page, "" if there is none.
func (s *site) lines(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery,
	f *folding) (older string, err error) {
	q.Limit = entryBatch
	for range maxRounds {
		entries, err := s.store.Entries(ctx, account, q)
		if err != nil || len(entries) == 0 {
			return "", err
		}
		for _, e := range entries {
			if !f.add(e, pageLines) {
				return cursorOf(q), nil
			}
			switch {
			case q.ByDate && q.Rising:
				q.Ahead = placeAt(e)
			case q.ByDate:
				q.Behind = placeAt(e)
			case q.Rising:
				q.After = e.ID
			default:
				q.Before = e.ID
			}
		}
		if err := memory.Of(ctx).Keep(f.held); err != nil { // the lines have the beginnings of texts alone
			return "", err
		}
		q.Limit = min(2*q.Limit, 500)
	}
	return cursorOf(q), nil
}

// placeAt returns where an entry stands by its date.
func placeAt(e tidings.Entry) tidings.Place { return tidings.Place{Dated: e.Dated, Item: e.Item} }

// cursorOf returns what stands in an address for the place up to which q has been read: an entry, or a date in
// microseconds since 1970 and an item.
func cursorOf(q tidings.EntryQuery) string {
	place, id := q.Behind, q.Before
	if q.Rising {
		place, id = q.Ahead, q.After
	}
	if q.ByDate {
		return fmt.Sprintf("%d.%d", place.Dated.UnixMicro(), place.Item)
	}
	return formatID(id)
}

func formatID(id int64) string { return strconv.FormatInt(id, 10) }

// setCursor has q go on at a cursor. One of an order by arrival sets that order.
func setCursor(q *tidings.EntryQuery, cursor string) {
	date, item, byDate := strings.Cut(cursor, ".")
	at, err := strconv.ParseInt(date, 10, 64)
	if err != nil || at <= 0 {
		return
	}
	place, id := &q.Behind, &q.Before
	if q.Rising {
		place, id = &q.Ahead, &q.After
	}
	if q.ByDate = byDate; byDate {
		place.Dated = time.UnixMicro(at)
		place.Item, _ = strconv.ParseInt(item, 10, 64)
		return
	}
	*id = at
}

// day is the lines of one day.
type day struct {
	Name  string
	Lines []line
}

// daysOf parts lines by the days of their dates, or of their arrivals.
func daysOf(w wording.Words, lines []line, byDate bool, now time.Time) []day {
	var days []day
	for _, l := range lines {
		at := l.Received
		if byDate {
			at = l.Dated
		}
		name := w.DayName(at, now)
		if len(days) == 0 || days[len(days)-1].Name != name {
			days = append(days, day{Name: name})
		}
		d := &days[len(days)-1]
		d.Lines = append(d.Lines, l)
	}
	return days
}
