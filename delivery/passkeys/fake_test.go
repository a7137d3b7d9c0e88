package passkeys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// memory keeps people, sessions and passkeys, as simple as the contracts allow.
type memory struct {
	mu       sync.Mutex
	people   []tidings.Person
	sessions map[[32]byte]tidings.AccountID
	keys     []tidings.Passkey
	last     int64
	noPass   bool  // nobody has a password
	fail     error // what looking for a passkey answers, if set
}

var (
	_ Store      = (*memory)(nil)
	_ auth.Store = (*memory)(nil)
	_ Guard      = (*auth.Guard)(nil)
)

// cheapHash is a hash of the password "secret word" that is quick to check.
const (
	cheapHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$BEy7d5j3gE2sARNZNLy/d+7QhDnC9pvIkAtuQ5nbylk"
	password  = "secret word"
)

const ann, bob tidings.AccountID = 2, 3

func newMemory() *memory {
	return &memory{sessions: map[[32]byte]tidings.AccountID{}, people: []tidings.Person{
		{ID: tidings.Owner, Name: auth.OwnerName, Role: tidings.Administrator, Owner: true},
		{ID: ann, Name: "ann", Role: tidings.Reader}, {ID: bob, Name: "bob", Role: tidings.Reader}}}
}

func (m *memory) PostingToken(context.Context, [32]byte) (tidings.AccountID, string, error) {
	return 0, "", tidings.ErrNotFound
}

func (m *memory) Person(_ context.Context, account tidings.AccountID) (tidings.Person, error) {
	i := slices.IndexFunc(m.people, func(p tidings.Person) bool { return p.ID == account })
	if i < 0 {
		return tidings.Person{}, tidings.ErrNotFound
	}
	return m.people[i], nil
}

func (m *memory) People(context.Context) ([]tidings.Person, error) { return m.people, nil }

func (m *memory) Account(ctx context.Context, name string) (tidings.AccountID, string, error) {
	for _, p := range m.people {
		if p.Name == name {
			hash, err := m.PasswordHash(ctx, p.ID)
			return p.ID, hash, err
		}
	}
	return 0, "", tidings.ErrNotFound
}

func (m *memory) PasswordHash(ctx context.Context, account tidings.AccountID) (string, error) {
	if _, err := m.Person(ctx, account); err != nil || m.noPass {
		return "", err
	}
	return cheapHash, nil
}

func (m *memory) ChangePasswordHash(context.Context, tidings.AccountID, string) error {
	return errors.New("not here")
}

func (m *memory) CreateSession(_ context.Context, hash [32]byte, account tidings.AccountID, _ time.Time,
	_ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[hash] = account
	return nil
}

func (m *memory) Session(_ context.Context, hash [32]byte) (tidings.AccountID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if account, ok := m.sessions[hash]; ok {
		return account, nil
	}
	return 0, tidings.ErrNotFound
}

func (m *memory) DeleteSession(_ context.Context, hash [32]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, hash)
	return nil
}

// Token answers that every token is ann's.
func (m *memory) Token(context.Context, [32]byte) (tidings.AccountID, error) { return ann, nil }

func (m *memory) Secret(_ context.Context, account tidings.AccountID) ([]byte, error) {
	return bytes.Repeat([]byte{byte(account)}, 16), nil
}

func (m *memory) PasskeysOf(_ context.Context, account tidings.AccountID) (all []tidings.Passkey, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.keys {
		if p.Credential.Account == account {
			all = append(all, p)
		}
	}
	return all, nil
}

func (m *memory) at(id []byte) int {
	return slices.IndexFunc(m.keys, func(p tidings.Passkey) bool { return bytes.Equal(p.Credential.ID, id) })
}

func (m *memory) Passkey(_ context.Context, id []byte) (tidings.Passkey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.at(id); i >= 0 {
		return m.keys[i], m.fail
	}
	return tidings.Passkey{}, cmpOr(m.fail, tidings.ErrNotFound)
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (m *memory) HasPasskeysAt(_ context.Context, host string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.keys, func(p tidings.Passkey) bool { return p.Host == host }), nil
}

func (m *memory) AddPasskey(_ context.Context, p tidings.Passkey, session [32]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.sessions[session] != p.Credential.Account:
		return tidings.ErrNotFound
	case m.at(p.Credential.ID) >= 0:
		return tidings.ErrExists
	}
	m.last++
	p.ID, p.Created = m.last, time.Now()
	m.keys = append(m.keys, p)
	return nil
}

func (m *memory) UsePasskey(_ context.Context, id int64, counter uint32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, p := range m.keys {
		if before := p.Credential.Counter; p.ID == id && (counter > before || counter == 0 && before == 0) {
			m.keys[i].Credential.Counter, m.keys[i].Used = counter, time.Now()
			return nil
		}
	}
	return tidings.ErrNotFound
}

