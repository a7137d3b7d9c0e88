package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/cost"
	"tidings/node/keyring"
)

// documents are the documents with commands to run. Each runs in a directory and on a node of its own, in the order of
// the document. A document that is in none of documents and undocumented fails TestEveryDocumentIsTried.
var documents = []documented{
	{file: "README.md",
		before: map[string]string{"tidings diff": "versions"}},
	{file: "docs/running.md"},
	{file: "docs/people.md"},
	{file: "docs/network.md",
		before: map[string]string{"tidings peers --tree": "follow"}},
	{file: "docs/publishing.md",
		before: map[string]string{"tidings trust": "follow"}},
	{file: "docs/queries.md"},
	{file: "docs/phones.md"},
	{file: "docs/feeds.md"},
	{file: "docs/articles.md"},
	{file: "docs/filters.md"},
	{file: "docs/pages.md"},
	{file: "docs/notifications.md"},
	{file: "docs/chat.md"},
	{file: "docs/websub.md"},
	{file: "docs/zones.md", founds: []string{"--router", "newswire"}, before: map[string]string{
		"tidings zone send": "in zone", "tidings subscribe zone:": "in zone",
		"tidings zone install-function":            "in zone",
		"tidings zone certify /eu/de de.authority": "other authority"}},
	{file: "docs/api.md"},
	{file: "docs/benchmarks.md"},
	{file: "docs/scale.md"},
	{file: "CONTRIBUTING.md"},
}

// undocumented are documents without commands, and why.
var undocumented = map[string]string{
	"ARCHITECTURE.md": "it has pictures, and no commands", "CHANGELOG.md": "it tells of what was",
	"docs/faults.md": "it is a list, which the tests of the project's root hold",
}

type documented struct {
	file   string
	founds []string          // flags with which its node founds a network; none: it joins that of the peer
	before map[string]string // preparations, by how the command begins
}

// unrun are commands that are not run, by how they begin, with the reason.
var unrun = map[string]string{
	"go run ./cmd/tidings demo":      "it runs until it is ended: TestDemo has it",
	"go run ./cmd/tidings up":        "it is the node that the other commands speak to",
	"go run ./cmd/tidings-lab list":  "the scripts of cmd/tidings-lab have it",
	"tidings up &":                   "it is the node that the other commands speak to",
	"tidings up --http 0.0.0.0:7600": "it opens the page to others: tests listen on loopback alone",
	"./test":                         "it runs this test",
	"tidings notify add chat xmpp:": "the node of this test does not chat: TestChatForPeople of " +
		"node has it",
	"tidings updates --exec 'jq":   "it runs until it is ended: the script apprise.txtar has it",
	"tidings notify test phone":    "it sends to a server of others: the script notify.txt has it",
	"tidings up --smtp-server":     "it sends mail: TestMailInABrowser has it",
	"tidings notify add me":        "it sends mail: TestMailInABrowser has it",
	"tidings up --public-url":      "it is a node that others reach: TestHub of node has it",
	"curl https://tidings.example": "it asks a hub on the web: TestHub of node has it",
	"tidings subscribe https://shop.example": "it watches the prices of a shop: " +
		"TestPricesAreToldAtFirstSight of source has it",
	"tidings subscribe https://example.org/rates": "it watches numbers of a document: TestConditionsAreChecked " +
		"of source has it",
	"tidings subscribe https://example.org/notes/": "it follows what a page marks up: " +
		"TestAPageOfEntriesIsFollowedAsAFeed of node has it",
	"tidings up --proxy-at": "it is the node of somebody with a proxy: " +
		"TestProxiesAtForbiddenAddresses of source/fetch has it",
	"tidings subscribe https://example.org/feed --proxy http": "it needs a proxy: " +
		"TestProxies of source/fetch has it",
	"tidings notify confirm me": "its code comes by mail: TestMailInABrowser has it",

	// Two nodes and a web server at ports that may be in use here: TestAStaticSiteIsPushed has the same at free ones.
	"(cd public && python3":        "it serves at a port of its own",
	"tidings up --data":            "it listens at ports of its own",
	"tidings key new try --data a": "it is for one of these nodes",
	"tidings publish --announce public/feed.xml --feed-url http://127.0.0.1:8000": "it is for one of these nodes",
	"tidings join \"$(tidings status":                                             "it is for one of these nodes",
	"tidings subscribe http://127.0.0.1:8000":                                     "it is for one of these nodes",
	"tidings publish public/feed.xml --feed-url http://127.0.0.1:8000":            "it is for one of these nodes",
}

// failing are commands that are to fail, by how they begin, with a part of what they say.
var failing = map[string]string{
	`tidings query "publisher = reuters"`: "syntax error: line 1, column 13",
	`tidings publish --resume`:            "has not halted here",
	"tidings passkey remove 7":            "you have no such passkey",
}

