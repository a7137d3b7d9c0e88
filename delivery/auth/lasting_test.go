package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tidings"
)

// A stream ends when its admission is revoked. It continues as long as it is admitted, even if the store fails.
func TestStreamsEndWithWhatAdmittedThem(t *testing.T) {
	secret, token := NewToken()
	const session = "1700000000." + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	held, _ := sessionOf(requestWith(cookie(session)))
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		locked bool // a password is set
		end    func(m *memory)
	}{
		{"a session", cookie(session), true, func(m *memory) { delete(m.sessions, sessionHash(held.secret)) }},
		{"a token", header("Authorization", "Bearer "+secret), true, func(m *memory) { delete(m.tokens, token) }},
		{"no password", nil, false, func(m *memory) { m.password = fastHash }},
		{"another role", header("Authorization", "Bearer "+secret), true, func(m *memory) {
			m.others[0].Role = tidings.Reader
		}},
		{"a person", header("Authorization", "Bearer "+secret), true, func(m *memory) { m.others = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := newMemory()
			store.sessions[sessionHash(held.secret)] = time.Now().Add(time.Hour)
			store.tokens[token] = true
			store.others = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Administrator}}
			if c.name == "another role" || c.name == "a person" {
				store.owners = map[[32]byte]tidings.AccountID{token: 2}
			}
			if c.locked {
				store.password = fastHash
			}
			g := newGuard(t, Config{Store: store})
			g.again = 5 * time.Millisecond
			begun, ended := make(chan struct{}), make(chan struct{})
			h := g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
				close(ended)
			}))
			w, r := httptest.NewRecorder(), requestWith(c.change)
			go h.ServeHTTP(w, r)
			<-begun
			store.mu.Lock()
			store.fail = http.ErrServerClosed
			store.mu.Unlock()
			for range 10 { // times in which a stream is looked at
				time.Sleep(g.again)
			}
			select {
			case <-ended:
				t.Fatal("it ended while the store failed")
			default:
			}
			store.mu.Lock()
			store.fail = nil
			c.end(store)
			store.mu.Unlock()
			<-ended
		})
	}
}

// requestWith returns a request for a stream.
func requestWith(change func(*http.Request)) *http.Request {
	r := httptest.NewRequest("GET", "http://localhost/events", nil)
	r.RemoteAddr = "127.0.0.1:4000"
	if change != nil {
		change(r)
	}
	return r
}
