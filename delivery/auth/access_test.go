package auth

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// The role decides which routes a person may use. A route that is in no table is for administrators.
func TestAdmits(t *testing.T) {
	reader := WithPerson(t.Context(), tidings.Person{ID: 2, Role: tidings.Reader})
	administrator := WithPerson(t.Context(), tidings.Person{ID: 3, Role: tidings.Administrator})
	poster := WithPerson(t.Context(), tidings.Person{ID: 3, Role: tidings.Poster, Posts: "Backups"})
	for _, c := range []struct {
		route                                 string
		nobody, poster, reader, administrator bool
	}{
		{"GET /login", true, true, true, true},
		{"GET /{$}", false, false, true, true},
		{"POST /api/v1/items", false, true, true, true},
		{"GET /status", false, false, false, true},
		{"GET /metrics/of/tomorrow", false, false, false, true},
		{"", false, false, false, true},
	} {
		got := [4]bool{Admits(t.Context(), c.route), Admits(poster, c.route), Admits(reader, c.route),
			Admits(administrator, c.route)}
		if got != [4]bool{c.nobody, c.poster, c.reader, c.administrator} {
			t.Errorf("%q admits nobody, posters, readers, administrators: %v", c.route, got)
		}
	}
	if !Administers(WithAccount(t.Context(), tidings.Owner)) || Administers(WithAccount(t.Context(), 2)) ||
		Administers(t.Context()) {
		t.Error("where nobody says a role, others than the owner are administrators, or the owner is none")
	}
	// A role that nobody knows, such as one of a later version, decides about nothing.
	if Administers(WithPerson(t.Context(), tidings.Person{ID: 4, Role: "king"})) {
		t.Error("an unknown role is an administrator's")
	}
}

// The guard names the person that sends a request, with the present role. A removed person is nobody.
func TestRolesOfNow(t *testing.T) {
	m := newMemory()
	m.password = fastHash
	secret, hash := NewToken()
	m.tokens[hash], m.owners = true, map[[32]byte]tidings.AccountID{hash: 2}
	m.others = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader}}
	g := newGuard(t, Config{Store: m})
	var who tidings.Person
	ask := func() int {
		who = tidings.Person{}
		h := g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { who, _ = Person(r.Context()) }))
		return sendTo(h, "GET", "/", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }).Code
	}
	if code := ask(); code != 200 || who != m.others[0] {
		t.Errorf("%d: %+v", code, who)
	}
	m.others[0].Role = tidings.Administrator
	if ask(); who.Role != tidings.Administrator {
		t.Errorf("after a change of role: %+v", who)
	}
	m.others = nil
	if code := ask(); code != http.StatusUnauthorized || who.ID != 0 {
		t.Errorf("who was removed: %d, %+v", code, who)
	}
}

// A token for posting makes its owner a poster, even the node's owner. A poster is admitted to posting alone.
func TestATokenForPosting(t *testing.T) {
	m := newMemory()
	m.password = fastHash
	secret, hash := NewToken()
	m.posts[hash] = "Backups"
	g := newGuard(t, Config{Store: m})
	var from tidings.Person
	var admitted []string
	h := g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		from, _ = Person(r.Context())
		admitted = nil
		for _, route := range Routes() {
			if Admits(r.Context(), route) && routes[route] != anybody {
				admitted = append(admitted, route)
			}
		}
	}))
	if w := sendTo(h, "GET", "/", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+secret)
	}); w.Code != http.StatusOK {
		t.Fatal(w.Code)
	}
	if want := (tidings.Person{ID: tidings.Owner, Name: OwnerName, Role: tidings.Poster,
		Posts: "Backups"}); from != want {
		t.Errorf("it comes from %+v", from)
	}
	if len(admitted) != 1 || admitted[0] != "POST /api/v1/items" {
		t.Errorf("admitted to %q", admitted)
	}
	other, _ := NewToken()
	if w := sendTo(h, "GET", "/", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+other)
	}); w.Code != http.StatusUnauthorized {
		t.Errorf("another token: %d", w.Code)
	}
}

// Each reader has so many requests a minute, whatever others send. The refusal says when to try again. Administrators
// have any number.
func TestReadersHaveAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.password = fastHash
		m.others = []tidings.Person{{ID: 2, Role: tidings.Reader}, {ID: 3, Role: tidings.Reader},
			{ID: 4, Role: tidings.Administrator}}
		m.owners = map[[32]byte]tidings.AccountID{}
		g := newGuard(t, Config{Store: m, ReaderRequests: 60})
		secrets := map[tidings.AccountID]string{}
		for _, account := range []tidings.AccountID{tidings.Owner, 2, 3, 4} {
			secret, hash := NewToken()
			m.tokens[hash], m.owners[hash], secrets[account] = true, account, secret
		}
		ask := func(account tidings.AccountID) (code int, retry string) {
			w := send(g, "GET", "/api/v1/channels", func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+secrets[account])
			})
			return w.Code, w.Header().Get("Retry-After")
		}
		for i := range 60 {
			if code, _ := ask(2); code != 200 {
				t.Fatalf("request %d: %d", i, code)
			}
		}
		for range 3 { // those that are refused cost nothing
			code, retry := ask(2)
			if seconds, err := strconv.Atoi(retry); code != http.StatusTooManyRequests || err != nil || seconds < 1 ||
				seconds > 2 {
				t.Errorf("%d, Retry-After %q", code, retry)
			}
		}
		if code, _ := ask(3); code != 200 {
			t.Errorf("another reader: %d", code)
		}
		for range 200 {
			for _, account := range []tidings.AccountID{tidings.Owner, 4} {
				if code, _ := ask(account); code != 200 {
					t.Fatalf("administrator %d: %d", account, code)
				}
			}
		}
		time.Sleep(time.Second)
		if code, _ := ask(2); code != 200 {
			t.Errorf("a second later: %d", code)
		}
		if code, _ := ask(2); code != http.StatusTooManyRequests {
			t.Errorf("a second has more than one request: %d", code)
		}
	})
}
