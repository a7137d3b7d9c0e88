package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// Store keeps people, passwords, sessions and tokens. Names are found in any case. CreateSession for a hash that is
// there already moves its expiry; SetPasswordHash ends all sessions of the account and removes its passkeys, which
// ChangePasswordHash keeps.
type Store interface {
	Person(ctx context.Context, account tidings.AccountID) (tidings.Person, error)
	People(ctx context.Context) ([]tidings.Person, error)
	Account(ctx context.Context, name string) (account tidings.AccountID, passwordHash string, err error)
	PasswordHash(ctx context.Context, account tidings.AccountID) (string, error)
	ChangePasswordHash(ctx context.Context, account tidings.AccountID, hash string) error
	CreateSession(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, expires time.Time,
		browser string) error
	Session(ctx context.Context, tokenHash [32]byte) (tidings.AccountID, error)
	DeleteSession(ctx context.Context, tokenHash [32]byte) error
	Token(ctx context.Context, tokenHash [32]byte) (tidings.AccountID, error)
	// PostingToken returns the account of a token for posting, and the channel that it is for.
	PostingToken(ctx context.Context, tokenHash [32]byte) (account tidings.AccountID, channel string, err error)
}

// Config is what a Guard is made of.
type Config struct {
	Store Store

	// RequirePassword says that people outside this machine can connect: the node listens elsewhere than on loopback.
	// Without it, and as long as the owner has set no password, every client counts as the owner.
	RequirePassword bool

	// Hosts are the names and addresses, without port, by which the node may be asked
	// for besides those of loopback.
	Hosts []string

	// Proxies are the addresses of the trusted reverse proxies: the guard believes their X-Forwarded-For and
	// X-Forwarded-Proto. Empty: none.
	Proxies []netip.Prefix

	// UserHeader is the header in which Proxies name the sender of a request. Empty: they name none. If it is set, a
	// request from them is of the named person, or of the owner of its token. Sessions and passwords do not count
	// there.
	UserHeader string

	// Open are the paths that anybody may ask for without being known, such as those of
	// the login page; one that ends in "/" stands for all below it.
	Open []string

	// LoginPath is where browsers are sent to sign in. Empty: /login. It is always open.
	LoginPath string

	// Readers reports whether a path is for feed readers. Their requests pass without a session: they prove themselves
	// to a Gate. Nil: there are none.
	Readers func(path string) bool

	// PlainReaders lets feed readers on other machines send their app passwords without TLS.
	PlainReaders bool

	// ReaderRequests is how many requests each reader may send in a minute, to all interfaces; those of a minute may
	// come at once. Administrators may send any number, and so may readers if it is 0.
	ReaderRequests int

	Log *slog.Logger // nil: none
}

// Guard stands before all interfaces of a node. It is safe for concurrent use.
type Guard struct {
	store           Store
	requirePassword bool
	hosts           map[string]bool
	proxies         []netip.Prefix
	userHeader      string // "": none
	openPaths       []string
	loginPath       string
	readers         func(path string) bool
	plainReaders    bool
	log             *slog.Logger

	crossOrigin http.CrossOriginProtection
	attempts    *limiter
	hashing     turns
	guesses     *guesses
	pace        *pace
	again       time.Duration // admitAgain, but for tests
}

