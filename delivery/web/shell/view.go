package shell

import (
	"slices"
	"strings"

	"tidings"
)

// View is what a page is rendered from.
type View struct {
	Title   string
	Section string     // which of the main links is the present page
	Narrow  bool       // the page is about one thing and needs no lists beside it
	Said    string     // what a form just did, in a sentence
	Feeds   []FeedLink // what the page shows, for feed readers
	// where the browser goes on to at once: a path of this site, or the provider that signs people in; "": it stays
	Refresh string
	Body    any

	// Filled in by show:
	Theme string // "", "light", "dark"
	Text  string // how large it is: "", or as tidings.PreferText has it
	Width string // of lines of articles: "", or as tidings.PreferWidth has it
	Keys  bool   // single-key shortcuts

	Pictures bool // pictures are shown
	Version  string
	Known    bool // somebody is signed in, or needs not be
	Session  bool // and can sign out
	Person   tidings.Person
	Nav      nav
}

// FeedLink is a link for feed readers.
type FeedLink struct{ Name, Type, Href string }

// navLink is one of the main links.
type navLink struct {
	Section, Href, Icon, Name string
	Count                     int
	Here                      bool
}

func mainLink(v View, section, href, icon, name string, count int) navLink {
	return navLink{section, href, icon, name, count, v.Section == section}
}

// folderChoice is a field for a folder's path.
type folderChoice struct {
	Folder  string
	Folders []string
}

// Escaped reports whether a path in the field or its list holds an escaped slash.
func (c folderChoice) Escaped() bool {
	return strings.Contains(c.Folder, "%2F") ||
		slices.ContainsFunc(c.Folders, func(path string) bool { return strings.Contains(path, "%2F") })
}
