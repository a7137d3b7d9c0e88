package servers

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/delivery/files"
	"tidings/delivery/media"
	"tidings/delivery/metrics"
	"tidings/delivery/pictures"
	"tidings/delivery/proxy"
	"tidings/delivery/xmlrpc"
)

// Each path beside those of page and API is classified as one for administrators or for all. No other path is.
func TestPathsAreClassified(t *testing.T) {
	all := append(proxy.Paths(), proxy.OwnBase, files.Base, xmlrpc.Path, metrics.Path, media.Base, pictures.Base,
		pictures.IconBase)
	for _, path := range all {
		if !auth.Classified(path) {
			t.Errorf("nobody has decided for whom %s is: say so in the table of package auth", path)
		}
	}
	for _, route := range auth.Routes() {
		path, _, _ := strings.Cut(route, " ")
		if strings.HasPrefix(path, "/") && path != "/" && !slices.Contains(all, path) {
			t.Errorf("%s is classified, and there is no such path", route)
		}
		if method, path, ok := strings.Cut(route, " "); ok && strings.HasPrefix(path, "/") &&
			!strings.HasPrefix(path, api.Base) &&
			!slices.Contains([]string{"GET", "POST"}, method) {
			t.Errorf("%s is no route of the page", route)
		}
	}
}

// A person that is not admitted to a path is refused with a clear text. An admitted person gets its answer.
func TestAdmitted(t *testing.T) {
	h := admitted(metrics.Path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
	for role, want := range map[tidings.Role]int{tidings.Reader: http.StatusForbidden,
		tidings.Administrator: http.StatusOK} {
		r := httptest.NewRequest("GET", metrics.Path, nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(auth.WithPerson(r.Context(), tidings.Person{ID: 2, Role: role})))
		if w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), auth.Refusal) {
			t.Errorf("a %s is answered %d %s", role, w.Code, w.Body)
		}
	}
}
