package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/markup"
	"tidings/view"
)

const (
	olderLines = 20 // older items of one page
	// olderPatience is how long a person is kept waiting for one page: other nodes are asked, or an origin.
	olderPatience = 20 * time.Second
	// shortBody is the longest text of an older item that is shown as it is, in characters.
	shortBody = 120
	// maxOlderBody bounds the markup of an older item that can be read here, in bytes. Of a longer one the beginning
	// is shown, and the link.
	maxOlderBody = 256 << 10
)

// olderPage is a page of what was published of a channel before, and is not kept here.
type olderPage struct {
	Channel, Label string
	Badge          wording.Badge
	Lines          []olderLine
	Words          string // why there are no more
	Next           string // address of what may follow; empty: nothing does
	Again          bool   // the search did not come to an end
}

// olderLine is an item that an archive has.
type olderLine struct {
	view.Archived
	Title   string
	Note    string // of its editors
	Summary string
	Body    string // markup; empty: Summary says it all, or there is too much of it
	Link    wording.Link
}

var errFullPage = errors.New("the page is full")

// older requests what was published of a channel before from the nodes that have it. The person waits meanwhile.
func (s *site) older(w http.ResponseWriter, r shell.Request) error {
	f, err := s.store.Channel(r.Context(), r.Account, r.FormValue("url"))
	if err != nil {
		return err
	}
	if s.archive == nil {
		return tidings.ErrNotFound
	}
	q := olderQuery(r)
	p := olderPage{Channel: f.URL, Label: f.Label(), Badge: s.ChannelIcons(r).Badge(f.Label(), f.URL)}
	ctx, cancel := context.WithTimeout(r.Context(), olderPatience)
	defer cancel()
	first := q == view.ArchiveQuery{Lacking: true}
	missing, err := s.archive.Older(ctx, f.URL, q, func(a view.Archived) error {
		for _, item := range a.Items {
			p.Lines = append(p.Lines, olderLineOf(r.Words, a, item))
		}
		if q = q.Behind(a); len(p.Lines) >= olderLines {
			return errFullPage
		}
		return nil
	})
	if r.Context().Err() != nil {
		return r.Context().Err()
	}
	full := errors.Is(err, errFullPage)
	if err != nil && !full && ctx.Err() != nil { // whatever was interrupted by it
		err = ctx.Err()
	}
	p.ended(r.Words, err, missing, first)
	if full || p.Again {
		p.Next = olderPath(f.URL, q)
	}
	if shell.Scripted(r) {
		text, err := pages.Fragment(r.Context(), "older-part", p)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
		return nil
	}
	s.Show(w, r, http.StatusOK, "older",
		shell.View{Title: r.Words.Text("Older items of %s", wording.NameOf(p.Label, maxName)), Section: "channels",
			Body: p})
	return nil
}

// ended says how a search ended. first reports that the page is the first.
func (p *olderPage) ended(w wording.Words, err error, missing int, first bool) {
	switch {
	case errors.Is(err, errFullPage):
	case errors.Is(err, context.DeadlineExceeded):
		p.Again, p.Words = true, w.Text("Nobody has answered in time.")
	case errors.Is(err, tidings.ErrInvalid):
		p.Words = wording.Sentence(w.Explained(err), 500) + "."
	case err != nil:
		p.Again, p.Words = true,
			w.Text("The archive could not be read: %s.", strings.TrimRight(wording.Plain(w.Explained(err), 300), ". "))
	case first && len(p.Lines) == 0:
		p.Words = w.Text("Nothing older was found: all is here already, or nobody keeps it any more.")
	default:
		p.Words = w.Text("That is all. Nothing older was found.")
	}
	if missing > 0 {
		lost := w.Count(int64(missing), "item in between could not be found: nobody has it now.",
			"items in between could not be found: nobody has them now.")
		p.Words = strings.TrimLeft(p.Words+" "+lost, " ")
	}
}

// olderQuery reads where a page of older items begins.
func olderQuery(r shell.Request) view.ArchiveQuery {
	return view.ArchiveQuery{
		Before: uint64(r.Number("below")), Document: r.FormValue("document"),
		Places: int(min(r.Number("places"), 1<<30)), Lacking: true,
	}
}

// olderPath returns the address of a page of older items.
func olderPath(channel string, q view.ArchiveQuery) string {
	v := url.Values{"url": {channel}}
	if q.Before > 0 {
		v.Set("below", strconv.FormatUint(q.Before, 10))
	}
	if q.Document != "" {
		v.Set("document", q.Document)
		v.Set("places", strconv.Itoa(q.Places))
	}
	return "/older?" + v.Encode()
}

func olderLineOf(w wording.Words, a view.Archived, item tidings.Item) olderLine {
	summary := wording.Plain(markup.Text(wording.Fallback(item.Summary, item.Content), 4*wording.MaxSummary),
		wording.MaxSummary)
	l := olderLine{Archived: a, Link: wording.LinkTo(item.URL), Summary: summary, Note: newsNote(w, item.News),
		Title: wording.Fallback(wording.Plain(item.Title, wording.MaxTitle), wording.Plain(summary, 90),
			wording.HostIn(item.URL), w.Text("Untitled"))}
	l.Items = nil
	body := wording.Fallback(item.Content, item.Summary)
	if long := utf8.RuneCountInString(wording.Plain(markup.Text(body, 4*wording.MaxSummary),
		wording.MaxSummary)) > shortBody; long && len(body) <= maxOlderBody {
		l.Body = body
	}
	return l
}
