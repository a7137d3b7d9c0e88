package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/delivery/web/filters"
	"tidings/delivery/web/networkroom"
	"tidings/delivery/web/shell"
)

// Each route of the page is classified as one for administrators, for all or for anybody, and no other is.
func TestRoutesAreClassified(t *testing.T) {
	all := []string{"GET /login", "POST /login", "POST /login/passkey", "POST /login/passkey/options",
		"GET " + openid.BeginPath, "GET " + openid.ReturnPath,
		"GET /assets/{file}"} // for anybody
	for route := range handlersOf(&site{}) {
		all = append(all, route)
	}
	for route := range filters.Handlers(shell.Shell{}, nil, nil) {
		all = append(all, route)
	}
	for route := range networkroom.Handlers(networkroom.Config{}) {
		all = append(all, route)
	}
	for _, route := range all {
		if !auth.Classified(route) {
			t.Errorf("nobody has decided for whom %s is: say so in the table of package auth", route)
		}
	}
	for _, route := range auth.Routes() {
		method, path, _ := strings.Cut(route, " ")
		path, _, _ = strings.Cut(path, " ") // what else a route does
		ofPage := (method == "GET" || method == "POST") && !strings.HasPrefix(path, "/api/") || route == "/"
		if ofPage && route != "/" && !slices.Contains(all, method+" "+path) {
			t.Errorf("%s is classified, and there is no such route", route)
		}
	}
}

// signedIn is a visitor with the session of a person.
func signedIn(t *testing.T, f *fake, name string) *visitor {
	t.Helper()
	v := visit(t, f, true)
	v.goesTo(v.post("/login", "name", name, "password", "secret word"), "/")
	return v
}

// A reader is refused, in words, what is for administrators, and the page shows no way there.
func TestReadersSeeNoAdministration(t *testing.T) {
	f := pushedAs(tidings.PushAlarm)()
	f.password = cheapHash
	f.people = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader},
		{ID: 3, Name: "bob", Role: tidings.Administrator}}
	for route := range handlersOf(&site{}) {
		method, path, _ := strings.Cut(route, " ")
		if route == "/" || strings.HasSuffix(path, "/events") || path == "/logout" {
			continue // there is nothing, or it does not end, or it ends the session
		}
		path = strings.NewReplacer("{$}", "", "{id}", "1", "{name}", "bob").Replace(path)
		for _, name := range []string{"ann", "bob"} {
			v := signedIn(t, f, name)
			var code int
			var body string
			if method == "GET" {
				w := v.get(path)
				code, body = w.Code, w.Body.String()
			} else if path == "/people/remove" {
				continue // below
			} else {
				w := v.post(path, "name", "nobody")
				code, body = w.Code, w.Body.String()
			}
			refused := code == http.StatusForbidden && strings.Contains(body, "for its administrators")
			person := tidings.Person{ID: 2, Role: tidings.Reader}
			if name == "bob" {
				person.Role = tidings.Administrator
			}
			if want := !auth.Admits(auth.WithPerson(t.Context(), person), route); refused != want {
				t.Errorf("%s is refused %s: %v (%d), want %v", name, route, refused, code, want)
			}
		}
	}
	ann, bob := signedIn(t, f, "ann"), signedIn(t, f, "bob")
	if w := ann.post("/people/remove", "name", "bob"); w.Code != http.StatusForbidden || len(f.people) != 2 {
		t.Errorf("a reader removes somebody: %d", w.Code)
	}
	for _, do := range []string{"privacy", "options", "trust", "distrust"} {
		if w := ann.post("/channel", "url", "https://kernel.example/headlines/rss", "do", do, "privacy",
			"public"); w.Code != http.StatusForbidden {
			t.Errorf("a reader does %s: %d", do, w.Code)
		}
	}
	forAdministrators := []string{`"/network`, `"/status`, `"/people`, `"/node?`, `value="trust"`, `value="distrust"`,
		`value="privacy"`, `value="options"`, "go to the network"}
	found := make(map[string]bool)
	for _, path := range allPaths {
		if strings.HasPrefix(path, "/network") || path == "/status" || path == "/people" {
			continue
		}
		text, administrators := ann.get(path).Body.String(), bob.get(path).Body.String()
		for _, mark := range forAdministrators {
			if strings.Contains(text, mark) {
				t.Errorf("%s shows a reader %s", path, mark)
			}
			found[mark] = found[mark] || strings.Contains(administrators, mark)
		}
	}
	for _, mark := range forAdministrators {
		if !found[mark] {
			t.Errorf("no page shows administrators %s", mark)
		}
	}
}

