package web

import (
	"net/http"
	"net/url"
	"slices"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/web/shell"
)

// listStyle is how a person has chosen to see one list of items.
type listStyle struct {
	View   tidings.View
	ByDate bool // sorted by date, and not by arrival
	Oldest bool // the oldest first
	Unread bool // nothing but what is unread
	Dense  bool // one line each
	Scroll bool // what is scrolled past is marked as read
}

// styleOf returns what a person has chosen for a view.
func styleOf(p tidings.Preferences, v tidings.View) listStyle {
	return listStyle{
		View:   v,
		ByDate: p.Is(v, tidings.PreferSort, "date"),
		Oldest: p.Is(v, tidings.PreferFirst, "oldest"),
		Unread: p.Is(v, tidings.PreferItems, "unread"),
		Dense:  p.Is(v, tidings.PreferDensity, "compact"),
		Scroll: p.Is(v, tidings.PreferScroll, "read"),
	}
}

// choosing is the menu of a list, in which its reader chooses how it is to be.
type choosing struct {
	listStyle
	Name string // of the list, as in a sentence
	Path string // of its page, to which the form leads back
}

// Always reports whether the list says by itself which items it shows.
func (c choosing) Always() bool { return c.View == tidings.UnreadView || c.View == tidings.StarredView }

// setView stores what the requester chooses for one list, or for all of them.
func setView(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		view := tidings.View(r.FormValue("view"))
		if r.FormValue("for") == "all" {
			view = tidings.EveryView
		}
		chosen := make(map[tidings.Preference]string)
		for _, name := range tidings.ListPreferences {
			if r.Form.Has(string(name)) {
				chosen[name] = chosenIn(r, name)
			}
		}
		if err := s.store.SetPreferences(r.Context(), r.Account, view, chosen); err != nil {
			return err
		}
		return shell.SeeOther(w, r, r.FormValue("back"))
	}
}

// chosenIn returns the value that a form chooses; the first that there is, where that is none.
func chosenIn(r shell.Request, name tidings.Preference) string {
	value, choices := r.FormValue(string(name)), name.Choices()
	if !slices.Contains(choices, value) {
		return choices[0]
	}
	return value
}

// setSorting stores how a list is sorted: by "arrival", or else by date.
func setSorting(s *site, r shell.Request, view tidings.View, by string) error {
	if by != "arrival" {
		by = "date"
	}
	return s.store.SetPreferences(r.Context(), r.Account, view, map[tidings.Preference]string{tidings.PreferSort: by})
}

// setAppearance stores what the requester chooses for all pages, and has the browser keep the theme.
func setAppearance(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		chosen := make(map[tidings.Preference]string)
		for _, name := range tidings.PersonPreferences {
			switch {
			case name == tidings.PreferLanguage:
				chosen[name] = "auto"
				if l := locale.Tagged(r.FormValue("language")); l != nil {
					chosen[name] = l.Tag()
				}
			case name == tidings.PreferKeys || name == tidings.PreferPictures: // boxes: an empty one is not sent
				chosen[name] = map[bool]string{true: "on", false: "off"}[r.FormValue(string(name)) == "on"]
			case r.Form.Has(string(name)):
				chosen[name] = chosenIn(r, name)
			}
		}
		if err := s.store.SetPreferences(r.Context(), r.Account, tidings.EveryView, chosen); err != nil {
			return err
		}
		if theme := chosen[tidings.PreferTheme]; theme != "" {
			shell.KeepTheme(w, theme)
		}
		shell.KeepLanguage(w, chosen[tidings.PreferLanguage])
		return shell.SeeOther(w, r, "/settings?said=saved")
	}
}

// sorting is what the switch of a page shows.
type sorting struct {
	Path   string // of the page, to which the switch leads
	ByDate bool
}

// To returns the address that sorts the page the other way.
func (o sorting) To() string {
	way := "date"
	if o.ByDate {
		way = "arrival"
	}
	return withQuery(o.Path, "sort", way)
}

// withQuery adds a value to an address of this site.
func withQuery(path, name, value string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
