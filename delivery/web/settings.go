package web

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/locale"
	"tidings/delivery/proxy"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// settingsPage is what an account can set for itself.
type settingsPage struct {
	HasPassword   bool
	PasswordError string
	MinPassword   int
	Tokens        []tidings.Token
	Secret        string // of the token just made: shown this once
	FeverUser     string // of that token; empty: it is not for the Fever API
	Posts         string // the channel to which that token posts; empty: it is not for posting
	Address       string // of the node, as the browser has it
	Local         bool   // no other machine reaches Address
	Plain         bool   // Address is neither Local nor protected by TLS, so that browsers have no workers there
	Sessions      []tidings.Session
	Passkeys      *passkeyList // nil: the node has none
	Feeds         ownFeeds
	Languages     []*locale.Locale
	Language      string // the preference
}

// ownFeeds is what Settings shows of the requester's own feeds.
type ownFeeds struct {
	All        []tidings.FeedAddress
	Folders    []string // that a feed can be of
	Most       int
	Atom, JSON string // addresses of the one just made: shown this once
}

func (s *site) settings(w http.ResponseWriter, r shell.Request) error {
	return s.showSettings(w, r, http.StatusOK, settingsPage{})
}

func (s *site) showSettings(w http.ResponseWriter, r shell.Request, status int, p settingsPage) error {
	var err error
	if p.HasPassword, err = s.guard.HasPassword(r.Context()); err != nil {
		return err
	}
	if p.Tokens, err = s.store.Tokens(r.Context(), r.Account); err != nil {
		return err
	}
	if p.Sessions, err = sessions(s, r); err != nil {
		return err
	}
	if err = p.Feeds.fill(s, r); err != nil {
		return err
	}
	if p.Passkeys, err = passkeysOf(s, r, p.HasPassword); err != nil {
		return err
	}
	p.MinPassword, p.Languages = auth.MinPassword, locale.All()
	chosen, err := s.Preferences(r)
	if err != nil {
		return err
	}
	p.Language = chosen.Of(tidings.EveryView, tidings.PreferLanguage)
	p.Address, p.Local = ownAddress(r.Request)
	p.Plain = !p.Local && !strings.HasPrefix(p.Address, "https:")
	s.Show(w, r, status, "settings", shell.View{Title: r.Words.Text("Settings"), Section: "settings", Said: said(r),
		Body: p})
	return nil
}

func (s *site) setPassword(w http.ResponseWriter, r shell.Request) error {
	next := r.FormValue("new")
	if next != r.FormValue("again") {
		return s.showSettings(w, r, http.StatusUnprocessableEntity,
			settingsPage{PasswordError: r.Words.Text("The two new passwords are not the same.")})
	}
	err := s.guard.SetPassword(w, r.Request, r.Account, r.FormValue("current"), next)
	if why := signInProblem(r.Words, err); why != "" {
		return s.showSettings(w, r, http.StatusUnprocessableEntity, settingsPage{PasswordError: why})
	}
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, "/settings?said=password")
}

// signInProblem says in a sentence what a person can mend, or "".
func signInProblem(w wording.Words, err error) string {
	switch {
	case errors.Is(err, auth.ErrTooManyAttempts):
		return w.Text("Too many attempts. Wait half a minute and try again.")
	case errors.Is(err, auth.ErrWrongPassword):
		return w.Text("That is not the password.")
	case errors.Is(err, auth.ErrProxySignsIn):
		return w.Text("The reverse proxy says who you are, so this node asks for no password there.")
	case errors.Is(err, auth.ErrPasswordLength):
		return w.Text("A password needs at least %d characters.", auth.MinPassword)
	}
	return ""
}

const maxTokens = 100 // of an account

func (s *site) createToken(w http.ResponseWriter, r shell.Request) error {
	label := wording.Plain(r.Field("label"), 80)
	if label == "" {
		label = r.Words.Text("Made %s", r.Words.Date(time.Now(), "2 January 2006"))
	}
	tokens, err := s.store.Tokens(r.Context(), r.Account)
	if err != nil {
		return err
	}
	if len(tokens) >= maxTokens {
		return tidings.Invalidf("there are %d tokens already; remove one first", maxTokens)
	}
	var p settingsPage
	switch r.FormValue("for") {
	case "fever":
		p.FeverUser = r.Field("fever_user")
		p.Secret, err = auth.IssueFeverToken(r.Context(), s.store, r.Account, label, p.FeverUser)
	case "posts":
		p.Posts = r.Field("posts")
		p.Secret, err = auth.IssuePostingToken(r.Context(), s.store, r.Account, label, p.Posts)
	default:
		p.Secret, err = auth.IssueToken(r.Context(), s.store, r.Account, label)
	}
	if err != nil {
		return err
	}
	return s.showSettings(w, r, http.StatusOK, p)
}

// ownAddress returns the node's address as the browser has it, without a path, and whether other machines cannot use
// it.
func ownAddress(r *http.Request) (address string, local bool) {
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: r.Host}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.String(), err == nil && ip.IsLoopback() || u.Hostname() == "localhost" ||
		strings.HasSuffix(u.Hostname(), ".localhost")
}

func (s *site) deleteToken(w http.ResponseWriter, r shell.Request) error {
	if err := s.store.DeleteToken(r.Context(), r.Account, r.Number("id")); err != nil &&
		!errors.Is(err, tidings.ErrNotFound) {
		return err
	}
	return shell.SeeOther(w, r, "/settings?said=removed")
}

// fill completes what is shown.
func (o *ownFeeds) fill(s *site, r shell.Request) (err error) {
	if o.All, err = s.store.FeedAddressesOf(r.Context(), r.Account); err != nil {
		return err
	}
	channels, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	o.Folders, o.Most = shell.FolderPaths(channels), tidings.MaxFeedAddresses
	return nil
}

// createFeed makes the address of a feed of the requester's own, and shows it.
func createFeed(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		selection, folder, _ := strings.Cut(r.FormValue("what"), "/")
		f := tidings.FeedAddress{Name: r.Field("name"), Selection: tidings.FeedSelection(selection)}
		switch f.Selection {
		case tidings.SelectFolder:
			f.Of = folder
		case tidings.SelectSearch:
			f.Of = r.Field("of")
		case tidings.SelectChannel:
			var err error
			if f.Of, err = channelNamed(s, r, r.Field("of")); err != nil {
				return err
			}
		}
		_, secret, err := auth.IssueFeedAddress(r.Context(), s.store, r.Account, f)
		if err != nil {
			return err
		}
		address, _ := ownAddress(r.Request)
		atom, json := proxy.OwnPaths(secret)
		return s.showSettings(w, r, http.StatusOK,
			settingsPage{Feeds: ownFeeds{Atom: address + atom, JSON: address + json}})
	}
}

// channelNamed returns the URL of the followed channel that has an address or a name.
func channelNamed(s *site, r shell.Request, name string) (string, error) {
	channels, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return "", err
	}
	for _, c := range channels {
		if name == c.URL || name == tidings.PublicURL(c.URL) || strings.EqualFold(name, c.Label()) {
			return c.URL, nil
		}
	}
	return "", tidings.ErrNotFollowed
}

func removeFeed(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		err := s.store.RemoveFeedAddress(r.Context(), r.Account, r.Number("id"))
		if err != nil && !errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		return shell.SeeOther(w, r, "/settings?said=nofeed")
	}
}
