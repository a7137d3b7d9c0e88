package page

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isChrome reports whether an element is frame and not core: navigation, the header or
// footer of the site, a cookie banner or an advertisement. total is how much text the
// whole page has: what is known by its names only, and holds most of the page, is not
// believed.
func isChrome(n *html.Node, total int) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return false
	case atom.Nav:
		return true
	case atom.Header:
		return isOfSite(n) && !contains(n, atom.H1)
	case atom.Footer:
		return isOfSite(n)
	}
	marked, sure := false, false
	for _, a := range n.Attr {
		switch {
		case a.Key == "role":
			switch strings.ToLower(strings.TrimSpace(a.Val)) {
			case "navigation", "menubar", "menu", "toolbar", "search", "alertdialog":
				return true
			case "banner", "contentinfo": // where there is the title, it is the article's
				return !contains(n, atom.H1)
			}
		case a.Key == "class":
			for name := range strings.FieldsSeq(a.Val) {
				marked, sure = marked || isChromeName(name), sure || isBannerName(name)
			}
		case a.Key == "id":
			marked, sure = marked || isChromeName(a.Val), sure || isBannerName(a.Val)
		case a.Key == "aria-label":
			marked = marked || isAdLabel(a.Val)
		case strings.HasPrefix(a.Key, "data-ad-"), strings.HasPrefix(a.Key, "data-google-query"):
			marked = true
		}
	}
	return sure || marked && !holdsMost(n, total)
}

// isOfSite reports whether a header or footer is that of the page and not of an
// article or section in it.
func isOfSite(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Article, atom.Main, atom.Section, atom.Aside, atom.Blockquote, atom.Figure, atom.Li:
			return false
		}
	}
	return true
}

func contains(n *html.Node, a atom.Atom) bool {
	for c := range n.Descendants() {
		if c.DataAtom == a {
			return true
		}
	}
	return false
}

func isAdLabel(label string) bool {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "advertisement", "advertisements", "advertising", "ad", "ads", "sponsored", "anzeige", "werbung", "publicité":
		return true
	}
	return false
}

// holdsMost reports whether more than half of the page's text is in n.
func holdsMost(n *html.Node, total int) bool {
	size := 0
	for c := range n.Descendants() {
		if c.Type == html.TextNode && countsAsText(c) {
			size += textSize(c.Data)
		}
		if size > total/2 {
			return true
		}
	}
	return false
}

// totalText returns how much text there is in n, roughly as people see it.
func totalText(n *html.Node) int {
	total := 0
	for c := range n.Descendants() {
		if c.Type == html.TextNode && countsAsText(c) {
			total += textSize(c.Data)
		}
	}
	return total
}

func countsAsText(text *html.Node) bool {
	return text.Parent == nil || roles[text.Parent.DataAtom] != never
}

// textSize counts the bytes of s that are not white space.
func textSize(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] > ' ' {
			n++
		}
	}
	return n
}

// The names below are whole words of a class or id: "top-ad" and "adSlot" have the
// word "ad", "header" and "download" do not. Names that sites also give to content
// ("menu" of a restaurant, "share" of a company) count only together with a second
// word or alone as the whole name.
var (
	// chromeWords are frame wherever they occur in a name.
	chromeWords = set("nav navbar navigation navigationbar topnav sidenav mainnav subnav menubar mainmenu topmenu " +
		"breadcrumb breadcrumbs skiplink skiplinks " +
		"gdpr ccpa " +
		"ad ads advert adverts advertisement advertisements advertising advertorial adsense adsbygoogle adslot " +
		"adunit adbox adbanner adcontainer adwrapper dfp outbrain taboola sponsored promoted " +
		"sharedaddy addthis addtoany sharethis")
	// chromeNames are frame if they are the whole name.
	chromeNames = set("menu footer pagination pager cookie cookies consent social share sharing masthead " +
		"siteheader sitefooter pagefooter topbar login")
	// bannerWords and bannerPairs are cookie banners for sure, however much they say.
	bannerWords = set("onetrust cookiebot didomi usercentrics cookieconsent cookiebanner cookienotice cookiebar")
	bannerPair  = [2]map[string]bool{set("cookie cookies consent privacy gdpr"),
		set("banner notice bar popup modal overlay message dialog alert consent warning layer")}
	// chromePairs are frame if a name has a word of both sides.
	chromePairs = []struct{ one, other map[string]bool }{
		{set("share sharing social"), set("buttons button bar links link icons icon count counts counter widget tools list")},
		{set("site page global main top app"), set("footer header menu toolbar")},
		{set("menu"), set("toggle bar dropdown mobile primary secondary header footer offcanvas")},
		{set("footer"), set("links nav bottom top widgets widget copyright wrapper container inner")},
		{set("newsletter subscribe signup"), set("banner popup modal overlay bar")},
	}
)

func set(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// maxName bounds the length of a class or id that is looked at.
const maxName = 100

func isChromeName(name string) bool {
	if len(name) > maxName {
		return false
	}
	words := nameWords(name)
	if len(words) == 1 && chromeNames[words[0]] {
		return true
	}
	for _, w := range words {
		if chromeWords[w] {
			return true
		}
	}
	for _, pair := range chromePairs {
		if hasWord(words, pair.one) && hasWord(words, pair.other) {
			return true
		}
	}
	return false
}

func isBannerName(name string) bool {
	if len(name) > maxName {
		return false
	}
	words := nameWords(name)
	for i, w := range words {
		// The two words must be different ones: "consent" is in both lists.
		others := append(words[:i:i], words[i+1:]...)
		if bannerWords[w] || bannerPair[0][w] && hasWord(others, bannerPair[1]) {
			return true
		}
	}
	return false
}

func hasWord(words []string, of map[string]bool) bool {
	for _, w := range words {
		if of[w] {
			return true
		}
	}
	return false
}

// nameWords splits "top-ad", "top_ad" and "topAd" into words, in lower case.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	small := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && small {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, unicode.ToLower(r))
		}
		small = unicode.IsLower(r)
	}
	end()
	return words
}