// An administrator adds a person, changes the role and the password, and removes the person. The person signs in by
// name.
func TestPeoplePage(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	if text := v.get("/people").Body.String(); !strings.Contains(text, "You have no password yet") ||
		strings.Contains(text, `action="/people"`) {
		t.Error("somebody can be added while the owner has no password")
	}
	f.password = cheapHash
	v = signedIn(t, f, "owner")
	if text := v.get("/login").Body.String(); strings.Contains(text, `name="name" maxlength`) {
		t.Error("a name is asked for where one person uses the node")
	}
	for _, c := range []struct{ name, password, says string }{
		{"a b", "long enough", "letters a to z"}, {"ann", "short", "at least"},
		{"OWNER", "long enough", "There is somebody of that name."},
	} {
		w := v.post("/people", "name", c.name, "password", c.password, "role", "reader")
		sound(t, "/people", w.Body.String())
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), c.says) ||
			len(f.people) != 0 {
			t.Errorf("adding %q with %q: %d, want it to say %q", c.name, c.password, w.Code, c.says)
		}
	}
	v.goesTo(v.post("/people", "name", "ann", "password", "long enough", "role", "reader"), "/people?said=added")
	stranger := visit(t, f, true)
	if text := stranger.get("/login").Body.String(); !strings.Contains(text, `name="name" maxlength`) {
		t.Error("no name is asked for where two use the node")
	}
	if w := stranger.post("/login", "name", "ann", "password", "wrong"); !strings.Contains(w.Body.String(),
		"That is not a name and its password.") {
		t.Errorf("a wrong password: %d", w.Code)
	}
	settings := signedIn(t, f, "Ann").get("/settings").Body.String()
	if !strings.Contains(settings, "signed in as <b>ann</b>, a reader") || !strings.Contains(settings, `value="ann"`) ||
		!strings.Contains(settings, "Firefox on Linux") {
		t.Error("the settings do not say whose they are, or in which browsers")
	}
	v.goesTo(v.post("/people/role", "name", "ann", "role", "administrator"), "/people?said=role")
	if f.people[0].Role != tidings.Administrator {
		t.Errorf("ann is %s", f.people[0].Role)
	}
	v.goesTo(v.post("/people/password", "name", "ann", "password", "long enough"), "/people?said=repassword")
	if w := v.post("/people/password", "name", "owner", "password", "long enough"); w.Code != http.StatusBadRequest {
		t.Errorf("an owner's password without the old one: %d", w.Code)
	}
	confirm := v.get("/people/remove/ann")
	sound(t, "/people/remove/ann", confirm.Body.String())
	if !strings.Contains(confirm.Body.String(), "Remove ann?") || len(f.people) != 1 {
		t.Error("nobody asks whether ann is to be removed")
	}
	v.goesTo(v.post("/people/remove", "name", "ann"), "/people?said=gone")
	if len(f.people) != 0 {
		t.Error("ann is there")
	}
	v.goesTo(v.post("/settings/sessions/end", "id", "0102"), "/settings?said=ended")
	if !slices.Equal(f.ended, []string{"0102"}) {
		t.Errorf("ended %q", f.ended)
	}
}