func (m *memory) RemovePasskey(_ context.Context, account tidings.AccountID, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.keys)
	m.keys = slices.DeleteFunc(m.keys, func(p tidings.Passkey) bool {
		return p.ID == id && p.Credential.Account == account
	})
	if len(m.keys) == before {
		return tidings.ErrNotFound
	}
	return nil
}

const home = "https://home.example"

// node is a guard and the passkeys behind it. TLS ends at it.
type node struct {
	t       *testing.T
	store   *memory
	keys    *Keys
	handler http.Handler
}

func newNode(t *testing.T, change ...func(*auth.Config)) *node {
	t.Helper()
	n := &node{t: t, store: newMemory()}
	c := auth.Config{Store: n.store, RequirePassword: true, Hosts: []string{"home.example", "other.example"},
		Open:    []string{"/login/"},
		Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for _, f := range change {
		f(&c)
	}
	guard, err := auth.New(c)
	if err != nil {
		t.Fatal(err)
	}
	n.keys = New(n.store, guard, slog.New(slog.NewTextHandler(io.Discard, nil)))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if err := guard.SignIn(w, r, r.FormValue("name"), r.FormValue("password")); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
		}
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		p, _ := auth.Person(r.Context())
		io.WriteString(w, p.Name)
	})
	mux.HandleFunc("POST /login/passkey/options", n.keys.SignInOptions)
	mux.HandleFunc("POST /login/passkey", n.keys.SignIn)
	mux.HandleFunc("POST /settings/passkeys/confirm", n.keys.ConfirmOptions)
	mux.HandleFunc("POST /settings/passkeys/options", n.keys.AddOptions)
	mux.HandleFunc("POST /settings/passkeys", n.keys.Add)
	n.handler = guard.Handler(mux)
	return n
}

// browser is one, with its cookies.
type browser struct {
	node    *node
	origin  string
	from    string // its address
	cookies map[string]*http.Cookie
	change  func(*http.Request)
}

func (n *node) browser(origin string) *browser {
	return &browser{node: n, origin: origin, from: "192.0.2.1", cookies: map[string]*http.Cookie{}}
}

// signedIn is a browser in which a person signed in by password.
func (n *node) signedIn(name string) *browser {
	n.t.Helper()
	b := n.browser(home)
	if code, text := b.send("POST", "/login", "application/x-www-form-urlencoded",
		"name="+name+"&password=secret+word"); code != 200 || b.me() != name {
		n.t.Fatalf("%s is not signed in: %d %s", name, code, text)
	}
	return b
}

func (b *browser) send(method, path, kind, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = strings.TrimPrefix(strings.TrimPrefix(b.origin, "https://"), "http://"), "127.0.0.1:50000"
	r.Header.Set("X-Forwarded-For", b.from)
	if strings.HasPrefix(b.origin, "https:") {
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	r.Header.Set("Origin", b.origin)
	r.Header.Set("Content-Type", kind)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	if b.change != nil {
		b.change(r)
	}
	w := httptest.NewRecorder()
	b.node.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
			continue
		}
		b.cookies[c.Name] = c
	}
	return w.Code, w.Body.String()
}

// me returns the name of the person signed in, or "".
func (b *browser) me() string {
	code, text := b.send("GET", "/me", "", "")
	if code != 200 {
		return ""
	}
	return text
}

func (b *browser) post(path string, body any) (int, string) {
	b.node.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.node.t.Fatal(err)
	}
	return b.send("POST", path, "application/json", string(text))
}

// options asks for the options of a ceremony, which it must get.
func (b *browser) options(path string, body any) (o options) {
	b.node.t.Helper()
	code, text := b.post(path, body)
	if err := json.Unmarshal([]byte(text), &o); code != 200 || err != nil || len(o.PublicKey.Challenge) < 43 {
		b.node.t.Fatalf("%s: %d %s, error %v", path, code, text, err)
	}
	return o
}

// add adds the passkey of a device.
func (b *browser) add(d *device) (int, string) {
	b.node.t.Helper()
	o := b.options("/settings/passkeys/options", map[string]string{"password": password})
	return b.post("/settings/passkeys", map[string]any{"name": "phone", "credential": d.make(o)})
}

// signIn signs in by the passkey of a device.
func (b *browser) signIn(d *device) (int, string) {
	b.node.t.Helper()
	return b.post("/login/passkey", d.sign(b.options("/login/passkey/options", nil)))
}

// enrolled returns a device with a passkey of a person.
func (n *node) enrolled(name string) *device {
	n.t.Helper()
	d := newDevice(n.t, home)
	if code, text := n.signedIn(name).add(d); code != 200 {
		n.t.Fatalf("adding a passkey of %s: %d %s", name, code, text)
	}
	return d
}

// responseOf returns what do writes.
func responseOf(do func(http.ResponseWriter)) *http.Response {
	w := httptest.NewRecorder()
	do(w)
	return w.Result()
}