// rewritten are what stands in documents for what is there in the test.
var rewritten = []struct{ text, test string }{
	{`https://example\.org/feed\b`, "$ORIGIN/feed.xml"},
	{`https://example\.org/`, "$ORIGIN/"},
	{`https://news\.example/`, "$ORIGIN/"},
	{`https://(blog|agency)\.example/feed\.xml`, "$ORIGIN/${1}.xml"},
	{`http://127\.0\.0\.1:7600`, "$PAGE"},
	{`/var/lib/tidings`, "$TIDINGS_DATA"},
	{`docker exec (-i )?tidings /tidings`, "tidings"},
	{`/ip4/203\S*`, "$ADDRESS"},
	{`\bADDRESS\b`, "$ADDRESS"},
	{`\bID\b`, "$ID"},
	{`\bNODE\b`, "$NODE"},
	{`\bFINGERPRINT\b`, "$FINGERPRINT"},
	{`\bURL\b`, "$ORIGIN/feed.xml"},
	{`\bafter=16\b`, "after=0"},
	{`^tidings updates --follow`, "tidings updates --follow --since-id 0 --limit 1"},
	{`\| less`, "| cat"},
	{`^produce-item\b`, "cat item.xml"},
}

// documentFiles are what the commands of documents find in their directory.
var documentFiles = map[string]string{
	"subscriptions.opml":              `<opml version="2.0"><head/><body><outline type="rss" text="Other" xmlUrl="$ORIGIN/other.xml"/></body></opml>`,
	"public/feed.xml":                 `<rss version="2.0"><channel><title>A blog</title><item><guid>1</guid><title>One</title><link>https://blog.example/2026/03/hello/</link></item></channel></rss>`,
	"public/2026/03/hello/index.html": `<html><body><article>The whole text.</article></body></html>`,
	"item.xml":                        `{"uri":"urn:agency:4711","version":"1","pubstatus":"usable","headline":"Hello","body_text":"Hello from the agency."}`,
	"de.authority":                    "",
}

// TestDocuments runs the commands of documents as they stand there, so that they stay true.
func TestDocuments(t *testing.T) {
	if testing.Short() || cost.RaceDetector() {
		t.Skip("lasts a minute, one command after the other: scripts show what runs beside it")
	}
	uses := &used{seen: make(map[string]bool)}
	t.Run("all", func(t *testing.T) {
		peer := newDocumentNode(t)
		for _, d := range documents {
			t.Run(d.file, func(t *testing.T) {
				t.Parallel()
				d.run(t, peer, uses)
			})
		}
	})
	uses.check(t)
}

// used are the rows of tables that were needed.
type used struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (u *used) note(row string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen[row] = true
}

// check holds that no table has a row that no document needs any more.
func (u *used) check(t *testing.T) {
	for row := range unrun {
		if !u.seen[row] {
			t.Errorf("no document has %q: remove it from unrun", row)
		}
	}
	for row := range failing {
		if !u.seen[row] {
			t.Errorf("no document has %q: remove it from failing", row)
		}
	}
	for _, r := range rewritten {
		if !u.seen[r.text] {
			t.Errorf("no document has %s: remove it from rewritten", r.text)
		}
	}
	for _, d := range documents {
		for row := range d.before {
			if !u.seen[d.file+row] {
				t.Errorf("%s has no %q: remove it from its preparations", d.file, row)
			}
		}
	}
}

// TestEveryDocumentIsTried holds that no document is forgotten.
func TestEveryDocumentIsTried(t *testing.T) {
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		for _, file := range found {
			name := strings.TrimPrefix(filepath.ToSlash(file), "../../")
			if undocumented[name] == "" &&
				!slices.ContainsFunc(documents, func(d documented) bool { return d.file == name }) {
				t.Errorf("the commands of %s are not tried", name)
			}
		}
	}
}

// documentNode is a node that a document's commands speak to.
type documentNode struct {
	data, page, address, id string
	client                  *api.Client
}

func newDocumentNode(t *testing.T, flags ...string) *documentNode {
	t.Helper()
	data, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	n := &documentNode{data: data, client: api.Dial(api.SocketPath(data))}
	flags = append([]string{"--no-mdns", "--listen", "/ip4/127.0.0.1/tcp/0"}, flags...)
	page, stop, err := launch(data,
		func(name string) string { return map[string]string{"TIDINGS_DATA": data, "HOME": data}[name] }, flags)
	if err != nil {
		t.Fatal(err)
	}
	n.page = page
	t.Cleanup(func() {
		n.client.Close()
		if log := stop(); log != "" {
			t.Log(log)
		}
		os.RemoveAll(data)
	})
	s, err := n.client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.address, n.id = s.Addresses[0], s.ID
	return n
}

