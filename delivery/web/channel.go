package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/proxy"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

const (
	firstVersions   = 10 // versions shown at first
	maxVersionRows  = 60 // changed lines shown of each, in the list of versions
	maxVersionsList = 200
)

// channelPage is what is known of one channel, and its history.
type channelPage struct {
	tidings.Subscription
	Badge    wording.Badge
	Link     wording.Link // where it is fetched
	SiteLink wording.Link
	Entries  []line // feeds
	Sort     sorting
	Choose   choosing
	All      string // address of the page with all entries, where nothing but what is unread is shown
	AllTags  []string
	Older    string // address of the next page
	Archive  string // address of what is not kept here any more, or was published before; empty: not after these
	Newest   int64
	Versions []version // newest first
	More     string    // address of the page with more versions
	Folders  []string  // of all channels, to choose from
	Prices   []string  // that the page states now, if they are watched
}

// version is one version in a channel's history.
type version struct {
	tidings.Update
	Difference   *difference // pages
	New, Changed int         // feeds: items
}

func (s *site) channel(w http.ResponseWriter, r shell.Request) error {
	address := r.FormValue("url")
	f, err := s.store.Channel(r.Context(), r.Account, address)
	if errors.Is(err, tidings.ErrNotFollowed) {
		return toOwn(s, w, r, address)
	}
	if err != nil {
		return err
	}
	if to := r.FormValue("sort"); to != "" {
		if err := setSorting(s, r, tidings.ViewOf(tidings.ChannelKind, f.URL), to); err != nil {
			return err
		}
		return shell.SeeOther(w, r, shell.ChannelPath(f.URL))
	}
	one := []tidings.Subscription{f}
	if err := s.node.PollingStats(r.Context(), one); err != nil {
		return err
	}
	f = one[0]
	p := channelPage{Subscription: f, Badge: s.ChannelIcons(r).Badge(f.Label(), f.URL),
		Link: wording.LinkTo(f.Origin()), SiteLink: wording.LinkTo(f.Site)}
	if p.Newest, err = s.newest(r); err != nil {
		return err
	}
	if f.Kind != tidings.KindPage {
		if err := s.channelEntries(r, &p); err != nil {
			return err
		}
	}
	if err := s.channelVersions(r, &p); err != nil {
		return err
	}
	if p.Prices, err = pricesOf(r.Context(), s.store, f); err != nil {
		return err
	}
	all, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	p.Folders, p.AllTags = shell.FolderPaths(all), shell.TagsOf(all)
	s.Show(w, r, http.StatusOK, "channel", shell.View{Title: wording.NameOf(f.Label(), wording.MaxTitle),
		Section: "channels", Said: said(r), Feeds: feedsOf(f.URL), Body: p})
	return nil
}

// feedsOf returns where the proxy gives a channel to feed readers.
func feedsOf(channel string) []shell.FeedLink {
	return []shell.FeedLink{
		{Name: "Atom", Type: "application/atom+xml", Href: proxy.FeedURL("", channel)},
		{Name: "JSON Feed", Type: "application/feed+json", Href: proxy.JSONFeedURL("", channel)},
	}
}

func (s *site) channelEntries(r shell.Request, p *channelPage) error {
	chosen, err := s.Preferences(r)
	if err != nil {
		return err
	}
	path, style := shell.ChannelPath(p.URL), styleOf(chosen, tidings.ViewOf(tidings.ChannelKind, p.URL))
	if style.Unread {
		p.All = withQuery(path, "show", "all")
	}
	q := tidings.EntryQuery{Channel: p.URL, ByDate: style.ByDate, Rising: style.Oldest, Unread: style.Unread}
	p.Sort, p.Choose = sorting{path, q.ByDate}, choosing{style, wording.NameOf(p.Label(), 40), path}
	if style.Unread && r.FormValue("show") == "all" {
		path, p.All, q.Unread = p.All, "", false
	}
	setCursor(&q, r.Field("before"))
	f := folding{say: r.Words, icons: s.ChannelIcons(r), held: r.Held(), back: r.URL.RequestURI(),
		in: shell.ChannelPath(p.URL), rising: q.Rising}
	older, err := s.lines(r.Context(), r.Account, q, &f)
	if err != nil {
		return err
	}
	p.Entries = f.lines
	if older != "" {
		p.Older = withQuery(path, "before", older)
	} else if s.archive != nil && p.Kind.HasOrigin() {
		p.Archive = olderPath(p.URL, view.ArchiveQuery{})
	}
	return nil
}

