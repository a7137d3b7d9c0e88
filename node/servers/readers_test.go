package servers

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // what keys of the Fever API are made of
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	readers "tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/files"
	"tidings/store"
)

// mounted is a whole server with a store of its own. What feed readers read is the sample of package synctest.
type mounted struct {
	t     *testing.T
	store *store.Store
	url   string
	log   *record
	token string // of the owner, called ann here
	fever string // the same for the Fever API, for the user ann
}

// record keeps what is logged.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// named is a store with people that have the names of the sample.
type named struct{ Store }

func (n named) AppPassword(ctx context.Context, hash [32]byte) (tidings.AccountID, string, error) {
	account, _, err := n.Store.AppPassword(ctx, hash)
	return account, synctest.Ann.Name, err
}

// mount starts a server; change may change how it is.
func mount(t *testing.T, change func(*Config)) *mounted {
	t.Helper()
	data, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	m := &mounted{t: t, log: &record{}}
	if m.store, err = store.Open(t.Context(), store.Config{Dir: data}); err != nil {
		t.Fatal(err)
	}
	library, _ := synctest.Sample()
	c := Config{
		Data: data, HTTP: "127.0.0.1:0", AllowedHosts: []string{"node.example"}, Page: 100, Socket: 10,
		AnswerMemory: 64 << 20,
		Node:         quietNode{}, Store: named{files.NewLibrary(m.store, nil)}, Library: library,
		Metrics: http.NotFoundHandler(),
		Log:     slog.New(slog.NewTextHandler(m.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&c)
	}
	servers, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- servers.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := m.store.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(data)
	})
	m.url = servers.Address
	if m.token, err = auth.IssueToken(t.Context(), m.store.Reader, tidings.Owner, "phone"); err != nil {
		t.Fatal(err)
	}
	if m.fever, err = auth.IssueFeverToken(t.Context(), m.store.Reader, tidings.Owner, "old phone", "ann"); err != nil {
		t.Fatal(err)
	}
	return m
}

// client follows no redirect, keeps no connection and decodes nothing.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
}

// ServeHTTP sends a request to the server. The sample's passwords in it are those of the server's owner.
func (m *mounted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	to := m.inServer(string(text))
	target, err := url.Parse(m.url)
	if err != nil {
		m.t.Fatal(err)
	}
	target.Path, target.RawPath, target.RawQuery = r.URL.Path, r.URL.RawPath, m.inServer(r.URL.RawQuery)
	request, err := http.NewRequestWithContext(r.Context(), r.Method, m.url, strings.NewReader(to))
	if err != nil {
		m.t.Fatal(err)
	}
	request.URL, request.Host = target, r.Host
	for name, values := range r.Header {
		for _, value := range values {
			request.Header.Add(name, m.inServer(value))
		}
	}
	response, err := client.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	if _, err := io.Copy(w, response.Body); err != nil {
		m.t.Fatal(err)
	}
}

var basic = regexp.MustCompile(`^Basic (\S+)$`)

// inServer replaces the passwords of the sample in a text by those of the server.
func (m *mounted) inServer(text string) string {
	if coded := basic.FindStringSubmatch(text); coded != nil {
		plain, err := base64.StdEncoding.DecodeString(coded[1])
		if err != nil {
			m.t.Fatal(err)
		}
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(m.inServer(string(plain))))
	}
	text = strings.ReplaceAll(text, synctest.AnnPassword, m.token)
	sample, own := synctest.FeverKey(synctest.Ann.Name, synctest.AnnPassword), feverKey(synctest.Ann.Name, m.fever)
	text = strings.ReplaceAll(text, sample, own)
	return strings.ReplaceAll(text, strings.ToUpper(sample), strings.ToUpper(own))
}