// trial is the trial of one document.
type trial struct {
	*testing.T
	documented
	node   *documentNode
	origin *documentOrigin
	dir    string
	peer   *documentNode
	env    []string
	values map[string]string // of names in rewritten
	uses   *used

	scripts sync.WaitGroup // run beside the other commands
}

func (d documented) run(t *testing.T, peer *documentNode, uses *used) {
	text, err := os.ReadFile(filepath.Join("..", "..", d.file))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := blocksOf(string(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &trial{T: t, documented: d, dir: t.TempDir(), uses: uses, peer: peer, origin: newDocumentOrigin(t)}
	for name, text := range documentFiles {
		r.write(name, strings.ReplaceAll(text, "$ORIGIN", r.origin.URL))
	}
	for _, b := range blocks {
		switch b.kind {
		case commandBlock:
			for _, command := range b.commands(t) {
				r.try(b.line, command)
			}
		case jsonBlock:
			if err := parseDocumented(b.text); err != nil {
				t.Errorf("line %d: %v in %s", b.line, err, b.text)
			}
		case requestBlock:
			for line := range strings.Lines(b.text) {
				r.request(b.line, line)
			}
		case settingsBlock:
			r.settings(b)
		}
	}
	r.inline(string(text))
	r.scripts.Wait()
}

// start starts the document's node when its first command is run. It joins the peer.
func (r *trial) start() {
	if r.node != nil {
		return
	}
	flags := r.founds
	if flags == nil {
		flags = []string{"--join", r.peer.address}
	}
	r.node = newDocumentNode(r.T, flags...)
	key, err := keyring.In(r.TempDir()).New("wire", "")
	if err != nil {
		r.Fatal(err)
	}
	token, err := r.node.client.NewToken(r.Context(), tidings.Token{Label: "documents"})
	if err != nil {
		r.Fatal(err)
	}
	r.values = map[string]string{
		"TIDINGS_DATA": r.node.data, "ORIGIN": r.origin.URL, "PAGE": strings.TrimSuffix(r.node.page, "/"),
		"NODE":    r.node.id,
		"ADDRESS": r.peer.address, "ID": r.peer.id, "FINGERPRINT": key.Fingerprint.String(),
	}
	r.env = append(os.Environ(), "HOME="+r.dir, "TIDINGS_DATA="+r.node.data, "TOKEN="+token,
		// of a node that a document starts itself
		"TIDINGS_HTTP=127.0.0.1:0", "TIDINGS_LISTEN=/ip4/127.0.0.1/tcp/0", "TIDINGS_NO_MDNS=true",
		"TIDINGS_LAB_ORIGINS=true", "TIDINGS_JOIN="+r.peer.address)
	bin := filepath.Join(r.dir, "bin")
	r.write("bin/curl", curlScript)
	if err := os.Chmod(filepath.Join(bin, "curl"), 0o755); err != nil {
		r.Fatal(err)
	}
	r.env = append(r.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// curlScript is curl that fails where the status is one of failure. A stream, which has no end, is read for a while.
const curlScript = `#!/bin/sh
PATH=${PATH#*:}
case " $* " in
*" -N "*) curl --fail --silent --show-error --max-time 3 "$@"; s=$?; [ $s = 28 ] && s=0; exit $s ;;
esac
exec curl --fail-with-body --silent --show-error --max-time 600 "$@"
`

func (r *trial) write(name, text string) {
	r.Helper()
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		r.Fatal(err)
	}
}

// try runs a command of a document.
func (r *trial) try(line int, command string) {
	for begin := range unrun {
		if strings.HasPrefix(command, begin) && !strings.Contains(command, "\n") {
			r.uses.note(begin)
			return
		}
	}
	r.start()
	for begin, what := range r.before {
		if strings.HasPrefix(command, begin) {
			r.uses.note(r.file + begin)
			r.prepare(what)
		}
	}
	want := ""
	for begin, says := range failing {
		if strings.HasPrefix(command, begin) {
			r.uses.note(begin)
			want = says
		}
	}
	run := command
	for _, w := range rewritten {
		test := os.Expand(w.test, func(name string) string { return cmp.Or(r.values[name], "${"+name+"}") })
		if now := regexp.MustCompile(w.text).ReplaceAllString(run, test); now != run {
			run = now
			r.uses.note(w.text)
		}
	}
	if wholeScript.MatchString(command) { // it starts a node of its own, and runs beside the other commands
		env := append(slices.Clone(r.env), "TIDINGS_DATA="+r.ownData())
		r.scripts.Go(func() { r.shell(line, command, run, env, want) })
		return
	}
	r.shell(line, command, run, r.env, want)
}

// shell runs a command of a document as it is rewritten, and checks that it succeeds, or fails with the wanted text.
func (r *trial) shell(line int, command, run string, env []string, want string) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", run)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, env, strings.NewReader("correct horse battery\n")
	cmd.WaitDelay = time.Second
	began := time.Now()
	out, err := cmd.CombinedOutput()
	r.Logf("line %d: %s: after %.1f s", line, command, time.Since(began).Seconds())
	switch {
	case want == "" && err != nil:
		r.Errorf("line %d: %s: %v\nrun as %s, it says %s", line, command, err, run, out)
	case want != "" && (err == nil || !strings.Contains(string(out), want)):
		r.Errorf("line %d: %s: %v, and should fail with %q; it says %s", line, command, err, want, out)
	}
}

// ownData returns a data directory with a key.
func (r *trial) ownData() string {
	data, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { os.RemoveAll(data) })
	if _, err := keyring.In(data).New("my-blog", ""); err != nil {
		r.Fatal(err)
	}
	return data
}

// prepare does what a reader of the document has done before.
func (r *trial) prepare(what string) {
	r.Helper()
	client, feed := r.node.client, r.origin.URL+"/feed.xml"
	var err error
	switch what {
	case "follow":
		_, err = client.Subscribe(r.Context(), tidings.SubscribeRequest{URL: feed})
	case "versions":
		for r.version(feed) < 5 {
			r.origin.change()
			if _, err = client.Poll(r.Context(), feed); err != nil {
				break
			}
		}
	case "in zone":
		r.await("the node is in its zone", func() bool {
			n, err := client.Network(r.Context())
			return err == nil && n.Zones != nil && n.Zones.Own == "/eu/de"
		})
	case "other authority":
		keys := keyring.In(r.TempDir())
		key, failed := keys.NewZone("/eu/de", "")
		if err = failed; err == nil {
			r.write("de.authority", string(key.Authority("/eu/de").Text()))
		}
	default:
		r.Fatalf("nobody knows how to prepare %q", what)
	}
	if err != nil {
		r.Errorf("%s: %v", what, err)
	}
}

func (r *trial) version(url string) tidings.Version {
	c, err := r.node.client.Channel(r.Context(), url)
	if err != nil {
		r.Fatal(err)
	}
	return c.Version
}

func (r *trial) await(what string, holds func() bool) {
	r.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("never: %s", what)
		}
	}
}

