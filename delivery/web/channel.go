package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/proxy"
)

const (
	firstVersions   = 10 // versions shown at first
	maxVersionRows  = 60 // changed lines shown of each, in the list of versions
	maxVersionsList = 200
)

// channelPage is what is known of one channel, and its history.
type channelPage struct {
	tidings.Subscription
	Badge    badge
	Link     link // where it is fetched
	SiteLink link
	Entries  []line // feeds
	Older    string // address of the next page
	Archive  string // address of what is not kept here any more, or was published before; empty: not after these
	Newest   int64
	Versions []version // newest first
	More     string    // address of the page with more versions
	Folders  []string  // of all channels, to choose from
}

// version is one version in a channel's history.
type version struct {
	tidings.Update
	Difference   *difference // pages
	New, Changed int         // feeds: items
}

func (s *site) channel(w http.ResponseWriter, r request) error {
	address := r.FormValue("url")
	f, err := s.store.Channel(r.Context(), r.account, address)
	if errors.Is(err, tidings.ErrNotFollowed) {
		return toOwn(s, w, r, address)
	}
	if err != nil {
		return err
	}
	one := []tidings.Subscription{f}
	if err := s.node.PollingStats(r.Context(), one); err != nil {
		return err
	}
	f = one[0]
	p := channelPage{Subscription: f, Badge: badgeOf(f.Label(), f.URL), Link: linkTo(f.Origin()), SiteLink: linkTo(f.Site)}
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
	all, err := s.followed(r.Context(), r.account)
	if err != nil {
		return err
	}
	p.Folders = folderPaths(all)
	s.show(w, r, http.StatusOK, "channel", view{Title: nameOf(f.Label(), maxTitle), Section: "channels", Said: said(r), Feeds: feedsOf(f.URL), Body: p})
	return nil
}

// feedsOf returns where the proxy gives a channel to feed readers.
func feedsOf(channel string) []feedLink {
	return []feedLink{
		{"Atom", "application/atom+xml", proxy.FeedURL("", channel)},
		{"JSON Feed", "application/feed+json", proxy.JSONFeedURL("", channel)},
	}
}

func (s *site) channelEntries(r request, p *channelPage) error {
	q := tidings.EntryQuery{Channel: p.URL, Before: r.number("before")}
	f := folding{back: r.URL.RequestURI()}
	older, err := s.lines(r.Context(), r.account, q, &f)
	if err != nil {
		return err
	}
	p.Entries = f.lines
	if older > 0 {
		p.Older = channelPath(p.URL) + "&before=" + strconv.FormatInt(older, 10)
	} else if s.archive != nil && p.Kind.HasOrigin() {
		p.Archive = olderPath(p.URL, tidings.ArchiveQuery{})
	}
	return nil
}