// withPasskeys is sample with a password, and passkeys of the owner at two hosts.
func withPasskeys() *fake {
	f := sample()
	f.password = cheapHash
	mine := tidings.PasskeyCredential{Account: tidings.Owner}
	f.passkeys = []tidings.Passkey{
		{ID: 1, Name: "the phone", Host: "localhost", Created: time.Now().Add(-48 * time.Hour),
			Used: time.Now().Add(-time.Hour), Credential: mine},
		{ID: 2, Name: strings.Repeat("a-long-name", 7), Host: strings.Repeat("long-label.", 9) + "example",
			Created: time.Now(), Credential: mine},
		{ID: 3, Name: "of bob", Host: "localhost", Created: time.Now(),
			Credential: tidings.PasskeyCredential{Account: 3}},
	}
	return f
}

// Settings lists one's own passkeys and removes them; the page to sign in offers one where it can work. What hinders is
// said.
func TestPasskeysPage(t *testing.T) {
	f := withPasskeys()
	v := signedIn(t, f, "owner")
	v.host = "localhost:7600"
	text := v.get("/settings").Body.String()
	sound(t, "/settings", text)
	for _, want := range []string{"the phone", "for localhost", "never used", `data-passkey="add"`, "data-confirm",
		"Passkeys stay"} {
		if !strings.Contains(text, want) {
			t.Errorf("settings lack %q", want)
		}
	}
	if strings.Contains(text, "of bob") {
		t.Error("settings show somebody else's passkey")
	}
	stranger := visit(t, f, true)
	for host, want := range map[string]bool{"localhost:7600": true, "other.localhost": false, "127.0.0.1:7600": false} {
		stranger.host = host
		text := stranger.get("/login?next=/search").Body.String()
		sound(t, "/login", text)
		if offered := strings.Contains(text, `data-passkey="sign-in" data-next="/search" hidden`); offered != want {
			t.Errorf("at %s a passkey is offered: %v, want %v", host, offered, want)
		}
	}
	v.goesTo(v.post("/settings/passkeys/remove", "id", "3"), "/settings?said=nopasskey")
	if len(f.passkeys) != 3 {
		t.Error("somebody else's passkey is removed")
	}
	v.goesTo(v.post("/settings/passkeys/remove", "id", "1"), "/settings?said=nopasskey")
	if len(f.passkeys) != 2 || f.passkeys[0].ID != 2 {
		t.Errorf("left: %+v", f.passkeys)
	}
	if text := v.get("/settings").Body.String(); strings.Contains(text, "data-confirm") {
		t.Error("a passkey for another host can confirm")
	}
	v.host = ""
	if text := v.get("/settings").Body.String(); !strings.Contains(text, "Passkeys belong to a host name") ||
		strings.Contains(text, "data-passkey") {
		t.Error("by an address a passkey can be added, or nothing says why not")
	}
	for i := range tidings.MaxPasskeys {
		f.passkeys = append(f.passkeys, tidings.Passkey{ID: int64(10 + i), Name: "x", Host: "localhost",
			Credential: tidings.PasskeyCredential{Account: tidings.Owner}})
	}
	v.host = "localhost:7600"
	if text := v.get("/settings").Body.String(); !strings.Contains(text, "Remove one before you add another") ||
		strings.Contains(text, "data-passkey") {
		t.Error("more passkeys than can be are offered")
	}
	open := visit(t, sample(), false)
	open.host = "localhost:7600"
	if text := open.get("/settings").Body.String(); !strings.Contains(text, "Set a password first") ||
		strings.Contains(text, "data-passkey") {
		t.Error("a passkey can be added while there is no password")
	}
}

// withPeople is sample on a node that several people use. Its page needs no password.
func withPeople() *fake {
	f := sample()
	f.people = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader, Created: time.Now().Add(-48 * time.Hour)},
		{ID: 3, Name: strings.Repeat("long-name.", 6) + "@org", Role: tidings.Administrator, Created: time.Now()}}
	return f
}
