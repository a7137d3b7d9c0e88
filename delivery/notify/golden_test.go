package notify

import (
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
)

var rewrite = flag.Bool("rewrite", false, "write the requests into testdata")

// TestRequests compares what each kind of target receives with testdata.
func TestRequests(t *testing.T) {
	for _, kind := range Kinds() {
		if kind == tidings.BrowserPush {
			continue // it is encrypted anew each time
		}
		t.Run(string(kind), func(t *testing.T) {
			var dump strings.Builder
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body := bodyOf(t, r)
				r.Header.Del("Content-Length")
				sent := request{method: r.Method, url: "http://SERVER" + r.RequestURI, header: r.Header,
					body: []byte(body)}
				dump.WriteString(sent.String() + "\n")
				io.WriteString(w, accepted(kind))
			})
			n := testNotifier()
			for _, m := range testMessages() {
				if err := n.Send(t.Context(), testTarget(kind, server.URL), m); err != nil {
					t.Fatal(err)
				}
			}
			name := filepath.Join("testdata", "requests", string(kind)+".txt")
			got := dump.String()
			if *rewrite {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the requests are not those of %s (-rewrite writes them):\n%s", name, got)
			}
		})
	}
}

// TestPreviewIsWhatIsSent compares a preview with the request of the same message.
func TestPreviewIsWhatIsSent(t *testing.T) {
	target := testTarget(tidings.Generic, "")
	var body, path string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { body, path = bodyOf(t, r), r.RequestURI })
	target.URL = server.URL + target.URL
	n, m := testNotifier(), testMessages()[0]
	sample, err := n.Preview(target, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Send(t.Context(), target, m); err != nil {
		t.Fatal(err)
	}
	mustContain(t, sample.Request, "PUT "+path+"\n")
	mustContain(t, sample.Request, "\n\n"+body+"\n")
	mustContain(t, sample.Request, "Authorization: "+dots+"\n")
	if sample.Title != "One & more" || sample.Text != "Example News\nWhat happened: One <things>" ||
		sample.Link != "https://news.example/One?a=1&b=2" {
		t.Errorf("%+v", sample)
	}
	for _, kind := range Kinds() {
		target := testTarget(kind, "https://server.example")
		sample, err := n.Preview(target, TestMessage(nil, target, testTime))
		if err != nil {
			t.Fatal(err)
		}
		mustContain(t, sample.Title, "Test of mine")
		for _, secret := range []string{target.Secret, "genericToken99", "discord-token_Abc", "slackTokenXyz"} {
			if secret != "" && strings.Contains(sample.Request, secret) {
				t.Errorf("%s: the preview shows a secret:\n%s", kind, sample.Request)
			}
		}
	}
}

// TestPasswordsOfNtfy: a secret with a colon is a user name and password, and none is sent if there is none.
func TestPasswordsOfNtfy(t *testing.T) {
	var got string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") })
	for secret, want := range map[string]string{"me:pw": "Basic bWU6cHc=", "tk_1": "Bearer tk_1", "": ""} {
		target := testTarget(tidings.Ntfy, server.URL)
		target.Secret = secret
		if err := testNotifier().Send(t.Context(), target, testMessages()[0]); err != nil || got != want {
			t.Errorf("%q, not %q; %v", got, want, err)
		}
	}
}
