package shell

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/locale"
	"tidings/delivery/memory"
	"tidings/delivery/web/offline"
	"tidings/delivery/web/wording"
)

//go:embed templates/*.html
var shellFiles embed.FS

// shellFuncs returns the functions that templates of all rooms can call, in a language.
func shellFuncs(l *locale.Locale) template.FuncMap {
	w := wording.Words{Locale: l}
	return template.FuncMap{
		"t":           func(text string) string { return l.Text(text) },
		"language":    l.Tag,
		"scriptTexts": sync.OnceValue(func() string { return scriptTexts(l) }),
		"icon":        icon,
		"asset":       AssetPath,
		"when":        func(t time.Time) wording.Moment { return w.MomentAt(t, time.Now()) },
		"dated":       func(e tidings.Entry) wording.Moment { return w.DatedAt(e, time.Now()) },
		"unix":        time.Time.Unix,
		"onDay":       func(t time.Time) string { return w.Date(t, "2 January 2006") },
		"day":         func(t time.Time) string { return w.DayName(t, time.Now()) },
		"next":        func(t time.Time) wording.Moment { return w.NextAt(t, time.Now()) },
		"span":        w.Span,
		"size":        func(n any) string { return w.Bytes(asInt64(n)) },
		"num":         func(n any) string { return w.Number(asInt64(n)) },
		"plural":      func(n any, one, many string) string { return w.Count(asInt64(n), one, many) },
		"title":       func(s string) string { return wording.Plain(s, wording.MaxTitle) },
		"short":       wording.Plain,
		"name":        wording.NameOf,
		"navName":     wording.NavName,
		"link":        wording.LinkTo,
		"host":        wording.HostIn,
		"badge":       ChannelIcons.Badge,
		"health":      w.Health,
		"soon":        w.Soon,
		"spanIn":      w.SpanIn,
		"reason":      w.Reason,
		"sentence":    w.Sentence,
		"advice":      w.Advice,
		"shortID":     func(id string) string { return wording.Cut(id, wording.ShortID) },
		"wholeID":     func(id string) string { return wording.Cut(id, wording.WholeID) },
		"grouped":     wording.Grouped,
		"channelPath": ChannelPath,
		"nav":         mainLink,
		"folderLabel": tidings.FolderLabel,
		"joinTags":    tidings.JoinTags,
		"branch":      func(b *branch, n nav) branchAt { return branchAt{b, n.Here, n.Icons} },
		"within":      func(b *branch, here string, icons ChannelIcons) branchAt { return branchAt{b, here, icons} },
		"folderField": func(folder string, all []string) folderChoice { return folderChoice{folder, all} },
		"administers": func() bool { return true },
	}
}

// Templates are the pages of a room, each named after its file without ".html".
type Templates map[*locale.Locale]func() views

// views are the pages of a room in one language.
type views struct {
	whole   *template.Template // as administrators see them
	readers *template.Template // the same without what is for administrators alone
}

// Parse returns the pages in a folder "templates", in all languages. Beside functions they can use those and the parts
// that all rooms share: "top" and "bottom" around each page, and what layout.html has besides. It panics if a page is
// wrong, as pages are embedded. Those of a language other than English are made when they are wanted first.
func Parse(files fs.FS, functions func(*locale.Locale) template.FuncMap) Templates {
	t := make(Templates)
	for _, l := range locale.All() {
		t[l] = sync.OnceValue(func() views {
			whole := template.New("").Funcs(shellFuncs(l)).Funcs(functions(l))
			parseAll(whole, l, shellFiles)
			parseAll(whole, l, files)
			return views{whole,
				template.Must(whole.Clone()).Funcs(template.FuncMap{"administers": func() bool { return false }})}
		})
	}
	t[locale.English]()
	return t
}

// parseAll adds all templates of a folder "templates", with their texts in a language.
func parseAll(t *template.Template, l *locale.Locale, files fs.FS) {
	paths, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, path := range paths {
		source, err := fs.ReadFile(files, path)
		if err != nil {
			panic(err)
		}
		template.Must(t.New(path).Parse(l.Template(string(source))))
	}
}

// For returns the templates for the person of a request.
func (t Templates) For(ctx context.Context) *template.Template {
	v := t[locale.Of(ctx)]()
	if auth.Administers(ctx) {
		return v.whole
	}
	return v.readers
}

// Fragment renders a part of a page for the requester, for the script.
func (t Templates) Fragment(ctx context.Context, name string, data any) (string, error) {
	var b bytes.Buffer
	err := t.For(ctx).ExecuteTemplate(&b, name, data)
	return b.String(), err
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

// Channels is what an account follows, for the list beside each page.
type Channels interface {
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
}

// Shell is what surrounds every page. It is safe for concurrent use, and none of its fields changes.
type Shell struct {
	Store  Channels
	Chosen Chosen // nil: nobody can choose anything
	// Icon returns the path of a channel's icon; "" if there is none so far. Nil: no channel has one.
	Icon    func(tidings.Channel) string
	Version string       // of the program, as shown
	Log     *slog.Logger // never nil
}

// Followed returns all channels of an account, sorted by folder, then by name ([tidings.CompareNames]).
func (s Shell) Followed(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	return s.Store.Channels(ctx, account)
}

// Room is a part of the site with pages of its own: it answers requests with them, or says why it cannot.
type Room struct {
	Shell
	Templates
}

// unanswered logs that a page lacks something, unless nobody waits for the page: the store may have failed of that.
func (s Shell) unanswered(r Request, what string, err error) {
	if r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) {
		s.Log.Error(what, "error", err)
	}
}

// Show answers with a page.
func (s Room) Show(w http.ResponseWriter, r Request, status int, name string, v View) {
	chosen, err := s.Preferences(r)
	if err != nil {
		s.unanswered(r, "preferences for the page", err)
	}
	v.dress(chosen)
	v.Version, v.Known = s.Version, r.Account != 0
	if v.Known {
		_, err := r.Cookie(auth.CookieName)
		v.Session = err == nil
		v.Person, _ = auth.Person(r.Context())
		w.Header().Set(offline.PersonHeader, offline.PersonTag(r.Account, v.Person))
		b, err := s.besideOf(r, chosen)
		if err != nil {
			s.unanswered(r, "channels beside the page", err)
		}
		v.Nav = navOf(b.channels, hereOf(r))
		v.Nav.Icons = b.icons
		v.Nav.tag(b.channels, tagHere(r))
		if s.Chosen != nil {
			doubled, err := s.Chosen.Doubled(r.Context(), r.Account)
			if err != nil {
				s.unanswered(r, "items of two channels", err)
			}
			v.Nav.once(b.channels, doubled)
		}
	}
	var b bytes.Buffer
	if err := s.For(r.Context()).ExecuteTemplate(&b, name, v); err != nil {
		s.Log.Error("render page", "page", name, "error", err)
		http.Error(w, "The page could not be made. The node's log says why.", http.StatusInternalServerError)
		return
	}
	if err := memory.Of(r.Context()).Keep(int64(b.Cap())); err != nil {
		f := explain(r.Words, err)
		w.Header().Set("Retry-After", memory.RetryAfter)
		http.Error(w, f.Text, f.Status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // an error here is the reader's leaving
}
