package auth

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
)

// memory is a Store with one account.
type memory struct {
	mu       sync.Mutex
	password string
	sessions map[[32]byte]time.Time
	tokens   map[[32]byte]bool
	posts    map[[32]byte]string // channels of tokens for posting, which are the owner's
	fail     error
	others   []tidings.Person               // besides the owner
	owners   map[[32]byte]tidings.AccountID // of tokens, if they are not the owner's
}

func newMemory() *memory {
	return &memory{sessions: map[[32]byte]time.Time{}, tokens: map[[32]byte]bool{}, posts: map[[32]byte]string{}}
}

func (m *memory) Account(_ context.Context, name string) (tidings.AccountID, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.people() {
		switch {
		case !strings.EqualFold(p.Name, name):
		case p.Owner:
			return p.ID, m.password, m.fail
		default:
			return p.ID, fastHash, m.fail
		}
	}
	return 0, "", tidings.ErrNotFound
}

func (m *memory) Person(_ context.Context, account tidings.AccountID) (tidings.Person, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.people() {
		if p.ID == account {
			return p, m.fail
		}
	}
	return tidings.Person{}, tidings.ErrNotFound
}

func (m *memory) People(context.Context) ([]tidings.Person, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.people(), m.fail
}

func (m *memory) people() []tidings.Person {
	return append([]tidings.Person{{ID: tidings.Owner, Name: OwnerName, Role: tidings.Administrator, Owner: true}},
		m.others...)
}

func (m *memory) PasswordHash(_ context.Context, account tidings.AccountID) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if account != tidings.Owner {
		return "", tidings.ErrNotFound
	}
	return m.password, m.fail
}

func (m *memory) ChangePasswordHash(_ context.Context, _ tidings.AccountID, hash string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.password = hash
	clear(m.sessions)
	return m.fail
}

func (m *memory) CreateSession(_ context.Context, hash [32]byte, _ tidings.AccountID, expires time.Time,
	_ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[hash] = expires
	return m.fail
}

func (m *memory) Session(_ context.Context, hash [32]byte) (tidings.AccountID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.sessions[hash]; !ok || !time.Now().Before(e) {
		return 0, tidings.ErrNotFound
	}
	return tidings.Owner, m.fail
}

func (m *memory) DeleteSession(_ context.Context, hash [32]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, hash)
	return m.fail
}

func (m *memory) PostingToken(_ context.Context, hash [32]byte) (tidings.AccountID, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if channel := m.posts[hash]; channel != "" {
		return tidings.Owner, channel, m.fail
	}
	return 0, "", tidings.ErrNotFound
}

func (m *memory) Token(_ context.Context, hash [32]byte) (tidings.AccountID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.tokens[hash] {
		return 0, tidings.ErrNotFound
	}
	return cmp.Or(m.owners[hash], tidings.Owner), m.fail
}

// fastHash is a hash of the password "secret word" that is cheap to check.
const fastHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$BEy7d5j3gE2sARNZNLy/d+7QhDnC9pvIkAtuQ5nbylk"

const fastPassword = "secret word"

func newGuard(t *testing.T, c Config) *Guard {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// whoami answers with the account that the guard vouched for.
var whoami = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if _, ok := Account(r.Context()); ok {
		w.Write([]byte("owner"))
		return
	}
	w.Write([]byte("nobody"))
})

// send passes a request through g, as from another process on this machine.
func send(g *Guard, method, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	return sendTo(g.Handler(whoami), method, target, change)
}

func sendTo(h http.Handler, method, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Host, r.RemoteAddr = "localhost:7600", "127.0.0.1:50000"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
