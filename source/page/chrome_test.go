package page

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestNamesOfFrame(t *testing.T) {
	for name, want := range map[string][2]bool{
		"top-ad": {true, false}, "adSlot": {true, false}, "TOP_NAV": {true, false}, "menu": {true, false},
		"siteHeader": {true, false}, "shareButtons": {true, false}, "newsletter-popup": {true, false},
		"cookie-banner": {false, true}, "cookieConsent": {false, true}, "consent-consent": {false, true},
		"cookie": {true, false}, "consent": {true, false}, "my-onetrust": {false, true},
		"header": {}, "download": {}, "menu-lunch": {}, "company-share": {}, "": {}, "--": {},
		"ad-" + strings.Repeat("x", maxName): {},
	} {
		if chrome, banner := namesFrame(name); chrome != want[0] || banner != want[1] {
			t.Errorf("%q: frame %v, banner %v, want %v", name, chrome, banner, want)
		}
	}
}

// hostile 16: of many classes the first are looked at.
func TestHostile16ManyClasses(t *testing.T) {
	got := slices.Collect(classesOf(strings.Repeat(" a", 100_000)))
	if len(got) != maxClasses {
		t.Errorf("%d classes are looked at, want %d", len(got), maxClasses)
	}
	n := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P,
		Attr: []html.Attribute{{Key: "class", Val: strings.Repeat("x ", maxClasses) + "ad"}}}
	if isChrome(n, 0, false) {
		t.Error("one class more is looked at")
	}
}

// hostile 16: of so many lines that a document cannot have them no more are made than are looked at.
func TestHostile16LinesAreCutBeforeTheyAreMade(t *testing.T) {
	const most = maxGathered
	text := strings.Repeat("x\n", 2*most)
	if n := len(splitLines(text, 10)); n != 10 {
		t.Errorf("%d lines are split, want 10", n)
	}
	if n := len(splitLines(text, -1)); n != 0 {
		t.Errorf("%d lines are split, want none", n)
	}
	pre := parseFlat("<pre>" + text[:len(text)/4] + "</pre><pre>" + text + "</pre><pre>" + text + "</pre>")
	if n := len(flatten([]*html.Node{pre}, rules{}, 1, true)); n != most {
		t.Errorf("%d preformatted lines, want %d", n, most)
	}
	if n := len(textLines(text, formText)); n != most {
		t.Errorf("%d lines of a text, want %d", n, most)
	}
	if n := len(textLines("[1"+strings.Repeat(",1", most)+"]", formJSON)); n != most {
		t.Errorf("%d lines of JSON, want %d", n, most)
	}
}

// What stands around an element is known without going up from each.
func TestWhatIsAround(t *testing.T) {
	for doc, want := range map[string]string{
		"<h2><b><button>open</button></b></h2>x":                         "## open\nx",
		"<h2><div><button>open</button></div></h2>x":                     "x",
		"<h2><button>open<span><b>it</b></span></button></h2>x":          "## openit\nx",
		"<details><summary><button>open</button></summary>x</details>":   "open\nx",
		"<button>open</button>x":                                         "x",
		"<article><div><header>head</header></div></article>x":           "head\nx",
		"<div><header>head</header><p>x</p><footer>foot</footer></div>":  "x",
		"<ul><li><footer>foot</footer><header>head</header></li></ul>x":  "foot\nhead\nx",
		"<div><header><h1>head</h1></header><p>x</p></div>":              "# head\nx",
		"<section><p>x</p></section><header>head</header><p>y y y y</p>": "x\ny y y y",
	} {
		root, _ := parse(doc)
		var lines []string
		for _, l := range flatten([]*html.Node{root}, rules{}, totalText(root), false) {
			lines = append(lines, strings.TrimPrefix(l.text, "- "))
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s gives %q, want %q", doc, got, want)
		}
	}
}