func (s *site) channelVersions(r shell.Request, p *channelPage) error {
	n := min(max(int(min(r.Number("versions"), maxVersionsList)), firstVersions), maxVersionsList)
	updates, err := s.store.Updates(r.Context(), r.Account, tidings.UpdateQuery{Channel: p.URL, Newest: true, Limit: n})
	if err != nil {
		return err
	}
	for i := len(updates) - 1; i >= 0; i-- {
		p.Versions = append(p.Versions, versionOf(updates[i], maxVersionRows))
	}
	if len(updates) == n && n < maxVersionsList {
		p.More = shell.ChannelPath(p.URL) + "&versions=" + strconv.Itoa(min(4*n, maxVersionsList)) + "#versions"
	}
	return nil
}

func versionOf(u tidings.Update, rows int) version {
	v := version{Update: u}
	if u.Kind == tidings.KindPage {
		v.Difference = pageDifference(u.Delta, rows)
	}
	for _, i := range u.Items {
		switch i.Change {
		case tidings.New:
			v.New++
		case tidings.Changed:
			v.Changed++
		}
	}
	return v
}

// toOwn leads from a public address to the person's own channel there.
func toOwn(s *site, w http.ResponseWriter, r shell.Request, address string) error {
	followed, err := s.store.Channels(r.Context(), r.Account)
	if err != nil {
		return err
	}
	for _, f := range followed {
		if tidings.IsOwnURL(f.URL) && tidings.PublicURL(f.URL) == address {
			target := shell.ChannelPath(f.URL)
			if did := r.Field("said"); did != "" {
				target += "&" + url.Values{"said": {did}}.Encode()
			}
			return shell.SeeOther(w, r, target)
		}
	}
	return tidings.ErrNotFollowed
}

// editChannel does what the forms of a channel ask for.
func (s *site) editChannel(w http.ResponseWriter, r shell.Request) error {
	address := r.FormValue("url")
	ctx, done := r.Context(), "saved"
	var err error
	switch do := r.FormValue("do"); do {
	case "privacy", "options", "trust", "distrust":
		if !auth.Admits(ctx, "POST /channel "+do) {
			return shell.ErrAdministrators
		}
	}
	switch r.FormValue("do") {
	case "rename":
		err = s.node.Change(ctx, r.Account, address,
			tidings.ChannelChange{Name: new(r.Field("name")), Folder: new(r.Field("folder")), Tags: tagsIn(r)})
	case "edits":
		err = s.node.Change(ctx, r.Account, address,
			tidings.ChannelChange{EditsAsItems: new(r.FormValue("edits") == "on")})
	case "shown":
		pictures := tidings.PicturesWish(r.FormValue("pictures"))
		err = s.node.Change(ctx, r.Account, address, tidings.ChannelChange{FullText: new(r.FormValue("text") == "full"),
			Pictures: &pictures})
	case "privacy":
		p, ok := privacyNamed(r.FormValue("privacy"))
		if !ok {
			return tidings.Invalidf("no such privacy class")
		}
		err = s.node.Change(ctx, r.Account, address, tidings.ChannelChange{Privacy: &p})
	case "access":
		err = s.node.Change(ctx, r.Account, address, tidings.ChannelChange{Access: new(accessOf(r))})
	case "options":
		done = "options"
		err = s.node.Change(ctx, r.Account, address, tidings.ChannelChange{Options: new(optionsOf(r))})
	case "poll":
		done = "polled"
		if _, err = s.node.PollNow(ctx, r.Account, address); err != nil && !errors.Is(err, tidings.ErrNotFollowed) &&
			!shell.IsCanceled(err) {
			s.Show(w, r, http.StatusServiceUnavailable, "failure",
				shell.View{Title: r.Words.Text("Not checked again"), Body: shell.Failure{
					Title: r.Words.Text("Not checked again"), Detail: wording.Plain(r.Words.Explained(err), 300),
					Text: r.Words.Text("The channel stays on its usual rhythm.")}})
			return nil
		}
	case "trust", "distrust":
		return s.decide(w, r, address)
	case "unsubscribe":
		if err := s.node.Unsubscribe(ctx, r.Account, address); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/channels?said=unfollowed")
	default:
		err = tidings.Invalidf("nothing to do")
	}
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, shell.ChannelPath(address)+"&said="+done)
}

