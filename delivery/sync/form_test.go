package sync

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// read reads the form of a POST with a body of a type.
func read(t *testing.T, target, kind, body string) (*Form, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	return ReadForm(httptest.NewRecorder(), r, MaxBody)
}

const encoded = "application/x-www-form-urlencoded"

// Clients put parameters into the URL, the body, or both. Not all of them are encoded.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		target, kind, body string
		want               map[string][]string
	}{
		"as it should be": {"/", encoded, "i=1&i=2&s=user%2F-%2Flabel%2FA%20B",
			map[string][]string{"i": {"1", "2"}, "s": {"user/-/label/A B"}}},
		"not encoded": {"/", encoded, "i=tag:google.com,2005:reader/item/00;x&T=a",
			map[string][]string{"i": {"tag:google.com,2005:reader/item/00;x"}, "T": {"a"}}},
		"wrong escapes": {"/", encoded, "s=100%&t=%zz%4", map[string][]string{"s": {"100%"}, "t": {"%zz%4"}}},
		"both": {"/?quickadd=u&a=1", encoded, "quickadd=v&T=t",
			map[string][]string{"quickadd": {"u", "v"}, "T": {"t"}, "a": {"1"}}},
		"URL alone":         {"/?quickadd=https%3A%2F%2Fx", "", "", map[string][]string{"quickadd": {"https://x"}}},
		"no type":           {"/", "", "a=1", map[string][]string{"a": {"1"}}},
		"a charset":         {"/", encoded + "; charset=utf-8", "a=%C3%A4", map[string][]string{"a": {"ä"}}},
		"no UTF-8":          {"/", encoded, "a=%FF", map[string][]string{"a": {"\uFFFD"}}},
		"a line at the end": {"/", encoded, "T=abc\r\n", map[string][]string{"T": {"abc"}}},
		"an encoded line":   {"/", encoded, "T=abc%0A", map[string][]string{"T": {"abc"}}},
		"names alone": {"/?api&items&since_id=5", encoded, "api_key=x",
			map[string][]string{"api": {""}, "items": {""}, "since_id": {"5"}, "api_key": {"x"}}},
		"equals signs": {"/", encoded, "q=a=b==", map[string][]string{"q": {"a=b=="}}},
		"another type": {"/?a=1", "text/xml", "<opml a=2>", map[string][]string{"a": {"1"}}},
		"nothing":      {"/", encoded, "&&=&", map[string][]string{"": {""}}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := read(t, c.target, c.kind, c.body)
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range c.want {
				if got := f.All(key); fmt.Sprint(got) != fmt.Sprint(want) || !f.Has(key) {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if len(f.values) != len(c.want) {
				t.Errorf("there are %d parameters, want %d: %v", len(f.values), len(c.want), f.values)
			}
		})
	}
}

func TestMultipartForms(t *testing.T) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for key, text := range map[string]string{"Email": "ann", "Passwd": "a&b=c%41 +"} {
		if err := w.WriteField(key, text); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	f, err := read(t, "/?x=1", w.FormDataContentType(), b.String())
	if err != nil || f.Get("Email") != "ann" || f.Get("Passwd") != "a&b=c%41 +" || f.Get("x") != "1" {
		t.Errorf("the form is %v, %v", f, err)
	}
	for _, broken := range []struct{ kind, body string }{
		{"multipart/form-data", b.String()}, {w.FormDataContentType(), b.String()[:b.Len()/2]},
	} {
		if _, err := read(t, "/", broken.kind, broken.body); err == nil ||
			Classify(err).Status != http.StatusBadRequest {
			t.Errorf("a form of type %s was read, or %v", broken.kind, err)
		}
	}
}

// A name that people chose comes in several ways of writing, of which a wrong one could name something else.
func TestReadingsOfNames(t *testing.T) {
	for body, want := range map[string][]string{
		"s=label/Q%26A":        {"label/Q&A", "label/Q%26A"},
		"s=label/Q&A&T=x":      {"label/Q&A", "label/Q&A"},
		"s=label/Q&A&B%20C&T=": {"label/Q&A&B%20C", "label/Q&A&B C"},
		"s=label/C++":          {"label/C  ", "label/C++"},
		"s=label/R&&D&T=x":     {"label/R&&D", "label/R&&D"},
		"t=1":                  nil,
	} {
		f, err := read(t, "/", encoded, body)
		if got := f.Readings("s"); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %q, want %q (%v)", body, got, want, err)
		}
	}
}

// hostile 59: a client that names a million items is refused before anything is done.
func TestFormsAreBounded(t *testing.T) {
	if _, err := read(t, "/", encoded, strings.Repeat("i=1&", MaxNumbers)); err != nil {
		t.Errorf("%d numbers are refused: %v", MaxNumbers, err)
	}
	_, err := read(t, "/", encoded, strings.Repeat("i=1&", maxValues+1))
	if err == nil || Classify(err).Status != http.StatusBadRequest {
		t.Errorf("%d parameters: %v", maxValues+1, err)
	}
	if _, err := read(t, "/", encoded, "a="+strings.Repeat("x", MaxBody-2)); err != nil {
		t.Errorf("a body of %d bytes is refused: %v", MaxBody, err)
	}
	_, err = read(t, "/", encoded, "a="+strings.Repeat("x", MaxBody-1))
	if err == nil || Classify(err).Status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of %d bytes: %v", MaxBody+1, err)
	}
}

// What is between parameters costs no more than its length.
func TestEmptyParametersAreCheap(t *testing.T) {
	f, err := read(t, "/", encoded, "s=a"+strings.Repeat("&", MaxBody-3))
	if err != nil || f.Get("s") != "a" || len(f.Readings("s")[0]) != MaxBody-2 {
		t.Errorf("the form is not read: %v", err)
	}
}

// A client that begins a body and does not end it is answered all the same.
func TestBodiesHaveADeadline(t *testing.T) {
	defer func(before time.Duration) { bodyTime = before }(bodyTime)
	bodyTime = 10 * time.Millisecond
	failed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := ReadForm(w, r, MaxBody)
		failed <- err
		f := Classify(err)
		w.WriteHeader(f.Status)
	}))
	defer server.Close()
	body, end := io.Pipe()
	defer end.Close()
	go func() { _, _ = io.WriteString(end, "a=1&b") }()
	request, err := http.NewRequest(http.MethodPost, server.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", encoded)
	answer, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("the answer is %s, the error %v", answer.Status, err)
	}
}

// Whatever comes, reading it neither panics nor loses what net/url reads of it.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"i=1&i=2", "a=%zz&b;c=+", "&&==&=", "s=label/Q&A&T=x", "%=%&%3D=%26"} {
		f.Add(seed, seed, encoded)
		f.Add("", seed, "multipart/form-data; boundary=b")
	}
	f.Add("", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--", "multipart/form-data; boundary=b")
	f.Fuzz(func(t *testing.T, query, body, kind string) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", kind)
		form, err := ReadForm(httptest.NewRecorder(), r, MaxBody)
		if err != nil {
			return
		}
		for key := range form.values {
			if form.Get(key); len(form.All(key)) == 0 || len(form.Readings(key)) == 0 {
				t.Errorf("%q has no value", key)
			}
		}
		if kind != encoded {
			return
		}
		good, err := url.ParseQuery(strings.TrimSpace(body))
		if err != nil {
			return
		}
		for key, values := range good {
			if all := form.All(key); len(all) < len(values) {
				t.Errorf("%q is %q, want %q", key, all, values)
			}
		}
	})
}