// request checks that a request in a document, with its body if it has one, goes to a known route.
func (r *trial) request(line int, text string) {
	r.start()
	method, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	path, body, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if body = strings.TrimSpace(body); body != "" {
		if err := parseDocumented(body); err != nil {
			r.Errorf("line %d: %v in %s", line, err, body)
		}
	}
	req, err := http.NewRequestWithContext(r.Context(), method, strings.TrimSuffix(r.node.page, "/")+api.Base+path,
		strings.NewReader("{}"))
	if err != nil {
		r.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Error string }
	_ = json.NewDecoder(resp.Body).Decode(&answer)
	if resp.StatusCode == http.StatusMethodNotAllowed || answer.Error == "there is nothing at this address" {
		r.Errorf("line %d: %s %s: %s", line, method, path, resp.Status)
	}
}

// settings holds that settings in a document are such as there are.
func (r *trial) settings(b block) {
	p := &program{ctx: r.Context(), env: func(string) string { return "" }}
	parser, _, err := newParser(new(commands), p, new(bytes.Buffer), new(bytes.Buffer))
	if err == nil {
		_, err = parseSettings(parser.Model, "settings", []byte(b.text))
	}
	if err != nil {
		r.Errorf("line %d: %v", b.line, err)
	}
}

// documentOrigin is a site with pages and feeds, of which feed.xml has more items with each change.
type documentOrigin struct {
	*httptest.Server
	mu    sync.Mutex
	items int
}

func newDocumentOrigin(t *testing.T) *documentOrigin {
	o := &documentOrigin{items: 1}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, `<html><head><title>Example</title><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hello</body></html>`)
		case r.URL.Path == "/prices.html":
			fmt.Fprint(w, `<html><head><title>Prices</title></head><body><div id="prices"><p>Tea 3</p><p>Last updated today</p></div></body></html>`)
		case strings.HasSuffix(r.URL.Path, ".xml"):
			fmt.Fprint(w, o.feed(r.URL.Path))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *documentOrigin) feed(name string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := `<rss version="2.0"><channel><title>` + name + `</title>`
	for i := range o.items {
		text += fmt.Sprintf(`<item><guid>%d</guid><title>Item %[1]d</title></item>`, i)
	}
	return text + `</channel></rss>`
}

func (o *documentOrigin) change() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.items++
}
