package api

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

// The package's comment lists all routes, each with all of its parameters, and no others.
func TestDocumentedRoutes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "api.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string][]string)
	doc := file.Doc.Text()
	for _, m := range regexp.MustCompile(`(?m)^\t(GET|POST|PUT|PATCH|DELETE) +(\S+)`).FindAllStringSubmatch(doc, -1) {
		path, query, _ := strings.Cut(m[2], "?")
		var names []string
		for _, p := range regexp.MustCompile(`([a-z]+)=`).FindAllStringSubmatch(query, -1) {
			names = append(names, p[1])
		}
		documented[m[1]+" "+strings.NewReplacer("/ID", "/{id}", "/NAME", "/{name}").Replace(path)] = names
	}
	for path, methods := range (&handler{}).routes() {
		for method := range methods {
			route := method + " " + path
			names, ok := documented[route]
			if !ok {
				t.Errorf("%s is not documented", route)
			}
			slices.Sort(names)
			known := slices.Sorted(slices.Values(parameters[route]))
			if !slices.Equal(names, known) {
				t.Errorf("%s has the parameters %v, and documented are %v", route, known, names)
			}
			delete(documented, route)
		}
	}
	if len(documented) > 0 {
		t.Errorf("there are no routes %v", slices.Sorted(maps.Keys(documented)))
	}
	for path, methods := range (&handler{Config: Config{Local: true}}).routes() {
		for method := range methods {
			name := strings.NewReplacer("{id}", "ID", "{name}", "NAME").Replace(path)
			if !strings.Contains(strings.Join(strings.Fields(doc), " "), name) {
				t.Errorf("%s %s is not documented", method, path)
			}
		}
	}
}

// lender is a store of a guard, with no password and no tokens.
type lender struct{ auth.Store }

func (lender) PasswordHash(context.Context, tidings.AccountID) (string, error) { return "", nil }
func (lender) Person(context.Context, tidings.AccountID) (tidings.Person, error) {
	return tidings.Person{ID: tidings.Owner, Role: tidings.Administrator}, nil
}
func (lender) Token(context.Context, [32]byte) (tidings.AccountID, error) {
	return 0, tidings.ErrNotFound
}

// slow is a body that does not come in time.
type slow struct{}

func (slow) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
func (slow) Close() error             { return nil }

