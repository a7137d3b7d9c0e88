package web

import (
	"net/http"
	"net/url"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// textChoice is what there is to read of an item beside what the feed has: the text of the page that it links to.
type textChoice struct {
	*tidings.FullText        // nil: nobody has asked for it
	Full              bool   // it is shown, in place of the feed's
	Other             string // address of the entry with the other text; "": there is no other
	In                string // page from which the entry was opened; may be empty
	Changed           *difference
}

// textForm is a textChoice with the number of its entry.
type textForm struct {
	ID int64
	*textChoice
}

// Waits reports whether the full text waits to be fetched, and there is none so far.
func (c textChoice) Waits() bool {
	return c.FullText != nil && c.Content == "" && c.State == tidings.FullTextWanted
}

// Failed reports whether the last attempt has failed.
func (c textChoice) Failed() bool { return c.FullText != nil && c.Why != "" }

// textOf chooses which text of an entry is shown: the one that the request names, else the one that the person prefers.
// nil: there is but one.
func textOf(r shell.Request, e tidings.Entry) *textChoice {
	if e.Kind != tidings.KindFeed || e.Withdrawn != nil || e.Content.News.Withdrawn() ||
		wording.LinkTo(e.Content.URL).URL == "" {
		return nil
	}
	c := &textChoice{FullText: e.FullText, In: r.FormValue("in")}
	if c.FullText == nil || c.Content == "" {
		return c
	}
	wished := r.FormValue("text")
	c.Full = wished == "full" || wished != "feed" && c.Preferred
	other := "full"
	if c.Full {
		other = "feed"
		if c.Before != "" {
			c.Changed = itemDifference(tidings.Item{Content: c.Before}, tidings.Item{Content: c.Content})
		}
	}
	c.Other = textPath(e.ID, other, c.In)
	return c
}

// textPath returns the address of an entry with one of its texts.
func textPath(id int64, text, in string) string {
	q := url.Values{"text": {text}}
	if in != "" {
		q.Set("in", in)
	}
	return "/entry/" + formatID(id) + "?" + q.Encode()
}

// fetchFullText has the full text of an entry fetched, and shows the entry with it.
func fetchFullText(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		id := r.Number("entry")
		if id == 0 {
			return tidings.ErrNotFound
		}
		if _, err := s.node.FetchFullText(r.Context(), r.Account, id, r.FormValue("again") == "yes"); err != nil {
			return err
		}
		return shell.SeeOther(w, r, textPath(id, "full", r.FormValue("in")))
	}
}
