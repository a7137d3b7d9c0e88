package tidings

import (
	"regexp"
	"slices"
	"strings"
)

// A Preference is something about the page that each person chooses, by its name.
type Preference string

// The preferences of a person, whatever is read.
const (
	PreferTheme    Preference = "theme"
	PreferText     Preference = "text"  // how large text is
	PreferWidth    Preference = "width" // how long lines of articles are
	PreferPictures Preference = "pictures"
	PreferKeys     Preference = "keys" // whether single keys are shortcuts
	PreferLanguage Preference = "language"
)

// The preferences of lists of items, which each view may have of its own.
const (
	PreferDensity Preference = "density"
	PreferSort    Preference = "sort"
	PreferFirst   Preference = "first"
	PreferItems   Preference = "items"
	PreferScroll  Preference = "scroll" // what scrolling past an item does
)

// choices are the values of each preference. The first is the default.
var choices = map[Preference][]string{
	PreferTheme:    {"auto", "light", "dark"},
	PreferText:     {"normal", "small", "large", "larger"},
	PreferWidth:    {"normal", "narrow", "wide"},
	PreferPictures: {"on", "off"},
	PreferKeys:     {"on", "off"},
	PreferLanguage: {"auto"}, // as the browser asks; or the tag of a language

	PreferDensity: {"roomy", "compact"},
	PreferSort:    {"date", "arrival"},
	PreferFirst:   {"newest", "oldest"},
	PreferItems:   {"all", "unread"},
	PreferScroll:  {"keep", "read"},
}

// PersonPreferences and ListPreferences are the names of all preferences.
var (
	PersonPreferences = []Preference{PreferTheme, PreferText, PreferWidth, PreferPictures, PreferKeys, PreferLanguage}
	ListPreferences   = []Preference{PreferDensity, PreferSort, PreferFirst, PreferItems, PreferScroll}
)

// languageTag is the form of a BCP 47 tag, as far as languages of pages have one: "de", "pt-BR".
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)

// Choices returns the values that a preference can have; nil: there is no such preference.
func (p Preference) Choices() []string { return slices.Clone(choices[p]) }

// OfLists reports whether each view may have a value of its own.
func (p Preference) OfLists() bool { return slices.Contains(ListPreferences, p) }

// View names a list of items for which a person may have preferences. The zero value is all of them.
type View string

// The views that always are. Those of one folder, tag or channel are made by ViewOf.
const (
	EveryView   View = ""
	RiverView   View = "river"
	UnreadView  View = "unread"
	StarredView View = "starred"
)

// The kinds of views of which there are many. The kind alone is the View of all of that kind.
const (
	FolderKind  = "folder"
	TagKind     = "tag"
	ChannelKind = "channel"
)

// maxView bounds the name of a view, in bytes.
const maxView = 8 << 10

// ViewOf returns the view of one folder, by its path, of one tag, or of one channel, by its URL.
func ViewOf(kind, name string) View {
	if kind == FolderKind {
		name = CleanFolder(name)
	}
	return View(kind + "/" + name)
}

// kind returns the view of all views of the same kind.
func (v View) kind() View {
	kind, _, _ := strings.Cut(string(v), "/")
	return View(kind)
}

// Validate reports what is no view.
func (v View) Validate() error {
	switch v {
	case EveryView, RiverView, UnreadView, StarredView, FolderKind, TagKind, ChannelKind:
		return nil
	}
	kind, name, _ := strings.Cut(string(v), "/")
	if name == "" || len(v) > maxView || kind != FolderKind && kind != TagKind && kind != ChannelKind {
		return Invalidf("there is no view %q", Quote(string(v)))
	}
	return nil
}

// Preferences are what one person has chosen, by view. What is not of lists is under EveryView.
type Preferences map[View]map[Preference]string

// Of returns the value of a preference in a view: the one chosen for it, for its kind, for all, or the first there is.
func (p Preferences) Of(v View, name Preference) string {
	for _, at := range []View{v, v.kind(), EveryView} {
		if value, ok := p[at][name]; ok {
			return value
		}
	}
	if all := choices[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// Is reports whether a preference has a value in a view.
func (p Preferences) Is(v View, name Preference, value string) bool { return p.Of(v, name) == value }

// ValidatePreferences reports what of a person's choices for a view cannot be.
func ValidatePreferences(v View, chosen map[Preference]string) error {
	if err := v.Validate(); err != nil {
		return err
	}
	for name, value := range chosen {
		switch {
		case choices[name] == nil:
			return Invalidf("there is no preference %q", Quote(string(name)))
		case name == PreferLanguage && languageTag.MatchString(value):
		case !slices.Contains(choices[name], value):
			return Invalidf("%s is one of %s, and not %q", name, strings.Join(choices[name], ", "), Quote(value))
		case v != EveryView && !name.OfLists():
			return Invalidf("%s is not chosen by view", name)
		}
	}
	return nil
}