func (s *site) channelVersions(r request, p *channelPage) error {
	n := min(max(int(min(r.number("versions"), maxVersionsList)), firstVersions), maxVersionsList)
	updates, err := s.store.Updates(r.Context(), r.account, tidings.UpdateQuery{Channel: p.URL, Newest: true, Limit: n})
	if err != nil {
		return err
	}
	for i := len(updates) - 1; i >= 0; i-- {
		p.Versions = append(p.Versions, versionOf(updates[i], maxVersionRows))
	}
	if len(updates) == n && n < maxVersionsList {
		p.More = channelPath(p.URL) + "&versions=" + strconv.Itoa(min(4*n, maxVersionsList)) + "#versions"
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
func toOwn(s *site, w http.ResponseWriter, r request, address string) error {
	followed, err := s.store.Channels(r.Context(), r.account)
	if err != nil {
		return err
	}
	for _, f := range followed {
		if tidings.IsOwnURL(f.URL) && tidings.PublicURL(f.URL) == address {
			target := channelPath(f.URL)
			if did := r.field("said"); did != "" {
				target += "&" + url.Values{"said": {did}}.Encode()
			}
			return seeOther(w, r, target)
		}
	}
	return tidings.ErrNotFollowed
}

// editChannel does what the forms of a channel ask for.
func (s *site) editChannel(w http.ResponseWriter, r request) error {
	address := r.FormValue("url")
	ctx, done := r.Context(), "saved"
	var err error
	switch do := r.FormValue("do"); do {
	case "privacy", "options", "trust", "distrust":
		if !auth.Admits(ctx, "POST /channel "+do) {
			return errAdministrators
		}
	}
	switch r.FormValue("do") {
	case "rename":
		err = s.node.Change(ctx, r.account, address, tidings.ChannelChange{Name: new(r.field("name")), Folder: new(r.field("folder"))})
	case "privacy":
		p, ok := privacyNamed(r.FormValue("privacy"))
		if !ok {
			return tidings.Invalidf("no such privacy class")
		}
		err = s.node.Change(ctx, r.account, address, tidings.ChannelChange{Privacy: &p})
	case "options":
		done = "options"
		err = s.node.Change(ctx, r.account, address, tidings.ChannelChange{Options: new(optionsOf(r))})
	case "poll":
		done = "polled"
		if _, err = s.node.PollNow(ctx, r.account, address); err != nil && !errors.Is(err, tidings.ErrNotFollowed) && !isCanceled(err) {
			s.show(w, r, http.StatusServiceUnavailable, "failure", view{Title: "Not checked again", Body: failure{
				Title: "Not checked again", Detail: plain(tidings.Explain(err), 300), Text: "The channel stays on its usual rhythm."}})
			return nil
		}
	case "trust", "distrust":
		return s.decide(w, r, address)
	case "unsubscribe":
		if err := s.node.Unsubscribe(ctx, r.account, address); err != nil {
			return err
		}
		return seeOther(w, r, "/channels?said=unfollowed")
	default:
		err = tidings.Invalidf("nothing to do")
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, channelPath(address)+"&said="+done)
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
	Link  link
	State *tidings.State
	Left  int // lines or items of State that are not shown
}

const maxStateLines = 2000

// update is one version of a channel.
func (s *site) update(w http.ResponseWriter, r request) error {
	id, err := r.pathID()
	if err != nil {
		return err
	}
	u, err := s.store.Update(r.Context(), r.account, id)
	if err != nil {
		return err
	}
	p := versionPage{version: versionOf(u, maxDiffRows), Label: fallback(u.Title, u.Channel), Link: linkTo(u.Channel)}
	s.show(w, r, http.StatusOK, "update", view{Title: p.title(), Narrow: true, Body: p})
	return nil
}

// versionText is a channel's whole content as of a version.
func (s *site) versionText(w http.ResponseWriter, r request) error {
	address := r.FormValue("url")
	f, err := s.store.Channel(r.Context(), r.account, address)
	if err != nil {
		return err
	}
	state, err := s.store.State(r.Context(), f.URL, tidings.Version(r.number("v")))
	if err != nil {
		return err
	}
	p := versionPage{Label: f.Label(), Link: linkTo(f.URL), State: &state}
	p.Channel, p.Version, p.Time, p.Kind = state.Channel, state.Version, state.Time, state.Kind
	if n := max(len(state.Lines), len(state.Items)); n > maxStateLines {
		p.Left = n - maxStateLines
		state.Lines = state.Lines[:min(len(state.Lines), maxStateLines)]
		state.Items = state.Items[:min(len(state.Items), maxStateLines)]
	}
	s.show(w, r, http.StatusOK, "state", view{Title: p.title(), Narrow: true, Body: p})
	return nil
}

func (p versionPage) title() string {
	return fmt.Sprintf("%s, version %d", nameOf(p.Label, maxName), p.Version)
}

// StatePath returns the address of the whole content as of this version.
func (v version) StatePath() string {
	return "/version?" + url.Values{"url": {v.Channel}, "v": {strconv.FormatUint(uint64(v.Version), 10)}}.Encode()
}
