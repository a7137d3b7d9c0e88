package tidings_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// words are those that must not come back, each with the word that the field uses. One thing has one word: in code, on
// the command line, in the API, on the page and in documents.
var words = []struct{ old, now string }{
	{`\b(Looker|LookNow|[nN]ext[ _]?look|[lL]ast[ _]?look|looked_at|lookTogether)\b`, "poll; check on the page"},
	{`\b(tidings|store|doctor)\.Findings?\b`, "change; in the doctor: diagnosis; in the store's check: problem"},
	{`\b(tidings\.(Together|Sharing|Terms|Followed)|sharedChannel|newSharing)\b`,
		"polling stats, coop status, params, subscription"},
	{`\b(accordSoon|in accord)\b`, "reconcile, enqueue"},
	{`\b([dD]oors?|openDoors)\b`, "interface; in code: handler, server"},
	{`\b(census|TallyEvery|takeTally)\b`, "aggregation"},
	{`\b(convicts|vows?)\b`, "equivocators; pending verifications"},
	{`\b(piecing|house_test)\b`, "files; layering_test"},
	{`\bthe (house|floors?)\b`, "the architecture; the layer"},
	{`\btells? whether\b`, "reports whether"},
	{`\b(hears? of changes|whom you believe)\b`, "gets notified of changes; which nodes you trust"},
}

// TestWords holds that no file of the project has a word that was given up.
func TestWords(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z", "*.go", "*.md", "*.html", "*.js", "*.sql", "*.txtar",
		"test").Output()
	if err != nil {
		t.Skip("needs git and a checkout: ", err)
	}
	var old []*regexp.Regexp
	var all []string
	for _, w := range words {
		old, all = append(old, regexp.MustCompile(w.old)), append(all, w.old)
	}
	any := regexp.MustCompile(strings.Join(all, "|"))
	read := 0
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if name == "words_test.go" || strings.Contains(name, "/testdata/fuzz/") {
			continue
		}
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // removed, and not committed so far
		}
		if err != nil {
			t.Fatal(err)
		}
		read++
		if !any.Match(text) {
			continue
		}
		for i, w := range old {
			for _, at := range w.FindAllIndex(text, 3) {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: %q is called: %s", name, line, text[at[0]:at[1]], words[i].now)
			}
		}
	}
	if read < 500 {
		t.Errorf("only %d files were read", read)
	}
}

// namedVaguely matches functions named by a verb that does many jobs: nobody knows whether they store, send, accept or
// show something. There may be mostNamedVaguely: a bucket is taken from in the words of the field.
var namedVaguely = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?((?i:takes?|taken|tells?|told|hears?|heard)(?:[A-Z]\w*)?)[\[(]`)

const mostNamedVaguely = 10

// TestFunctionsSayWhatTheyDo holds that few functions are named vaguely.
func TestFunctionsSayWhatTheyDo(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z", "*.go").Output()
	if err != nil {
		t.Skip("needs git and a checkout: ", err)
	}
	var found []string
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, f := range namedVaguely.FindAllSubmatch(text, -1) {
			found = append(found, name+": "+string(f[1]))
		}
	}
	if len(found) > mostNamedVaguely {
		t.Errorf("%d functions are named vaguely, at most %d may be:\n%s", len(found), mostNamedVaguely,
			strings.Join(found, "\n"))
	}
}

// columns is how wide lines of code and comments are at most, with tabs as four. A line may be wider for the sake of a
// literal or a struct tag, which a break would hide from a search; and mostTooWide may be for other reasons.
const (
	columns     = 120
	longLiteral = 60
	mostTooWide = 49
)

var literal = regexp.MustCompile("\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*(?:`|$)")

// TestLinesAreNotTooWide holds that lines can be read without scrolling.
func TestLinesAreNotTooWide(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z", "*.go").Output()
	if err != nil {
		t.Skip("needs git and a checkout: ", err)
	}
	var found []string
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		raw := false // within a literal of several lines
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			was := raw
			if strings.Count(line, "`")%2 == 1 {
				raw = !raw
			}
			line = strings.TrimRight(line, "\n")
			wide := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if wide <= columns || was || raw || longestLiteral(line) > longLiteral {
				continue
			}
			found = append(found, fmt.Sprintf("%s:%d: %d columns", name, number, wide))
		}
	}
	if len(found) > mostTooWide {
		t.Errorf("%d lines have more than %d columns, at most %d may:\n%s", len(found), columns, mostTooWide,
			strings.Join(found, "\n"))
	}
}

func longestLiteral(line string) (longest int) {
	for _, l := range literal.FindAllString(line, -1) {
		longest = max(longest, len(l))
	}
	return longest
}
