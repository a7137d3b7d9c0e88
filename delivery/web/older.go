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
)

const (
	olderLines = 20 // older items of one page
	// olderPatience is how long a person is kept waiting for one page: other nodes are asked, or an origin.
	olderPatience = 20 * time.Second
	// shortBody is how long the text of an older item is at most that is shown as it is, in characters.
	shortBody = 120
	// maxOlderBody bounds the markup of an older item that can be read here, in bytes. Of a longer one the beginning
	// is shown, and the link.
	maxOlderBody = 256 << 10
)

// olderPage is a page of what was published of a channel before, and is not kept here.
type olderPage struct {
	Channel, Label string
	Badge          badge
	Lines          []olderLine
	Words          string // why there are no more
	Next           string // address of what may follow; empty: nothing does
	Again          bool   // the search did not come to an end
}

// olderLine is an item that an archive has.
type olderLine struct {
	tidings.Archived
	Title   string
	Note    string // of its editors
	Summary string
	Body    string // markup; empty: Summary says it all, or there is too much of it
	Link    link
}

var errFullPage = errors.New("the page is full")

// older looks for what was published of a channel before. Whoever has it is asked while the person waits.
func (s *site) older(w http.ResponseWriter, r request) error {
	f, err := s.store.Channel(r.Context(), r.account, r.FormValue("url"))
	if err != nil {
		return err
	}
	if s.archive == nil {
		return tidings.ErrNotFound
	}
	q := olderQuery(r)
	p := olderPage{Channel: f.URL, Label: f.Label(), Badge: badgeOf(f.Label(), f.URL)}
	ctx, cancel := context.WithTimeout(r.Context(), olderPatience)
	defer cancel()
	first := q == tidings.ArchiveQuery{Lacking: true}
	missing, err := s.archive.Older(ctx, f.URL, q, func(a tidings.Archived) error {
		for _, item := range a.Items {
			p.Lines = append(p.Lines, olderLineOf(a, item))
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
	p.ended(err, missing, first)
	if full || p.Again {
		p.Next = olderPath(f.URL, q)
	}
	if detached(r) {
		text, err := fragment(r.Context(), "older-part", p)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
		return nil
	}
	s.show(w, r, http.StatusOK, "older", view{Title: "Older items of " + nameOf(p.Label, maxName), Section: "channels", Body: p})
	return nil
}

// ended says how a search ended. first tells that the page is the first.
func (p *olderPage) ended(err error, missing int, first bool) {
	switch {
	case errors.Is(err, errFullPage):
	case errors.Is(err, context.DeadlineExceeded):
		p.Again, p.Words = true, "Nobody has answered in time."
	case errors.Is(err, tidings.ErrInvalid):
		p.Words = sentence(tidings.Explain(err), 500) + "."
	case err != nil:
		p.Again, p.Words = true, "The archive could not be read: "+strings.TrimRight(plain(tidings.Explain(err), 300), ". ")+"."
	case first && len(p.Lines) == 0:
		p.Words = "Nothing older was found: all is here already, or nobody keeps it any more."
	default:
		p.Words = "That is all. Nothing older was found."
	}
	if missing > 0 {
		p.Words = strings.TrimLeft(p.Words+" "+count(missing, "item", "items")+" in between could not be found: nobody has "+
			map[bool]string{true: "it", false: "them"}[missing == 1]+" now.", " ")
	}
}

// olderQuery reads where a page of older items begins.
func olderQuery(r request) tidings.ArchiveQuery {
	return tidings.ArchiveQuery{
		Before: uint64(r.number("below")), Document: r.FormValue("document"), Places: int(min(r.number("places"), 1<<30)), Lacking: true,
	}
}

// olderPath returns the address of a page of older items.
func olderPath(channel string, q tidings.ArchiveQuery) string {
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

func olderLineOf(a tidings.Archived, item tidings.Item) olderLine {
	summary := plain(textOf(fallback(item.Summary, item.Content), 4*maxSummary), maxSummary)
	l := olderLine{Archived: a, Link: linkTo(item.URL), Summary: summary, Note: newsNote(item.News),
		Title: fallback(plain(item.Title, maxTitle), plain(summary, 90), hostOf(item.URL), "Untitled")}
	l.Items = nil
	body := fallback(item.Content, item.Summary)
	if long := utf8.RuneCountInString(plain(textOf(body, 4*maxSummary), maxSummary)) > shortBody; long && len(body) <= maxOlderBody {
		l.Body = body
	}
	return l
}
