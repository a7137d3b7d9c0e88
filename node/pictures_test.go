package node

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tidings"
)

// hostile 21: a picture of an article is asked for once, by the node, without a word of the reader. What is no picture
// is not passed on, and the node fetches nothing that no page of it shows.
func TestPicturesOfArticles(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := make(map[string][]http.Header)
	origin := httptest.NewUnstartedServer(nil)
	origin.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.RequestURI()] = append(asked[r.URL.RequestURI()], r.Header.Clone())
		mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "reader"})
		switch r.URL.Path {
		case "/feed":
			w.Header().Set("Content-Type", "application/rss+xml")
			text := html.EscapeString(
				fmt.Sprintf(`<img src="%[1]s/dot.png?w=3&utm_source=feed" alt="Dot"><img src="%[1]s/evil.png" alt="Evil"><img src="%[1]s/count.gif" width="1" height="1">`, origin.URL))
			io.WriteString(w, rss("<item><guid>1</guid><title>One</title><description>"+text+"</description></item>"))
		case "/dot.png":
			w.Header().Set("Content-Type", "text/html") // the bytes count
			w.Write(dot.Bytes())
		default:
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
		}
	})
	origin.Start()
	defer origin.Close()

	_, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"}); err != nil {
		t.Fatal(err)
	}
	status, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", status.Page+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", "secret=1")
		r.Header.Set("Referer", status.Page+"/entry/1")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(body)
	}
	page := func() [][]string {
		_, text := get("/entry/1")
		return regexp.MustCompile(`<img src="([^"]+)" alt="([^"]+)"([^>]*)>`).FindAllStringSubmatch(text, -1)
	}
	shown := page()
	if len(shown) != 2 || shown[0][2] != "Dot" || shown[1][2] != "Evil" || strings.Contains(shown[0][3], "width") {
		t.Fatalf("the page shows %q", shown)
	}
	for range 2 {
		res, body := get(shown[0][1])
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/png" || body != dot.String() ||
			len(res.Cookies()) > 0 {
			t.Errorf("the picture: %d %s, %d bytes", res.StatusCode, res.Header.Get("Content-Type"), len(body))
		}
		if res, body := get(shown[1][1]); res.StatusCode != 502 || strings.Contains(body, "svg") {
			t.Errorf("what is no picture: %d %s", res.StatusCode, body)
		}
	}
	if res, _ := get(shown[0][1][:len(shown[0][1])-1] + "B"); res.StatusCode != 403 {
		t.Errorf("an address that no page shows: %d", res.StatusCode)
	}
	if again := page(); !strings.Contains(again[0][3], `width="30" height="20"`) {
		t.Errorf("its size is not said: %q", again[0])
	}
	mu.Lock()
	defer mu.Unlock()
	for _, of := range []string{"/", "/favicon.ico"} { // the channel's icon
		if len(asked[of]) > 1 {
			t.Errorf("%s was asked for %d times", of, len(asked[of]))
		}
		delete(asked, of)
	}
	if len(asked["/dot.png?w=3"]) != 1 || len(asked["/evil.png"]) != 1 || len(asked["/count.gif"]) != 0 ||
		len(asked) != 3 {
		t.Errorf("the origin was asked for %v", asked)
	}
	for uri, headers := range asked {
		for _, h := range headers {
			if h.Get("Cookie")+h.Get("Referer") != "" {
				t.Errorf("%s was asked for with %v", uri, h)
			}
		}
	}
}

// Pictures lie at private addresses only where the node may ask origins there.
func TestPicturesAtPrivateAddresses(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		c := Default()
		c.AllowPrivateOrigins = allowed
		if got := c.pictureFetching(); got.AllowPrivate != allowed || got.Lab {
			t.Errorf("allowed %v: %+v", allowed, got)
		}
	}
	c := testConfig(t)
	c.PicturesQuota = 5
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "quota 5 of pictures") {
		t.Errorf("a quota of 5 bytes: %v", err)
	}
}

// hostile 21: a channel's icon comes from its site, asked for once and without a word of the reader. It is shown on the
// page once it is here. The node cannot be made to show another.
func TestIconsOfChannels(t *testing.T) {
	var icon bytes.Buffer
	if err := png.Encode(&icon, image.NewGray(image.Rect(0, 0, 20, 20))); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := make(map[string][]http.Header)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.RequestURI()] = append(asked[r.URL.RequestURI()], r.Header.Clone())
		mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "reader"})
		switch r.URL.Path {
		case "/feed":
			w.Header().Set("Content-Type", "application/rss+xml")
			io.WriteString(w, rss("<item><guid>1</guid><title>One</title></item>"))
		case "/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<!DOCTYPE html><title>A site</title><link rel="icon" href="lines.svg"><link rel="shortcut icon" href="mine.png">`)
		case "/mine.png":
			w.Write(icon.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	defer origin.Close()
	_, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"}); err != nil {
		t.Fatal(err)
	}
	status, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (code int, text string) {
		t.Helper()
		res, err := http.Get(status.Page + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	var path []string
	eventually(t, "an icon on the page", func() bool {
		_, text := get("/channels")
		path = regexp.MustCompile(`<img src="(/icons/[^"]+)"`).FindStringSubmatch(text)
		return path != nil
	})
	if code, body := get(path[1]); code != 200 || !strings.HasPrefix(body, "\x89PNG") {
		t.Errorf("the icon: %d, %d bytes", code, len(body))
	}
	if code, _ := get(path[1][:len(path[1])-1] + "_"); code != 403 {
		t.Errorf("an address that no page shows: %d", code)
	}
	for range 3 {
		get("/")
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked["/"]) != 1 || len(asked["/mine.png"]) != 1 || len(asked) != 3 {
		t.Errorf("the origin was asked for %v", asked)
	}
	for uri, headers := range asked {
		for _, h := range headers {
			if h.Get("Cookie")+h.Get("Referer") != "" {
				t.Errorf("%s was asked for with %v", uri, h)
			}
		}
	}
}
