package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"tidings"
)

// searchPage is what was found.
type searchPage struct {
	Words string
	Lines []line
	Older string
	First bool // not a later page
	Error string
}

// Count says how many were found, as far as the page knows.
func (p searchPage) Count() string {
	n := thousands(int64(len(p.Lines)))
	switch {
	case p.Older != "" && p.First:
		return "The " + n + " newest of many"
	case p.Older != "":
		return "The next " + n + " of many"
	case p.First:
		return n + " found"
	}
	return "The last " + n
}

func (s *site) search(w http.ResponseWriter, r request) error {
	p := searchPage{Words: r.field("q"), First: r.number("before") == 0}
	if p.Words != "" {
		q := tidings.EntryQuery{Search: p.Words, Before: r.number("before")}
		f := folding{back: r.URL.RequestURI(), words: soughtIn(p.Words)}
		older, err := s.lines(r.Context(), r.account, q, &f)
		switch {
		case errors.Is(err, tidings.ErrInvalid):
			p.Error = "These words cannot be searched for. Try fewer signs and more letters."
		case err != nil:
			return err
		}
		p.Lines = f.lines
		if older > 0 {
			p.Older = "/search?" + url.Values{"q": {p.Words}, "before": {strconv.FormatInt(older, 10)}}.Encode()
		}
	}
	title := "Search"
	if p.Words != "" {
		title = "Search for " + plain(p.Words, 60)
	}
	s.show(w, r, http.StatusOK, "search", view{Title: title, Section: "search", Body: p})
	return nil
}
