package synctest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A transcript is a text file with the calls of one client in their order. Lines that begin with "#" are
// comments. A call is
//
//	== what it is for
//	POST /path?query
//	Header: value
//
//	a=b&c=d                  the body; its lines are joined without their ends, \r\n is the end of one
//	--
//	200                      the status
//	Header = value           a header of the answer
//	body = text              the whole body; \n is the end of a line
//	body ~ expression        a regular expression that the body matches
//	body > name              keeps what the expression's group before it matched
//	path = value             of the answer's JSON; the value is JSON too
//	path exists              and is not null
//	path missing
//	path length = 3          of an array, object or text
//	path > name              keeps the value, for $name in what follows
//
// A path is made of names and numbers with dots between them: items.0.canonical.0.href. A negative number
// counts from the end. The name of a member that has dots itself cannot be used.
type transcript struct {
	t     *testing.T
	names map[string]string
}

// exchange is a call and what its answer must be.
type exchange struct {
	line   int
	what   string
	target string // method and path
	header [][2]string
	body   string
	expect []expectation
}

type expectation struct {
	line int
	text string
}

// Replay sends the calls of a transcript to a handler.
func Replay(t *testing.T, h http.Handler, path string) {
	t.Helper()
	exchanges, err := readTranscript(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &transcript{t, map[string]string{}}
	for _, e := range exchanges {
		r.run(h, path, e)
		if t.Failed() {
			return // what follows builds on it
		}
	}
}

func readTranscript(path string) ([]exchange, error) {
	file, err := os.Open(path) //nolint:gosec // of a test
	if err != nil {
		return nil, fmt.Errorf("reading a transcript: %w", err)
	}
	defer file.Close()
	const (
		nothing = iota
		target
		headers
		body
		expectations
	)
	var all []exchange
	state, lines := nothing, bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimRight(lines.Text(), " ")
		var now *exchange
		if len(all) > 0 {
			now = &all[len(all)-1]
		}
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "== "):
			all = append(all, exchange{line: number, what: line[3:]})
			state = target
		case line == "--" && state != nothing:
			state = expectations
		case state == target:
			now.target, state = line, headers
		case state == headers && line == "":
			state = body
		case state == headers:
			name, text, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: %q is no header", path, number, line)
			}
			now.header = append(now.header, [2]string{name, text})
		case state == body:
			now.body += line
		case state == expectations && line != "":
			now.expect = append(now.expect, expectation{number, line})
		case line != "":
			return nil, fmt.Errorf("%s:%d: %q stands before any call", path, number, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading a transcript: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New("the transcript is empty")
	}
	return all, nil
}

var variable = regexp.MustCompile(`\$[a-z]+`)

// fill puts in what was kept.
func (r *transcript) fill(s string) string {
	return variable.ReplaceAllStringFunc(s, func(name string) string {
		text, ok := r.names[name[1:]]
		if !ok {
			r.t.Errorf("nothing is kept as %s", name)
		}
		return text
	})
}

func (r *transcript) run(h http.Handler, path string, e exchange) {
	r.t.Helper()
	method, target, _ := strings.Cut(r.fill(e.target), " ")
	parsed, err := url.ParseRequestURI(target)
	if err != nil {
		r.t.Fatalf("%s:%d: %v", path, e.line, err)
	}
	body := strings.ReplaceAll(r.fill(e.body), `\r\n`, "\r\n")
	request := httptest.NewRequest(method, "http://node.example/", strings.NewReader(body))
	request.URL.Path, request.URL.RawPath, request.URL.RawQuery = parsed.Path, parsed.RawPath, parsed.RawQuery
	for _, header := range e.header {
		request.Header.Add(header[0], r.fill(header[1]))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	text, err := io.ReadAll(w.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	var decoded any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	_ = decoder.Decode(&decoded) // what is no JSON has no members
	for _, want := range e.expect {
		if err := r.check(w, string(text), decoded, r.fill(want.text)); err != nil {
			r.t.Errorf("%s:%d: %s: %v; the answer is %d %.400s", path, want.line, e.what, err, w.Code, text)
		}
	}
}

// check checks one expectation.
func (r *transcript) check(w *httptest.ResponseRecorder, body string, decoded any, want string) error {
	if status, err := strconv.Atoi(want); err == nil {
		if w.Code != status {
			return fmt.Errorf("the status is not %d", status)
		}
		return nil
	}
	path, rest, ok := strings.Cut(want, " ")
	if !ok {
		return fmt.Errorf("%q is no expectation", want)
	}
	verb, text, _ := strings.Cut(rest, " ")
	switch {
	case path == "body" && verb == "=":
		if unquoted := strings.ReplaceAll(text, `\n`, "\n"); body != unquoted {
			return fmt.Errorf("the body is not %q", unquoted)
		}
		return nil
	case path == "body" && verb == "~":
		return r.match(body, text)
	case path == "body" && verb == ">":
		r.names[text] = r.names["match"]
		return nil
	case verb == "=" && w.Header().Get(path) != "":
		if got := w.Header().Get(path); got != text {
			return fmt.Errorf("%s is %q, not %q", path, got, text)
		}
		return nil
	case verb == ">" && w.Header().Get(path) != "":
		r.names[text] = w.Header().Get(path)
		return nil
	}
	return r.checkJSON(decoded, path, verb, text)
}

// match matches the body, and keeps what the first group of the expression matched.
func (r *transcript) match(body, expression string) error {
	re, err := regexp.Compile(expression)
	if err != nil {
		return fmt.Errorf("%q: %w", expression, err)
	}
	found := re.FindStringSubmatch(body)
	if found == nil {
		return fmt.Errorf("the body does not match %q", expression)
	}
	if len(found) > 1 {
		r.names["match"] = found[1]
	}
	return nil
}

func (r *transcript) checkJSON(decoded any, path, verb, text string) error {
	v, found := member(decoded, path)
	switch verb {
	case "exists":
		if !found || v == nil {
			return fmt.Errorf("%s is missing or null", path)
		}
	case "missing":
		if found {
			return fmt.Errorf("%s is there", path)
		}
	case "=":
		got, err := json.Marshal(v)
		if err != nil || !found || unescaped(got) != text {
			return fmt.Errorf("%s is %s, not %s", path, got, text)
		}
	case "length":
		length := -1
		switch v := v.(type) {
		case []any:
			length = len(v)
		case map[string]any:
			length = len(v)
		case string:
			length = len(v)
		}
		if want := strings.TrimPrefix(text, "= "); strconv.Itoa(length) != want {
			return fmt.Errorf("the length of %s is %d, not %s", path, length, want)
		}
	case ">":
		if !found || v == nil {
			return fmt.Errorf("%s is missing or null", path)
		}
		r.names[text] = fmt.Sprint(v)
	default:
		return fmt.Errorf("there is no expectation %q", verb)
	}
	return nil
}

// unescaped undoes what json.Marshal does to HTML.
func unescaped(b []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
}

// member returns what is at a path; "." is everything.
func member(v any, path string) (any, bool) {
	if path == "." {
		return v, true
	}
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[name]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			n, err := strconv.Atoi(name)
			if n < 0 {
				n += len(in)
			}
			if err != nil || n < 0 || n >= len(in) {
				return nil, false
			}
			v = in[n]
		default:
			return nil, false
		}
	}
	return v, true
}
