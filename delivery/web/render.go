package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the templates, as administrators see them; each page's is named after its file without ".html".
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"icon":             icon,
	"asset":            assetPath,
	"when":             func(t time.Time) moment { return momentAt(t, time.Now()) },
	"next":             func(t time.Time) moment { return nextAt(t, time.Now()) },
	"span":             spanText,
	"size":             func(n any) string { return bytesText(asInt64(n)) },
	"num":              func(n any) string { return thousands(asInt64(n)) },
	"plural":           func(n any, one, many string) string { return count(asInt64(n), one, many) },
	"title":            func(s string) string { return plain(s, maxTitle) },
	"short":            plain,
	"name":             nameOf,
	"navName":          navName,
	"drawLine":         drawLine,
	"options":          func(o tidings.PageOptions) optionsForm { return optionsForm(o) },
	"link":             linkTo,
	"host":             hostOf,
	"content":          content,
	"marked":           marked,
	"badge":            badgeOf,
	"health":           healthText,
	"outcome":          outcomeText,
	"privacy":          privacyText,
	"kind":             kindText,
	"queryOf":          queryOf,
	"copy":             copyText,
	"newsFacts":        func(n *tidings.News) []string { return newsFacts(n, time.Now()) },
	"newsNote":         newsNote,
	"newsTag":          newsTag,
	"riverAt":          func(r river) string { return r.path(0) },
	"nav":              mainLink,
	"standing":         func(n tidings.Network) word { return standingText(n, 0) },
	"reach":            reachText,
	"nat":              natText,
	"way":              wayText,
	"join":             joinText,
	"clock":            clockText,
	"duplicateKeyGone": func() string { return spanText(tidings.DuplicateKeyGone) },
	"sentence":         sentence,
	"place":            placeOf,
	"rtt":              rttText,
	"band":             bandOf,
	"key":              keyOf,
	"lost":             func(t tidings.Traffic) uint64 { return t.Dropped + t.Refused },
	"abs":              func(n int) int { return max(n, -n) },
	"bands":            func() []band { return bands },
	"shortID":          func(id string) string { return cut(id, shortID) },
	"wholeID":          func(id string) string { return cut(id, wholeID) },
	"filterText":       filterText,
	"healths":          func() []tidings.Health { return allHealths },
	"soon":             soonText,
	"watched":          watchedText,
	"carried":          carriedText,
	"networkPath":      networkPath,
	"channelPath":      channelPath,
	"zonePath":         zonePath,
	"hourly":           hourlyText,
	"planned":          planned,
	"signed":           signed,
	"push":             pushText,
	"alarm":            alarmTitle,
	"pusher":           pusher,
	"grouped":          grouped,
	"believed":         standingWord,
	"shownPenalties":   shownPenalties,
	"morePenalties":    morePenalties,
	"opinion":          func(node, do, name string) opinionForm { return opinionForm{node, do, name} },
	"folderLabel":      tidings.FolderLabel,
	"browserName":      browserName,
	"administers":      func() bool { return true },
	"folderField":      func(folder string, all []string) folderChoice { return folderChoice{folder, all} },
}).ParseFS(templateFiles, "templates/*.html"))

// pagesOfReaders are the same without what is for administrators alone.
var pagesOfReaders = template.Must(pages.Clone()).Funcs(template.FuncMap{"administers": func() bool { return false }})

// pagesFor returns the templates for the requester.
func pagesFor(ctx context.Context) *template.Template {
	if auth.Administers(ctx) {
		return pages
	}
	return pagesOfReaders
}

func asInt64(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case uint64:
		return int64(min(n, math.MaxInt64))
	case tidings.Version:
		return int64(n)
	}
	return 0
}

