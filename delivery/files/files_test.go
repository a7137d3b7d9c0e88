package files

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/view"
)

type source map[tidings.AccountID]map[string]view.OpenedFile

func (s source) OpenFile(_ context.Context, account tidings.AccountID, ref string) (view.OpenedFile, error) {
	if ref == "broken" {
		return view.OpenedFile{}, errors.New("the disk is broken")
	}
	f, ok := s[account][ref]
	if !ok {
		return view.OpenedFile{}, tidings.ErrNotFound
	}
	f.Content = strings.NewReader("0123456789")
	return f, nil
}

// ask returns how the handler answers an account; 0 is nobody.
func ask(account tidings.AccountID, method, path string, header ...string) *http.Response {
	d := New(Config{Source: source{1: {
		"ab": {Name: "a.html", Type: "text/html; charset=utf-8", Changed: time.Unix(1e9, 0)},
		"cd": {Name: "file", Type: "x\r\ny"},
	}}, Logger: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if account != 0 {
		r = r.WithContext(auth.WithAccount(r.Context(), account))
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result()
}

// A file is sent to be saved, in whole or in part, to a requester that may have it.
func TestDownload(t *testing.T) {
	for _, test := range []struct {
		name    string
		account tidings.AccountID
		method  string
		path    string
		header  []string
		status  int
		body    string
	}{
		{"whole", 1, "GET", "/files/ab/a.html", nil, 200, "0123456789"},
		{"without a name", 1, "GET", "/files/ab", nil, 200, "0123456789"},
		{"a part", 1, "GET", "/files/ab/a.html", []string{"Range", "bytes=3-5"}, 206, "345"},
		{"the end", 1, "GET", "/files/ab/a.html", []string{"Range", "bytes=-2", "If-Range", `"ab"`}, 206, "89"},
		{"a part of another", 1, "GET", "/files/ab/a.html", []string{"Range", "bytes=3-5", "If-Range", `"xx"`}, 200,
			"0123456789"},
		{"beyond the end", 1, "GET", "/files/ab/a.html", []string{"Range", "bytes=30-"}, 416, ""},
		{"held", 1, "GET", "/files/ab/a.html", []string{"If-None-Match", `"ab"`}, 304, ""},
		{"its head", 1, "HEAD", "/files/ab/a.html", nil, 200, ""},
		{"another's", 2, "GET", "/files/ab/a.html", nil, 404, ""},
		{"nobody", 0, "GET", "/files/ab/a.html", nil, 401, ""},
		{"none", 1, "GET", "/files/ef/a.html", nil, 404, ""},
		{"no name of one", 1, "GET", "/files/../../etc/passwd", nil, 404, ""},
		{"nothing", 1, "GET", "/files/", nil, 404, ""},
		{"broken", 1, "GET", "/files/broken/x", nil, 500, ""},
		{"written", 1, "POST", "/files/ab/a.html", nil, 405, ""},
	} {
		got := ask(test.account, test.method, test.path, test.header...)
		body, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode != test.status || test.body != "" && string(body) != test.body {
			t.Errorf("%s: %d, %q", test.name, got.StatusCode, body)
		}
		if got.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", test.name, got.Header)
		}
		if body := string(body); test.status >= 400 && strings.Contains(body, "0123") {
			t.Errorf("%s: %s", test.name, body)
		}
	}
}

// What a publisher says of a file cannot make more of the answer than a file to be saved.
func TestHeaders(t *testing.T) {
	for path, want := range map[string][2]string{
		"/files/ab/<script>": {"text/html; charset=utf-8", "attachment; filename=a.html"},
		"/files/cd/x":        {"application/octet-stream", "attachment; filename=file"},
	} {
		h := ask(1, "GET", strings.ReplaceAll(path, "<script>", "%3Cscript%3E")).Header
		if got := [2]string{h.Get("Content-Type"), h.Get("Content-Disposition")}; got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got, want := Path("ab", "a b/ä.mp3"), "/files/ab/a%20b%2F%C3%A4.mp3"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// hostile 64: one account's downloads leave room for others', and all of them have a bound.
func TestDownloadsOfOneAccountLeaveRoomForOthers(t *testing.T) {
	opened, wait := make(chan struct{}), make(chan struct{})
	d := New(Config{Source: slow{opened, wait}, Logger: slog.New(slog.DiscardHandler)})
	var under sync.WaitGroup
	ask := func(account tidings.AccountID) int {
		r := httptest.NewRequest("GET", "/files/ab", nil)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), account)))
		if w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
			t.Error("it is not said when to come again")
		}
		return w.Code
	}
	begin := func(account tidings.AccountID) {
		under.Go(func() {
			if code := ask(account); code != 200 {
				t.Errorf("a download of account %d: %d", account, code)
			}
		})
		<-opened
	}
	accounts := maxDownloads / maxOwn
	for account := range accounts {
		for range maxOwn {
			begin(tidings.AccountID(account + 1))
		}
		if code := ask(tidings.AccountID(account + 1)); code != http.StatusServiceUnavailable {
			t.Errorf("one more of account %d: %d", account+1, code)
		}
	}
	if code := ask(tidings.AccountID(accounts + 1)); code != http.StatusServiceUnavailable {
		t.Errorf("one more of another, when all places are taken: %d", code)
	}
	close(wait)
	under.Wait()
	begin(1)
	under.Wait()
}

// slow has a file. Opening it lasts until wait is closed.
type slow struct{ opened, wait chan struct{} }

func (s slow) OpenFile(context.Context, tidings.AccountID, string) (view.OpenedFile, error) {
	s.opened <- struct{}{}
	<-s.wait
	return view.OpenedFile{Name: "a", Content: strings.NewReader("a")}, nil
}