func feverKey(user, password string) string {
	sum := md5.Sum([]byte(user + ":" + password)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// ask sends a request with a header "Name: value" on each line, and returns the status and the body.
func (m *mounted) ask(method, target, header, body string) (int, string, http.Header) {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.url+target, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for line := range strings.SplitSeq(header, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	response, err := client.Do(r)
	if err != nil {
		m.t.Error(err)
		return 0, "", nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Error(err)
	}
	return response.StatusCode, string(text), response.Header
}

// Each known client gets what it needs through the whole server as well, and no password is in the log.
func TestTranscriptsThroughTheServer(t *testing.T) {
	paths, err := filepath.Glob("../../delivery/*/testdata/*.txt")
	if err != nil || len(paths) < 23 {
		t.Fatalf("there are %d transcripts, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(path)))+" "+filepath.Base(path), func(t *testing.T) {
			m := mount(t, nil)
			synctest.Replay(t, m, path)
			m.hasNoSecrets()
		})
	}
}

// hasNoSecrets holds that no password and no query is in the log.
func (m *mounted) hasNoSecrets() {
	m.t.Helper()
	for _, secret := range []string{m.token, m.fever, feverKey("ann", m.fever), "Passwd", "api_key"} {
		if strings.Contains(m.log.String(), secret) {
			m.t.Errorf("the log has %q: %s", secret, m.log)
		}
	}
}

// ways are how a feed reader sends its app password: a request for each, and the status for a wrong password.
func ways(token, fever string) map[string]struct {
	method, target, header, body string
	wrong                        int
} {
	type request = struct {
		method, target, header, body string
		wrong                        int
	}
	form := url.Values{"Email": {"anybody"}, "Passwd": {token}}.Encode()
	basic := base64.StdEncoding.EncodeToString([]byte("anybody:" + token))
	return map[string]request{
		"ClientLogin by GET":  {"GET", "/accounts/ClientLogin?" + form, "", "", 401},
		"ClientLogin by POST": {"POST", "/api/greader.php/accounts/ClientLogin", "", form, 401},
		"GoogleLogin": {"GET", "/api/greader.php/reader/api/0/tag/list", "Authorization: GoogleLogin auth=" +
			token, "", 401},
		"T": {"POST", "/reader/api/0/edit-tag", "", "a=user/-/state/com.google/read&i=1000000001&T=" +
			token, 401},
		"Basic":        {"GET", "/v1/me", "Authorization: Basic " + basic, "", 401},
		"X-Auth-Token": {"GET", "/v1/feeds", "X-Auth-Token: " + token, "", 401},
		"Fever":        {"POST", "/fever/?api&feeds", "", "api_key=" + feverKey("ann", fever), 200},
	}
}

const wrongFever = `{"api_version":3,"auth":0}`

// A token lets a feed reader in, in each way in which they send one, until it is revoked. Its last use is shown.
func TestAppPasswordsUntilTheyAreRevoked(t *testing.T) {
	m := mount(t, nil)
	for name, way := range ways(m.token, m.fever) {
		code, text, _ := m.ask(way.method, way.target, way.header, way.body)
		if code != 200 || text == wrongFever {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	tokens, err := m.store.Reader.Tokens(t.Context(), tidings.Owner)
	if err != nil || len(tokens) != 2 {
		t.Fatalf("%+v, %v", tokens, err)
	}
	for _, token := range tokens {
		if token.LastUsed.IsZero() {
			t.Errorf("%q was not used", token.Label)
		}
		if err := m.store.Reader.DeleteToken(t.Context(), tidings.Owner, token.ID); err != nil {
			t.Fatal(err)
		}
	}
	for name, way := range ways(m.token, m.fever) {
		code, text, _ := m.ask(way.method, way.target, way.header, way.body)
		if code != way.wrong || code == 200 && text != wrongFever {
			t.Errorf("revoked, %s: %d %s", name, code, text)
		}
	}
	m.hasNoSecrets()
}

// Fever is closed until a token is made for it, and that opens nothing else.
func TestFeverIsOffUntilAskedFor(t *testing.T) {
	m := mount(t, nil)
	for _, user := range []string{"ann", "owner", ""} {
		if _, text, _ := m.ask("POST", "/fever?api", "", "api_key="+feverKey(user, m.token)); text != wrongFever {
			t.Errorf("with a usual token, as %q: %s", user, text)
		}
	}
	for name, way := range ways(m.fever, m.fever) {
		if code, text, _ := m.ask(way.method, way.target, way.header, way.body); name != "Fever" && code != 401 {
			t.Errorf("with a token for Fever, %s: %d %s", name, code, text)
		}
	}
	if code, text, _ := m.ask("GET", "/api/v1/channels", "Authorization: Bearer "+m.fever, ""); code != 401 {
		t.Errorf("with a token for Fever the API answers %d %s", code, text)
	}
}

// A browser that is signed in, and one on a node without a password, get nothing from the interfaces of feed readers.
func TestCookiesOpenNothingForReaders(t *testing.T) {
	m := mount(t, nil)
	hash, err := auth.HashPassword("a long password")
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"", hash} {
		if err := m.store.Reader.SetPasswordHash(t.Context(), tidings.Owner, password); err != nil {
			t.Fatal(err)
		}
		cookie := ""
		if password != "" {
			code, _, head := m.ask("POST", "/login", "Origin: "+m.url, "name=owner&password=a+long+password")
			if code != 303 || len(head["Set-Cookie"]) == 0 {
				t.Fatalf("signing in: %d %v", code, head)
			}
			for _, set := range head["Set-Cookie"] {
				value, _, _ := strings.Cut(set, ";")
				cookie += value + "; "
			}
			if code, _, _ := m.ask("GET", "/help", "Accept: text/html\nCookie: "+cookie, ""); code != 200 {
				t.Fatalf("the page, signed in: %d", code)
			}
		}
		for _, target := range []string{"/v1/me", "/reader/api/0/tag/list", "/api/greader.php/reader/api/0/token",
			"/fever?api&items"} {
			code, text, _ := m.ask("GET", target, "Cookie: "+cookie, "")
			if code != 401 && text != wrongFever {
				t.Errorf("%s: %d %s", target, code, text)
			}
		}
	}
}

// A client that guesses is asked to wait, in each language. Clients with valid tokens go on meanwhile.
func TestReadersThatGuess(t *testing.T) {
	m := mount(t, nil)
	if code, text, _ := m.ask("GET", "/v1/me", "X-Auth-Token: "+m.token, ""); code != 200 {
		t.Fatalf("%d %s", code, text)
	}
	refused := 0
	for n := 0; n < 1000 && refused == 0; n++ {
		code, text, head := m.ask("POST", "/accounts/ClientLogin", "", fmt.Sprintf("Email=ann&Passwd=guess%d", n))
		switch {
		case code == 429 && head.Get("Retry-After") != "":
			refused = n
		case code != 401:
			t.Fatalf("guess %d: %d %s", n, code, text)
		}
	}
	if refused < 60 {
		t.Errorf("refused after %d guesses", refused)
	}
	if code, text, _ := m.ask("GET", "/v1/me", "X-Auth-Token: "+m.token, ""); code != 200 {
		t.Errorf("somebody known: %d %s", code, text)
	}
}

// From other machines feed readers need TLS, or consent. All other interfaces stay as they are.
func TestReadersOnOtherMachines(t *testing.T) {
	for name, c := range map[string]struct {
		plain bool
		head  string
		want  int
	}{
		"plain":               {want: 403},
		"with consent":        {plain: true, want: 200},
		"by a proxy with TLS": {head: "X-Forwarded-For: 203.0.113.9\nX-Forwarded-Proto: https", want: 200},
		"by a proxy without":  {head: "X-Forwarded-For: 203.0.113.9\nX-Forwarded-Proto: http", want: 403},
	} {
		t.Run(name, func(t *testing.T) {
			var config Config
			m := mount(t, func(c0 *Config) {
				c0.PlainReaders, c0.TrustedProxies = c.plain, []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32")}
				config = *c0
			})
			page, err := config.openPage(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer page.Listener.Close()
			for name, way := range ways(m.token, m.fever) {
				r := httptest.NewRequest(way.method, way.target, strings.NewReader(way.body))
				r.RemoteAddr, r.Host = "192.0.2.7:5000", "node.example"
				for line := range strings.SplitSeq(way.header+"\n"+c.head, "\n") {
					if key, value, ok := strings.Cut(line, ": "); ok {
						r.Header.Set(key, value)
					}
				}
				if way.body != "" {
					r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				}
				w := httptest.NewRecorder()
				page.Handler.ServeHTTP(w, r)
				if w.Code != c.want || w.Code == 403 && !strings.Contains(w.Body.String(), "--allow-plain-readers") {
					t.Errorf("%s: %d %s", name, w.Code, w.Body)
				}
			}
			m.hasNoSecrets()
		})
	}
}

// A name that is not the node's is refused before anything else.
func TestReadersAskByAName(t *testing.T) {
	m := mount(t, nil)
	r, err := http.NewRequestWithContext(t.Context(), "GET", m.url+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	r.Header.Set("X-Auth-Token", m.token)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 421 {
		t.Errorf("%d", response.StatusCode)
	}
}

// routePattern is a pattern of a ServeMux as packages of interfaces write it.
var routePattern = regexp.MustCompile(`"(?:(?:GET|POST|PUT|PATCH|DELETE) )(/[^"]*)"`)

// No path of the page, the API, the proxy or the files is one of feed readers' paths, nor the reverse. No two of their
// APIs share one. What is beside their paths is answered as ever.
func TestReadersHavePathsOfTheirOwn(t *testing.T) {
	text, err := os.ReadFile("../../delivery/web/web.go")
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/", "/api/v1/", "/api/v1/channels", "/api/v1/entries/1", "/api/v1/stream", "/metrics", "/feed",
		"/feed?url=x", "/RPC2",
		"/files/x/y", "/assets/style.css", "/api/", "/api", "/v1", "/reader", "/reader/", "/accounts/", "/feverish",
		"/api/greader", "/api/fever"}
	pages := routePattern.FindAllStringSubmatch(string(text), -1)
	if len(pages) < 30 {
		t.Fatalf("the page has %d routes", len(pages))
	}
	for _, found := range pages {
		paths = append(paths, strings.NewReplacer("{$}", "", "{id}", "7", "{file}", "style.css").Replace(found[1]))
	}
	for _, path := range paths {
		path, _, _ = strings.Cut(path, "?")
		if provesItself(path) {
			t.Errorf("%s is one of what feed readers speak to", path)
		}
	}
	for _, path := range []string{"/reader/api/0/token", "/reader/atom/feed/1", "/accounts/ClientLogin",
		"/check/compatibility", "/api/greader.php",
		"/api/greader.php/reader/api/0/stream/contents/feed/https://x.example//y", "/fever", "/fever/",
		"/api/fever.php", "/api/fever.php/", "/v1/me",
		"/v1/", "//v1/me", "//reader/api/0/token", "//fever/"} {
		var of []int
		for i, api := range readerAPIs {
			if api.serves(path) {
				of = append(of, i)
			}
		}
		if len(of) != 1 {
			t.Errorf("%s belongs to %v", path, of)
		}
	}
	m := mount(t, nil)
	for target, want := range map[string]struct {
		code int
		text string
	}{
		"/api/v1/channels":            {200, "[]"},
		"/api/v1/me":                  {404, `"hint":"the routes are under /api/v1/"`},
		"/help":                       {200, "<!doctype html>"},
		"/feverish":                   {404, ""},
		"/v1":                         {404, ""},
		"/v1/nothing":                 {404, `"error_message"`},
		"/api/greader.php":            {200, "Google Reader API"},
		"/check/compatibility":        {200, "PASS"},
		"//check/compatibility":       {200, "PASS"},
		"/api/../check/compatibility": {307, ""}, // the client's own cleaning has not touched it
	} {
		code, text, _ := m.ask("GET", target, "Accept: text/html", "")
		if code != want.code || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d %.300s", target, code, text)
		}
	}
}

// If there is nothing below the paths of feed readers, they get 404 also from a node with a password, with a token or
// without. For 401 they would sign in again, and for 403 their owners would look for a proxy.
func TestReadersLearnThatThereIsNothing(t *testing.T) {
	m := mount(t, nil)
	if err := m.store.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/reader/api/0/preference/list", "/api/greader.php/reader/api/0/nothing",
		"/api/greader.php/nothing", "/reader/atom/",
		"/fever/nothing", "/api/fever.php/nothing", "/v1/nothing"} {
		for _, header := range []string{"", "Authorization: GoogleLogin auth=" + m.token} {
			for method, body := range map[string]string{"GET": "", "POST": "api_key=x"} {
				if code, text, _ := m.ask(method, target, header, body); code != 404 {
					t.Errorf("%s %s: %d %.300s", method, target, code, text)
				}
			}
		}
	}
	if code, _, _ := m.ask("GET", "/channels", "", ""); code != 401 {
		t.Errorf("the page asks for no password: %d", code)
	}
}

// Without a library, what feed readers speak to is not there, for those with a token either.
func TestReadersWithoutALibrary(t *testing.T) {
	m := mount(t, func(c *Config) { c.Library = nil })
	for name, way := range ways(m.token, m.fever) {
		if code, text, _ := m.ask(way.method, way.target, way.header, way.body); code != 404 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
}

// blocking is a library that answers once it may.
type blocking struct {
	readers.Library
	asked chan struct{}
	may   chan struct{}
}

func (b blocking) Feeds(ctx context.Context, p readers.Person) ([]readers.Feed, error) {
	b.asked <- struct{}{}
	<-b.may
	return b.Library.Feeds(ctx, p)
}

// A feed reader with a valid token keeps its connection until it has its answer, as signed-in browsers do.
func TestReadersKeepTheirConnections(t *testing.T) {
	for _, name := range []string{"X-Auth-Token", "Basic", "Fever"} {
		t.Run(name, func(t *testing.T) {
			b := blocking{asked: make(chan struct{}), may: make(chan struct{})}
			m := mount(t, func(c *Config) {
				c.Page = pageShare // one connection of each client
				b.Library = c.Library
				c.Library = b
			})
			way := ways(m.token, m.fever)[name]
			if name == "Basic" {
				way.target = "/v1/feeds"
			}
			answered := make(chan int)
			go func() {
				code, _, _ := m.ask(way.method, way.target, way.header, way.body)
				answered <- code
			}()
			<-b.asked
			if response, err := client.Get(m.url + "/check/compatibility"); err == nil {
				response.Body.Close()
				t.Errorf("one more connection is answered %d", response.StatusCode)
			}
			close(b.may)
			if code := <-answered; code != 200 {
				t.Errorf("the answer is %d", code)
			}
		})
	}
}
