package web

import (
	"errors"
	"net/http"
	"net/url"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// searchPage is what was found.
type searchPage struct {
	Words string
	Lines []line
	Older string
	First bool // not a later page
	Error string
}

// countText says how many were found, as far as the page knows.
func countText(w wording.Words, p searchPage) string {
	n := w.Number(int64(len(p.Lines)))
	switch {
	case p.Older != "" && p.First:
		return w.Text("The %s newest of many", n)
	case p.Older != "":
		return w.Text("The next %s of many", n)
	case p.First:
		return w.Text("%s found", n)
	}
	return w.Text("The last %s", n)
}

func (s *site) search(w http.ResponseWriter, r shell.Request) error {
	p := searchPage{Words: r.Field("q"), First: r.Number("before") == 0}
	if p.Words != "" {
		q := tidings.EntryQuery{Search: p.Words}
		setCursor(&q, r.Field("before"))
		q.ByDate = false
		f := folding{say: r.Words, icons: s.ChannelIcons(r), held: r.Held(), back: r.URL.RequestURI(),
			words: soughtIn(p.Words)}
		older, err := s.lines(r.Context(), r.Account, q, &f)
		switch {
		case errors.Is(err, tidings.ErrInvalid):
			p.Error = r.Words.Text("These words cannot be searched for. Try fewer signs and more letters.")
		case err != nil:
			return err
		}
		p.Lines = f.lines
		if older != "" {
			p.Older = "/search?" + url.Values{"q": {p.Words}, "before": {older}}.Encode()
		}
	}
	title := r.Words.Text("Search")
	if p.Words != "" {
		title = r.Words.Text("Search for %s", wording.Plain(p.Words, 60))
	}
	s.Show(w, r, http.StatusOK, "search", shell.View{Title: title, Section: "search", Body: p})
	return nil
}
