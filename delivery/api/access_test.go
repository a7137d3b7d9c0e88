package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
)

// allRoutes returns the routes of the API, as auth's table has them.
func allRoutes() (all []string) {
	for path, methods := range (&handler{Config: Config{Local: true}}).routes() {
		for method := range methods {
			all = append(all, method+" "+Base+path)
		}
	}
	return all
}

// Each route of the API is classified as one for administrators or for all, and no other is.
func TestRoutesAreClassified(t *testing.T) {
	all := allRoutes()
	for _, route := range all {
		if !auth.Classified(route) {
			t.Errorf("nobody has decided for whom %s is: say so in the table of package auth", route)
		}
	}
	for _, route := range auth.Routes() {
		method, path, _ := strings.Cut(route, " ")
		path, _, _ = strings.Cut(path, " ") // what else a route does
		if strings.HasPrefix(path, Base) && !slices.Contains(all, method+" "+path) {
			t.Errorf("%s is classified, and there is no such route", route)
		}
	}
}

// A reader gets 403 with a clear text for all that is for administrators, and nothing else does.
func TestReadersAreRefusedWhatIsForAdministrators(t *testing.T) {
	config := configOf(filled())
	h := New(config)
	ctx := func(role tidings.Role) func(route string) *http.Request {
		return func(route string) *http.Request {
			method, path, _ := strings.Cut(route, " ")
			path = strings.NewReplacer("{id}", "1", "{name}", "ann").Replace(path)
			r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader("{}"))
			r.Header.Set("Content-Type", typeJSON)
			return r.WithContext(auth.WithPerson(r.Context(), tidings.Person{ID: 2, Role: role}))
		}
	}
	refused := func(r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			return !auth.Admits(r.Context(), "GET "+r.URL.Path) // it would not end
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code == http.StatusForbidden && w.Body.String() == `{"error":"`+auth.Refusal+
			`","hint":"ask one of them"}`+"\n"
	}
	for _, route := range allRoutes() {
		reader, administrator := ctx(tidings.Reader)(route), ctx(tidings.Administrator)(route)
		if got, want := refused(reader), !auth.Admits(reader.Context(), route); got != want {
			t.Errorf("a reader is refused %s: %v, want %v", route, got, want)
		}
		if refused(administrator) {
			t.Errorf("an administrator is refused %s", route)
		}
	}
	for _, route := range []string{"GET /api/v1/status", "GET /api/v1/users", "POST /api/v1/trust",
		"POST /api/v1/joins", "GET /api/v1/tree"} {
		if !refused(ctx(tidings.Reader)(route)) {
			t.Errorf("a reader may %s", route)
		}
	}
}
