package shell

import (
	"context"
	"net/http"
	"strings"

	"tidings"
)

// Chosen is what people have chosen about the page, and how to count what is unread to them.
type Chosen interface {
	Preferences(ctx context.Context, account tidings.AccountID) (tidings.Preferences, error)
	SetPreferences(ctx context.Context, account tidings.AccountID, view tidings.View,
		chosen map[tidings.Preference]string) error
	AdoptPreferences(ctx context.Context, account tidings.AccountID, of tidings.Preferences) error
	Doubled(ctx context.Context, account tidings.AccountID) ([]tidings.Doubled, error)
}

// Preferences belong to a person. The browser has the theme as well, in a cookie, for pages without a signed-in person.
// Earlier programs kept everything in two cookies. A person without choices so far adopts these.
const (
	AppearanceCookie = "tidings_look"
	sortCookie       = "tidings_sort" // names of lists that are sorted by arrival, with dots between them
)

// Preferences returns what the requester has chosen. If the requester is not known, it returns what the browser keeps.
func (s Shell) Preferences(r Request) (tidings.Preferences, error) {
	kept := keptBy(r.Request)
	if s.Chosen == nil || r.Account == 0 {
		return kept, nil
	}
	chosen, err := s.Chosen.Preferences(r.Context(), r.Account)
	if err != nil || len(chosen) > 0 || len(kept) == 0 {
		return chosen, err
	}
	if err := s.Chosen.AdoptPreferences(r.Context(), r.Account, kept); err != nil && r.Context().Err() == nil {
		s.Log.Warn("preferences of a browser are adopted later", "error", err)
	}
	return kept, nil
}

// keptBy returns what the cookies of a browser say.
func keptBy(r *http.Request) tidings.Preferences {
	kept := make(tidings.Preferences)
	if c, err := r.Cookie(AppearanceCookie); err == nil {
		look := make(map[tidings.Preference]string)
		for part := range strings.SplitSeq(c.Value, "-") {
			switch part {
			case "auto", "light", "dark":
				look[tidings.PreferTheme] = part
			case "nokeys":
				look[tidings.PreferKeys] = "off"
			case "nopictures":
				look[tidings.PreferPictures] = "off"
			}
		}
		if len(look) > 0 {
			kept[tidings.EveryView] = look
		}
	}
	if c, err := r.Cookie(sortCookie); err == nil {
		for name := range strings.SplitSeq(c.Value, ".") {
			views := map[string][]tidings.View{
				"river": {tidings.RiverView, tidings.FolderKind}, "unread": {tidings.UnreadView},
				"starred": {tidings.StarredView}, "channel": {tidings.ChannelKind},
			}
			for _, v := range views[name] {
				kept[v] = map[tidings.Preference]string{tidings.PreferSort: "arrival"}
			}
		}
	}
	return kept
}

// KeepTheme has the browser keep a theme for pages that nobody is signed in to see.
func KeepTheme(w http.ResponseWriter, theme string) {
	http.SetCookie(w, &http.Cookie{Name: AppearanceCookie, Value: theme, Path: "/", MaxAge: 400 * 24 * 3600,
		HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// dress shows a page as the requester has chosen.
func (v *View) dress(p tidings.Preferences) {
	if v.Theme = p.Of(tidings.EveryView, tidings.PreferTheme); v.Theme == "auto" {
		v.Theme = ""
	}
	if v.Text = p.Of(tidings.EveryView, tidings.PreferText); v.Text == "normal" {
		v.Text = ""
	}
	if v.Width = p.Of(tidings.EveryView, tidings.PreferWidth); v.Width == "normal" {
		v.Width = ""
	}
	v.Keys = p.Is(tidings.EveryView, tidings.PreferKeys, "on")
	v.Pictures = p.Is(tidings.EveryView, tidings.PreferPictures, "on")
}
