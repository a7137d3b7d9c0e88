package origin

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestControls(t *testing.T) {
	f := start(t, 0)
	f.must(f.Add("a b", history(3), Options{}))
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"POST", "/-/step?name=a+b", 200, `{"name":"a b","state":1,"states":3}`},
		{"POST", "/-/set?name=a+b&state=2", 200, `"state":2`},
		{"GET", "/-/state?name=a+b", 200, `"state":2`},
		{"POST", "/-/step?name=a+b", 409, "no such state"},
		{"POST", "/-/set?name=a+b&state=x", 400, "not a number"},
		{"POST", "/-/step?name=c", 404, "no such document"},
		{"GET", "/-/step?name=a+b", 405, "use POST"},
		{"POST", "/-/fault?name=a+b&kind=503&n=1&value=7", 200, `"state":2`},
		{"GET", "/a%20b", 503, "Service Unavailable"},
		{"GET", "/a%20b", 200, "<item>2</item>"},
		{"POST", "/-/fault?name=a+b&kind=410", 200, ""},
		{"POST", "/-/fault?name=a+b&kind=none", 200, ""},
		{"POST", "/-/fault?name=a+b&kind=magic", 400, "magic"},
		{"GET", "/a%20b", 200, "<item>2</item>"},
		{"GET", "/-/changes?name=a+b", 200, `{"state":2,`},
		{"GET", "/-/counts", 200, `"requests":3`},
		{"GET", "/-/faults", 200, `"bomb"`},
		{"GET", "/-/other", 404, "no such control"},
	} {
		r, body := f.do(c.method, c.path)
		if r.StatusCode != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.StatusCode, body)
		}
	}
	_, log := f.get("/-/log?name=a+b")
	lines := strings.Split(strings.TrimSpace(log), "\n")
	var first Request
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || len(lines) != 3 || first.Status != 503 ||
		first.Fault != "503" {
		t.Errorf("log %v: %s", err, log)
	}
}

func TestRunServesAFolderUntilItIsStopped(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"one/dense/0001-1000000000.xml":   "<rss/>",
		"one/dense/0002-1000000100.xml":   "<rss></rss>",
		"two/sparse/0001-1000000000.html": "<p>",
		"ignored/readme.txt":              "x",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listening := make(chan string, 1)
	logger := slog.New(slog.NewTextHandler(writerFunc(func(b []byte) {
		if line := string(b); strings.Contains(line, "origin listens") {
			_, rest, _ := strings.Cut(line, "url=")
			url, _, _ := strings.Cut(rest, " ")
			listening <- url
		}
	}), nil))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, RunConfig{Replay: dir, Listen: "127.0.0.1:0", Logger: logger})
	}()
	var url string
	select {
	case url = <-listening:
	case err := <-ended:
		t.Fatal(err)
	}
	for name, want := range map[string]int{"one": 200, "two": 200, "ignored": 404} {
		r, err := http.Get(url + name)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }

func TestRunSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]RunConfig{
		"no such file":      {Replay: filepath.Join(t.TempDir(), "x"), Listen: "127.0.0.1:0"},
		"no history inside": {Replay: t.TempDir(), Listen: "127.0.0.1:0"},
		"speed":             {Replay: t.TempDir(), Listen: "127.0.0.1:0", Speed: -1},
		"address":           {Replay: t.TempDir(), Listen: "nowhere"},
	} {
		c.Logger = slog.New(slog.DiscardHandler)
		if err := Run(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestListenAndServeReportsItsAddress(t *testing.T) {
	o := New(Config{})
	if err := o.AddStatic("s", "text/plain", []byte("x"), Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	address := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	go func() { ended <- o.ListenAndServe(ctx, "127.0.0.1:0", func(a net.Addr) { address <- a }) }()
	r, err := http.Get("http://" + (<-address).String() + "/s")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestMadeFeedsDifferByOneItem(t *testing.T) {
	f := MakeFeed(7, 20, 20_000)
	zero, one := f.State(0), f.State(1)
	if !bytes.Equal(zero, MakeFeed(7, 20, 20_000).State(0)) {
		t.Error("not the same twice")
	}
	if n := len(zero); n < 19_000 || n > 21_000 {
		t.Errorf("%d bytes, asked for 20,000", n)
	}
	added, ok := without(one, zero)
	if !ok || bytes.Count(added, []byte("<item>")) != 1 {
		t.Errorf("added:\n%s", added)
	}
	gone, ok := without(zero, one)
	if !ok || bytes.Count(gone, []byte("<item>")) != 1 {
		t.Errorf("gone:\n%s", gone)
	}
	if bytes.Equal(MakeFeed(8, 20, 20_000).State(0), zero) {
		t.Error("seeds do not matter")
	}
}

func TestEachRequestChanges(t *testing.T) {
	f := start(t, 0)
	f.must(f.AddFeed("f", MakeFeed(1, 5, 1000), Options{EachRequest: true}))
	etag := ""
	for range 3 {
		r, _ := f.get("/f", "If-None-Match", etag)
		if r.StatusCode != 200 || r.Header.Get("ETag") == etag {
			t.Errorf("%d %v", r.StatusCode, r.Header)
		}
		etag = r.Header.Get("ETag")
	}
	if r, _ := f.do(http.MethodHead, "/f", "If-None-Match", etag); r.StatusCode != 304 {
		t.Errorf("HEAD: %d", r.StatusCode)
	}
	f.clock.Advance(time.Second)
}
