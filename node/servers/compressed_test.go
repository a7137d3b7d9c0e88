package servers

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Long texts are compressed for clients that can read that; pictures and short answers are not. The head of a stream
// goes out before anything else.
func TestAnswersAreCompressed(t *testing.T) {
	long := strings.Repeat("tidings ", 1000)
	wait := make(chan struct{})
	server := httptest.NewServer(compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.FormValue("type"))
		switch r.FormValue("as") {
		case "stream":
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			<-wait
		case "short":
			io.WriteString(w, "short")
		case "aborted":
			io.WriteString(w, long)
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(w, long)
		}
	})))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	get := func(path, accept, encodings string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", encodings)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	for name, test := range map[string]struct {
		path, encodings string
		zipped          bool
	}{
		"a page":              {"/?type=text/html;+charset=utf-8", "gzip, deflate, br, zstd", true},
		"a list":              {"/?type=application/json", "gzip", true},
		"a list for others":   {"/?type=application/json", "br", false},
		"one that refuses it": {"/?type=application/json", "gzip;q=0", false},
		"a picture":           {"/?type=image/png", "gzip", false},
		"a short page":        {"/?type=text/html&as=short", "gzip", false},
	} {
		res := get(test.path, "*/*", test.encodings)
		if zipped := res.Header.Get("Content-Encoding") == "gzip"; zipped != test.zipped {
			t.Errorf("%s: zipped is %v", name, zipped)
			continue
		}
		body := io.Reader(res.Body)
		if test.zipped {
			if !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", name, res.Header.Get("Vary"))
			}
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != long && string(text) != "short" {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	// These would hang if the head waited for something to compress.
	for _, test := range [][2]string{{"/events?as=stream&type=text/event-stream", "text/event-stream"},
		{"/list?as=stream&type=x", "application/x-ndjson"}, {"/api/v1/stream?as=stream&type=y", "*/*"}} {
		if res := get(test[0], test[1], "gzip"); res.StatusCode != 200 || res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %v", test[0], res.StatusCode, res.Header)
		}
	}
	close(wait)
	// What breaks off does not look whole.
	res, err := http.Get(server.URL + "/?type=application/json&as=aborted")
	if err == nil {
		defer res.Body.Close()
		_, err = io.ReadAll(res.Body)
	}
	if err == nil {
		t.Error("an answer that broke off looks whole")
	}
}
