// Package shelltest judges pages in tests.
package shelltest

import (
	"html"
	"regexp"
	"strings"
	"testing"

	markup "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Sound checks a page's markup for what the policy would refuse and for what must be there.
func Sound(t *testing.T, path, text string) {
	t.Helper()
	if strings.Contains(text, "ZgotmplZ") {
		t.Errorf("%s: the template refused a value", path)
	}
	if !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
		t.Errorf("%s: the page is cut", path)
	}
	doc, err := markup.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, headings := map[string]bool{}, 0
	for n := range doc.Descendants() {
		if n.Type != markup.ElementNode {
			continue
		}
		if n.DataAtom == atom.H1 {
			headings++
		}
		if n.DataAtom == atom.Style || n.DataAtom == atom.Script && (n.FirstChild != nil || !isOwn(n)) {
			t.Errorf("%s: a %s in the page", path, n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
			if a.Key == "id" {
				if ids[a.Val] {
					t.Errorf("%s: two elements have the id %q", path, a.Val)
				}
				ids[a.Val] = true
			}
			if (a.Key == "src" || a.Key == "href" && n.DataAtom == atom.Link || a.Key == "action" ||
				a.Key == "formaction") && !strings.HasPrefix(a.Val, "/") {
				t.Errorf("%s: <%s> asks for %q", path, n.Data, a.Val)
			}
		}
	}
	if headings != 1 {
		t.Errorf("%s: %d first headings", path, headings)
	}
}

// isOwn reports whether a script is one of the page's own files.
func isOwn(script *markup.Node) bool {
	for _, a := range script.Attr {
		if a.Key == "src" {
			return strings.HasPrefix(a.Val, "/assets/")
		}
	}
	return false
}

// Words returns a page's text without page, each piece of white space as one blank.
func Words(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "))),
		" ")
}

// Part returns what stands between two strings in a page.
func Part(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, from)
	inside, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("the page has nothing from %q to %q", from, to)
	}
	return inside
}

// HostileText is what somebody else may have written: markup, turned writing, codes of terminals.
const HostileText = "<script>window.pwned='network'</script>\"'><img src=x onerror=alert(1)>\u202e\x1b[31mred\x00"