// view is what a page is rendered from.
type view struct {
	Title   string
	Section string     // which of the main links is the present page
	Narrow  bool       // the page is about one thing and needs no lists beside it
	Said    string     // what a form just did, in a sentence
	Feeds   []feedLink // what the page shows, for feed readers
	Body    any

	// Filled in by show:
	Theme   string // "", "light", "dark"
	Keys    bool   // single-key shortcuts
	Version string
	Known   bool // somebody is signed in, or needs not be
	Session bool // and can sign out
	Person  tidings.Person
	Nav     nav
}

// feedLink is a link for feed readers.
type feedLink struct{ Name, Type, Href string }

// navLink is one of the main links.
type navLink struct {
	Section, Href, Icon, Name string
	Count                     int
	Here                      bool
}

func mainLink(v view, section, href, icon, name string, count int) navLink {
	return navLink{section, href, icon, name, count, v.Section == section}
}

// folderChoice is a field for a folder's path.
type folderChoice struct {
	Folder  string
	Folders []string
}

// Escaped reports whether a path in the field or its list holds an escaped slash.
func (c folderChoice) Escaped() bool {
	return strings.Contains(c.Folder, "%2F") || slices.ContainsFunc(c.Folders, func(path string) bool { return strings.Contains(path, "%2F") })
}

// nav is what stands beside every page.
type nav struct {
	Unread  int
	Folders []folder
	More    int // channels that are left out
}

// folder is the channels of one folder; Path is empty for those in none.
type folder struct {
	Path     string
	Unread   int
	Channels []tidings.Subscription
}

// maxNavChannels bounds the channels beside a page; all are on the page of channels.
const maxNavChannels = 60

// show answers with a page.
func (s *site) show(w http.ResponseWriter, r request, status int, name string, v view) {
	v.Theme, v.Keys = appearance(r.Request)
	v.Version, v.Known = s.version, r.account != 0
	if v.Known {
		_, err := r.Cookie(sessionCookie)
		v.Session = err == nil
		v.Person, _ = auth.Person(r.Context())
		channels, err := s.followed(r.Context(), r.account)
		if err != nil && r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) { // else nobody waits for the page, and the store may have failed of that
			s.log.Error("channels beside the page", "error", err)
		}
		v.Nav = navOf(channels)
	}
	var b bytes.Buffer
	if err := pagesFor(r.Context()).ExecuteTemplate(&b, name, v); err != nil {
		s.log.Error("render page", "page", name, "error", err)
		http.Error(w, "The page could not be made. The node's log says why.", http.StatusInternalServerError)
		return
	}
	if err := memory.Of(r.Context()).Keep(int64(b.Cap())); err != nil {
		f := explain(err)
		w.Header().Set("Retry-After", memory.RetryAfter)
		http.Error(w, f.Text, f.Status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // an error here is the reader's leaving
}

// fragment renders a part of a page for the requester, for the script.
func fragment(ctx context.Context, name string, data any) (string, error) {
	var b bytes.Buffer
	err := pagesFor(ctx).ExecuteTemplate(&b, name, data)
	return b.String(), err
}

func navOf(channels []tidings.Subscription) nav {
	var n nav
	for _, c := range channels {
		n.Unread += c.Unread
	}
	n.Folders = foldersOf(channels[:min(len(channels), maxNavChannels)])
	n.More = max(0, len(channels)-maxNavChannels)
	return n
}

// foldersOf groups channels, which are sorted by folder.
func foldersOf(channels []tidings.Subscription) []folder {
	var all []folder
	for _, c := range channels {
		if len(all) == 0 || all[len(all)-1].Path != c.Folder {
			all = append(all, folder{Path: c.Folder})
		}
		f := &all[len(all)-1]
		f.Channels = append(f.Channels, c)
		f.Unread += c.Unread
	}
	return all
}

// folderPaths returns the paths of all folders, sorted as the channels are.
func folderPaths(channels []tidings.Subscription) []string {
	var paths []string
	for _, c := range channels {
		if c.Folder != "" {
			paths = append(paths, c.Folder)
		}
	}
	return slices.Compact(paths)
}