// Each status that docs/api.md promises results from the described cause, behind the guard as on a node. No other
// status is promised.
func TestDocumentedStatuses(t *testing.T) {
	f := filled()
	f.follow(tidings.Owner,
		tidings.Subscription{Channel: tidings.Channel{URL: "https://news.example/b", Site: "https://news.example/"}})
	config := configOf(f)
	config.Local = false
	guarded := func(c Config) http.Handler {
		guard, err := auth.New(auth.Config{Store: lender{}})
		if err != nil {
			t.Fatal(err)
		}
		return guard.Handler(New(c))
	}
	h := guarded(config)
	full := func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answers := memory.New(memory.Least, nil)
			other, _ := answers.Begin(context.Background(), memory.Socket)
			if err := memory.Of(other).Hold(memory.Least); err != nil {
				t.Error(err)
			}
			ctx, end := answers.Begin(r.Context(), memory.Remote)
			defer end()
			h.ServeHTTP(w, r.WithContext(ctx))
		})
	}()
	failing := filled()
	failing.previewErr = errors.New("no such host")
	broken := filled()
	broken.readErr = errors.New("the disk")
	diskFull, diskFails := filled(), filled()
	diskFull.readErr, diskFails.readErr = tidings.ErrDiskFull, tidings.ErrDisk
	const known, form = "tdg_x", "application/x-www-form-urlencoded"
	request := func(method, target, body string, header ...string) *http.Request {
		r := httptest.NewRequest(method, "http://localhost"+Base+target, strings.NewReader(body))
		if method != "GET" && method != "DELETE" {
			r.Header.Set("Content-Type", typeJSON)
		}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	// A flood goes on until it is refused. How many wrong tokens that needs depends on the machine's pace.
	checks := guarded(config)
	flood := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 100_000 {
			one := httptest.NewRecorder()
			if checks.ServeHTTP(one, r); one.Code != http.StatusUnauthorized {
				maps.Copy(w.Header(), one.Header())
				w.WriteHeader(one.Code)
				_, _ = w.Write(one.Body.Bytes())
				return
			}
		}
	})
	late := request("POST", "channels", "")
	late.Body = slow{}
	wrongHost := request("GET", "channels", "")
	wrongHost.Host = "news.attacker.example"
	tried := make(map[int]bool)
	for _, c := range []struct {
		status  int
		handler http.Handler
		request *http.Request
		retry   bool // Retry-After is promised
	}{
		{200, h, request("GET", "channels", ""), false},
		{201, h, request("POST", "channels", `{"url":"https://new.example/"}`), false},
		{204, h, request("POST", "entries/star", `{"item":1,"starred":true}`), false},
		{400, h, request("GET", "updates?limt=5", ""), false},
		{400, h, request("POST", "channels", `{"uri":"https://new.example/"}`), false},
		{401, h, request("GET", "channels", "", "Authorization", "Bearer "+known), false},
		{403, h, request("POST", "channels", `{"url":"https://new.example/"}`, "Origin", "https://evil.example"),
			false},
		{404, h, request("GET", "channel?url=https://x.example/", ""), false},
		{404, h, request("GET", "nothing", ""), false},
		{405, h, request("PUT", "channels", "{}"), false},
		{408, h, late, false},
		{409, h, request("GET", "channel?url=https://news.example/", ""), false},
		{413, h, request("POST", "channels", `{"url":"`+strings.Repeat("x", maxBody)+`"}`), false},
		{413, h, request("POST", "opml", strings.Repeat(" ", maxOPML+1), "Content-Type", typeOPML), false},
		{415, h, request("POST", "channels", "url=https://new.example/", "Content-Type", form), false},
		{415, h, request("POST", "channels", "{}", "Content-Type", "text/plain"), false},
		{416, h, request("GET", "stream?after=99", ""), false},
		{421, h, wrongHost, false},
		{429, flood, request("GET", "channels", "", "Authorization", "Bearer "+known), true},
		{500, guarded(configOf(broken)), request("GET", "updates", ""), false},
		{502, guarded(configOf(failing)), request("POST", "preview", `{"url":"https://new.example/"}`), false},
		{503, h, request("GET", "peers", ""), false},
		{503, full, request("GET", "stream?after=0", ""), true},
		{503, guarded(configOf(diskFails)), request("GET", "updates", ""), false},
		{507, guarded(configOf(diskFull)), request("GET", "updates", ""), false},
	} {
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, c.request)
		tried[c.status] = true
		if w.Code != c.status || w.Header().Get("Retry-After") != "" != c.retry {
			t.Errorf("%s %s: %d %s, Retry-After %q; want %d", c.request.Method, c.request.URL.Path, w.Code, w.Body,
				w.Header().Get("Retry-After"), c.status)
		}
		if c.status >= 400 && !strings.HasPrefix(w.Body.String(), `{"error":"`) {
			t.Errorf("%s %s: no error object: %s", c.request.Method, c.request.URL.Path, w.Body)
		}
	}
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[int]bool)
	for _, m := range regexp.MustCompile(`\b([2345][0-9][0-9]):\s`).FindAllStringSubmatch(string(text), -1) {
		status, err := strconv.Atoi(m[1])
		said[status] = true
		if err != nil || !tried[status] {
			t.Errorf("docs/api.md promises %s, which nothing here gives", m[1])
		}
	}
	for status := range tried {
		if !said[status] {
			t.Errorf("docs/api.md does not say when the status is %d", status)
		}
	}
}
