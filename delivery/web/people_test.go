package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// Each route of the page is classified as one for administrators, for all or for anybody, and no other is.
func TestRoutesAreClassified(t *testing.T) {
	all := []string{"GET /login", "POST /login", "GET /assets/{file}"} // for anybody
	for route := range handlersOf(&site{}) {
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
	f.people = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader}, {ID: 3, Name: "bob", Role: tidings.Administrator}}
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
		if w := ann.post("/channel", "url", "https://kernel.example/headlines/rss", "do", do, "privacy", "public"); w.Code != http.StatusForbidden {
			t.Errorf("a reader does %s: %d", do, w.Code)
		}
	}
	forAdministrators := []string{`"/network`, `"/status`, `"/people`, `"/node?`, `value="trust"`, `value="distrust"`, `value="privacy"`, `value="options"`, "<kbd>n</kbd>"}
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

// An administrator adds a person, changes the role and the password, and removes the person. The person signs in by name.
func TestPeoplePage(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	if text := v.get("/people").Body.String(); !strings.Contains(text, "You have no password yet") || strings.Contains(text, `action="/people"`) {
		t.Error("somebody can be added while the owner has no password")
	}
	f.password = cheapHash
	v = signedIn(t, f, "owner")
	if text := v.get("/login").Body.String(); strings.Contains(text, `name="name" maxlength`) {
		t.Error("a name is asked for where one person uses the node")
	}
	for _, c := range []struct{ name, password, says string }{
		{"a b", "long enough", "letters a to z"}, {"ann", "short", "at least"}, {"OWNER", "long enough", "There is somebody of that name."},
	} {
		w := v.post("/people", "name", c.name, "password", c.password, "role", "reader")
		sound(t, "/people", w.Body.String())
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), c.says) || len(f.people) != 0 {
			t.Errorf("adding %q with %q: %d, want it to say %q", c.name, c.password, w.Code, c.says)
		}
	}
	v.goesTo(v.post("/people", "name", "ann", "password", "long enough", "role", "reader"), "/people?said=added")
	stranger := visit(t, f, true)
	if text := stranger.get("/login").Body.String(); !strings.Contains(text, `name="name" maxlength`) {
		t.Error("no name is asked for where two use the node")
	}
	if w := stranger.post("/login", "name", "ann", "password", "wrong"); !strings.Contains(w.Body.String(), "That is not a name and its password.") {
		t.Errorf("a wrong password: %d", w.Code)
	}
	settings := signedIn(t, f, "Ann").get("/settings").Body.String()
	if !strings.Contains(settings, "signed in as <b>ann</b>, a reader") || !strings.Contains(settings, `value="ann"`) || !strings.Contains(settings, "Firefox on Linux") {
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

// withPeople is sample on a node that several people use, and whose page needs no password.
func withPeople() *fake {
	f := sample()
	f.people = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader, Created: time.Now().Add(-48 * time.Hour)},
		{ID: 3, Name: strings.Repeat("long-name.", 6) + "@org", Role: tidings.Administrator, Created: time.Now()}}
	return f
}