// New returns a Guard, or says what is wrong with c.
func New(c Config) (*Guard, error) {
	if c.Store == nil {
		return nil, errors.New("guard: no store")
	}
	hosts, err := parseHosts(c.Hosts)
	if err != nil {
		return nil, err
	}
	if err := ValidateUserHeader(c.UserHeader, c.Proxies); err != nil {
		return nil, err
	}
	g := &Guard{
		userHeader: c.UserHeader,
		store:      c.Store, requirePassword: c.RequirePassword, hosts: hosts, proxies: c.Proxies,
		openPaths: c.Open, loginPath: c.LoginPath, log: c.Log,
		readers: c.Readers, plainReaders: c.PlainReaders,
		attempts: newLimiter(), guesses: newGuesses(), pace: newPace(c.ReaderRequests), again: admitAgain,
	}
	if g.loginPath == "" {
		g.loginPath = "/login"
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	return g, nil
}

// Handler returns next behind the guard. What reaches next has an Account in its context, except on open paths, where
// it may be missing. In this order:
//
//  1. A host that is not the node's own: 421.
//  2. The path of a feed reader: it goes to next without an account, or, without TLS from another machine, gets 403.
//  3. A request by another web page, unless it is a link that somebody followed: 403.
//  4. No known person, from a proxy that signs people in: 403, or 401 for programs if it named nobody.
//  5. Nobody known: browsers are sent to the login page, everybody else gets 401.
//  6. A reader that sends more than Config.ReaderRequests: 429.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.dropUserHeader(r)
		if !g.knownHost(r) {
			g.log.Warn("refused: not a name of this node", "host", clip(r.Host), "from", r.RemoteAddr)
			refuse(w, r, http.StatusMisdirectedRequest, "wrong host", wrongHost)
			return
		}
		if g.readers != nil && g.readers(r.URL.Path) {
			g.serveReader(w, r, next)
			return
		}
		if why := g.foreign(r); why != "" {
			g.log.Warn("refused: another site's request", "why", why, "path", clip(r.URL.Path), "from", r.RemoteAddr)
			status := http.StatusForbidden
			if why == formWithoutOrigin && strings.HasPrefix(r.URL.Path, "/api/") {
				status, why = http.StatusUnsupportedMediaType,
					why+": send Content-Type: application/json, which forms cannot"
			}
			refuse(w, r, status, why, foreignRequest)
			return
		}
		person, err := g.person(w, r)
		var why *unnamed
		switch {
		case err == nil:
			if wait := g.pace.admit(person, time.Now()); wait > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
				refuse(w, r, http.StatusTooManyRequests, "you send too many requests: try again later", tooManyRequests)
				return
			}
			lasting, end := g.whileAdmitted(r, person)
			defer end()
			r = lasting.WithContext(WithPerson(lasting.Context(), person))
		case r.Context().Err() != nil:
			return // nobody listens any more, and the store may have failed of that
		case errors.Is(err, ErrTooManyAttempts):
			g.log.Warn("refused: too many wrong tokens", "from", g.Client(r).String())
			w.Header().Set("Retry-After", strconv.Itoa(int(tokensEvery.Seconds())))
			refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens came from this address: try again later",
				tooManyTokens)
			return
		case !errors.Is(err, tidings.ErrUnauthorized):
			g.log.Error("who asks is unknown", "error", err)
			refuse(w, r, http.StatusInternalServerError, "internal error", internalError)
			return
		case errors.As(err, &why) && (r.URL.Path == g.loginPath || !g.isOpen(r.URL.Path)):
			g.turnAwayProxied(w, r, why)
			return
		case !g.isOpen(r.URL.Path):
			g.turnAway(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// person returns the person that the request comes from, or ErrUnauthorized.
func (g *Guard) person(w http.ResponseWriter, r *http.Request) (tidings.Person, error) {
	by, err := g.entrant(w, r)
	if err != nil {
		return tidings.Person{}, err
	}
	p, err := g.store.Person(r.Context(), by.account)
	if by.posts != "" {
		p.Role, p.Owner, p.Posts = tidings.Poster, false, by.posts
	}
	return p, notFoundIsUnauthorized(err) // removed meanwhile: nobody
}

// entrant is where a request comes from.
type entrant struct {
	account tidings.AccountID
	posts   string // it came with a token for posting, to the channel of that name; "": it did not
}

// entrant returns where the request comes from, or ErrUnauthorized. A session is renewed if w is not nil.
func (g *Guard) entrant(w http.ResponseWriter, r *http.Request) (by entrant, err error) {
	if g.proxied(r) {
		return g.byProxy(r)
	}
	if secret, ok := bearer(r); ok {
		return g.byToken(r, secret)
	}
	locked := g.requirePassword || viaProxy(r)
	if !locked {
		if locked, err = g.HasPassword(r.Context()); err != nil {
			return by, err
		}
	}
	if by.account = tidings.Owner; locked {
		by.account, err = g.bySession(w, r)
	}
	return by, err
}

// byToken finds the owner of the API token in a request.
func (g *Guard) byToken(r *http.Request, secret string) (by entrant, err error) {
	hash, ok := tokenHash(secret)
	if !g.guesses.mayAsk(g.Client(r), hash) {
		return by, ErrTooManyAttempts
	}
	if !ok {
		g.guesses.wrong(g.Client(r), hash)
		return by, tidings.ErrUnauthorized // the store need not be asked
	}
	if by.account, err = g.store.Token(r.Context(), hash); errors.Is(err, tidings.ErrNotFound) {
		by.account, by.posts, err = g.store.PostingToken(r.Context(), hash)
	}
	if err != nil {
		err = notFoundIsUnauthorized(err)
		if errors.Is(err, tidings.ErrUnauthorized) {
			g.guesses.wrong(g.Client(r), hash)
		}
		return entrant{}, err
	}
	g.guesses.right(hash)
	return by, nil
}

// bearer returns the API token of a request: as bearer token (RFC 6750), or as the
// password of basic authentication, which is all that feed readers can send.
func bearer(r *http.Request) (secret string, ok bool) {
	if _, password, ok := r.BasicAuth(); ok {
		return password, true
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(secret), true
}

// formWithoutOrigin is why a request is refused that any site may have had a browser send.
const formWithoutOrigin = "a form without origin"

// foreign says why a request is another web page's doing, or "" if it is not.
func (g *Guard) foreign(r *http.Request) string {
	if err := g.crossOrigin.Check(r); err != nil {
		return err.Error()
	}
	site := r.Header.Get("Sec-Fetch-Site")
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		// Nothing changes; but neither may another page find out, by loading parts of
		// this one, what somebody reads.
		followed := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		if (site == "cross-site" || site == "same-site") && !followed {
			return "cross-site load"
		}
	default:
		if site == "" && r.Header.Get("Origin") == "" && g.couldBeForm(r) {
			return formWithoutOrigin
		}
	}
	return ""
}

// couldBeForm reports whether a browser would send such a request for a web page of any origin without asking first
// ("simple request" of the Fetch standard). No form sends a token. But a browser adds to any form the password that a
// proxy asked for. So behind a proxy that signs people in, a password proves nothing.
func (g *Guard) couldBeForm(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" && !g.proxied(r) || r.Method != http.MethodPost {
		return false
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain":
		return true
	}
	return false
}

func (g *Guard) isOpen(path string) bool {
	if path == g.loginPath {
		return true
	}
	for _, p := range g.openPaths {
		if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}
