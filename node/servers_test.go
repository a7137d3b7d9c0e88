package node

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A new node that finds its port in use leaves nothing behind, neither in an existing directory nor by making one.
func TestATakenPortLeavesNothingBehind(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	there := t.TempDir()
	c := Default()
	c.HTTP, c.NoNetwork = taken.Addr().String(), true
	for _, c.Data = range []string{there, filepath.Join(there, "deeper", "data")} {
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Run(t.Context()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the node ended with: %v", err)
		}
		if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, error %v", left, err)
		}
	}
}

// hostile 59: odd paths, and SQL in place of names and addresses, find nothing and change nothing. They are no error of
// the node's.
func TestHostile59OddRequests(t *testing.T) {
	w := watchFeed(t)
	sql := url.QueryEscape(`x' OR '1'='1'; DROP TABLE channel; --`)
	long := strings.Repeat("9", 5000)
	for path, want := range map[string]int{
		"/api/v1/entries/..%2f..%2fstatus":         404,
		"/api/v1/entries/1%00":                     404,
		"/api/v1/entries/-1":                       404,
		"/api/v1/entries/" + long:                  404,
		"/api/v1/entries/1%20OR%201=1":             404,
		"/api/v1/updates/0x1":                      404,
		"/api/v1/nothing":                          404,
		"/api/v1/entries?after=" + long:            400,
		"/api/v1/entries?limit=1000000":            400,
		"/api/v1/entries?channel=" + sql:           400,
		"/api/v1/entries?channel=https://a/" + sql: 404,
		"/api/v1/entries?folder=" + sql:            200,
		"/api/v1/entries?search=" + sql:            200,
		"/api/v1/entries?search=%22%2a%28%00%29":   200,
		"/api/v1/channel?url=" + sql:               400,
		"/api/v1/channel?url=https://a/" + sql:     404,
		"/api/v1/stream?after=9000000000000000":    416,
		"/feed?url=" + sql:                         400,
		"/feed?url=file:///etc/passwd":             400,
		"/files/..%2f..%2f..%2fetc%2fpasswd/name":  404,
		"/files/" + sql + "/name":                  404,
		"/assets/..%2fweb.go":                      404,
		"/entry/1%27":                              404,
	} {
		res, err := http.Get(w.node.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != want || want == 200 && !strings.HasPrefix(string(body), "[]") {
			t.Errorf("%.80s: %d %.200s, want %d", path, res.StatusCode, body, want)
		}
	}
	if followed, err := w.client.Channels(t.Context()); err != nil || len(followed) != 1 {
		t.Errorf("followed in the end: %+v, error %v", followed, err)
	}
}