// accessOf returns what a form sets and removes of what a channel's origin is sent. What is set counts where both are
// named.
func accessOf(r shell.Request) (c tidings.AccessChange) {
	for _, name := range r.Form["no-header"] {
		c.Headers = append(c.Headers, name+":")
	}
	for _, name := range r.Form["no-cookie"] {
		c.Cookies = append(c.Cookies, name+"=")
	}
	c.Headers = append(c.Headers, filledLines(r.FormValue("headers"))...)
	c.Cookies = append(c.Cookies, filledLines(r.FormValue("cookies"))...)
	if proxy := r.Field("proxy"); proxy != "" {
		c.Proxy = &proxy
	} else if r.FormValue("no-proxy") == "on" {
		c.Proxy = new("")
	}
	return c
}

// filledLines returns the lines of a text that have something in them.
func filledLines(text string) (lines []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// maxPrices bounds the prices that a channel's head shows.
const maxPrices = 5

// pricesOf returns what a watched page states of its prices now; nil if these are not watched. They are its first
// lines.
func pricesOf(ctx context.Context, store Store, f tidings.Subscription) ([]string, error) {
	if !f.Options.Prices || f.Version == 0 || f.Kind != tidings.KindPage {
		return nil, nil
	}
	state, err := store.State(ctx, f.URL, 0)
	if err != nil {
		return nil, fmt.Errorf("reading the prices of %s: %w", f.URL, err)
	}
	most := maxPrices
	if len(f.Options.Select) > 0 {
		most = 1 // other parts follow
	}
	return state.Lines[:min(len(state.Lines), most)], nil
}

// tagsIn returns the tags that a form gives a channel; nil: the form has no field for them.
func tagsIn(r shell.Request) *tidings.TagChange {
	if !r.Form.Has("tags") {
		return nil
	}
	tags := tidings.SplitTags(r.FormValue("tags"))
	return &tidings.TagChange{Only: &tags}
}

// privacyNamed returns the class that a person may choose by that name.
func privacyNamed(name string) (tidings.Privacy, bool) {
	switch p := tidings.Privacy(name); p {
	case tidings.Public, tidings.Unlisted:
		return p, true
	}
	return "", false
}

// versionPage is one version: what it changed, and the whole as it was then.
type versionPage struct {
	version
	Label string
	Link  wording.Link
	State *tidings.State
	Left  int // lines or items of State that are not shown
}

const maxStateLines = 2000

// update is one version of a channel.
func (s *site) update(w http.ResponseWriter, r shell.Request) error {
	id, err := r.PathID()
	if err != nil {
		return err
	}
	u, err := s.store.Update(r.Context(), r.Account, id)
	if err != nil {
		return err
	}
	if s.network == nil {
		u.FoundBy = "" // which can be this node alone
	}
	p := versionPage{version: versionOf(u, maxDiffRows), Label: wording.Fallback(u.Title, u.Channel),
		Link: wording.LinkTo(u.Channel)}
	s.Show(w, r, http.StatusOK, "update", shell.View{Title: p.title(), Narrow: true, Body: p})
	return nil
}

// versionText is a channel's whole content as of a version.
func (s *site) versionText(w http.ResponseWriter, r shell.Request) error {
	address := r.FormValue("url")
	f, err := s.store.Channel(r.Context(), r.Account, address)
	if err != nil {
		return err
	}
	state, err := s.store.State(r.Context(), f.URL, tidings.Version(r.Number("v")))
	if err != nil {
		return err
	}
	p := versionPage{Label: f.Label(), Link: wording.LinkTo(f.URL), State: &state}
	p.Channel, p.Version, p.Time, p.Kind = state.Channel, state.Version, state.Time, state.Kind
	if n := max(len(state.Lines), len(state.Items)); n > maxStateLines {
		p.Left = n - maxStateLines
		state.Lines = state.Lines[:min(len(state.Lines), maxStateLines)]
		state.Items = state.Items[:min(len(state.Items), maxStateLines)]
	}
	s.Show(w, r, http.StatusOK, "state", shell.View{Title: p.title(), Narrow: true, Body: p})
	return nil
}

func (p versionPage) title() string {
	return fmt.Sprintf("%s, version %d", wording.NameOf(p.Label, maxName), p.Version)
}

// StatePath returns the address of the whole content as of this version.
func (v version) StatePath() string {
	return "/version?" + url.Values{"url": {v.Channel}, "v": {strconv.FormatUint(uint64(v.Version), 10)}}.Encode()
}
