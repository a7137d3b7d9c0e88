package page

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isChrome reports whether an element is frame and not core: navigation, the header or
// footer of the site, a cookie banner or an advertisement. total is how much text the
// whole page has: what is known by its names only, and holds most of the page, is not
// believed. inPart is whether it stands in an article or another part that may have a
// header of its own.
func isChrome(n *html.Node, total int, inPart bool) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return false
	case atom.Nav:
		return true
	case atom.Header:
		return !inPart && !contains(n, atom.H1)
	case atom.Footer:
		return !inPart
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
			for name := range classesOf(a.Val) {
				chrome, banner := namesFrame(name)
				marked, sure = marked || chrome, sure || banner
			}
		case a.Key == "id":
			chrome, banner := namesFrame(a.Val)
			marked, sure = marked || chrome, sure || banner
		case a.Key == "aria-label":
			marked = marked || isAdLabel(a.Val)
		case strings.HasPrefix(a.Key, "data-ad-"), strings.HasPrefix(a.Key, "data-google-query"):
			marked = true
		}
	}
	return sure || marked && !holdsMost(n, total)
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

// The names below are whole words of a class or id: "top-ad" and "adSlot" have the word "ad", "header" and "download"
// do not. Sites also give names such as "menu" (of a restaurant) and "share" (of a company) to content. These count
// only together with a second word or alone as the whole name.
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
		{set("share sharing social"),
			set("buttons button bar links link icons icon count counts counter widget tools list")},
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

const (
	maxName    = 100 // bytes of a class or id that is looked at
	maxClasses = 50  // of an element, that are looked at
)

// classesOf returns the first classes that an attribute holds.
func classesOf(attr string) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := 0
		for name := range strings.FieldsSeq(attr) {
			if n++; n > maxClasses || !yield(name) {
				return
			}
		}
	}
}

// Sets of words as bits of frameWords; above them, two for each of chromePairs.
const (
	inChromeWords = 1 << iota
	inChromeNames
	inBannerWords
	inBannerOne
	inBannerOther
	inChromePairs // the first bit of them
)

// frameWords has for each word the sets that it is in, so that it is looked up once.
var frameWords = func() map[string]int {
	m := map[string]int{}
	add := func(bit int, words map[string]bool) {
		for w := range words {
			m[w] |= bit
		}
	}
	add(inChromeWords, chromeWords)
	add(inChromeNames, chromeNames)
	add(inBannerWords, bannerWords)
	add(inBannerOne, bannerPair[0])
	add(inBannerOther, bannerPair[1])
	for i, pair := range chromePairs {
		add(inChromePairs<<(2*i), pair.one)
		add(inChromePairs<<(2*i+1), pair.other)
	}
	return m
}()

// namesFrame reports whether a class or id is one of the page's frame, and whether it is certainly one of a cookie
// banner.
func namesFrame(name string) (chrome, banner bool) {
	if len(name) > maxName {
		return false, false
	}
	words, in, one, other, both := 0, 0, 0, 0, 0
	for sets := range wordSets(name) {
		words++
		in |= sets
		if sets&inBannerOne != 0 {
			one++
		}
		if sets&inBannerOther != 0 {
			other++
		}
		if sets&inBannerOne != 0 && sets&inBannerOther != 0 {
			both++
		}
	}
	chrome = in&inChromeWords != 0 || words == 1 && in&inChromeNames != 0
	for i := range chromePairs {
		pair := inChromePairs << (2 * i) * 3
		chrome = chrome || in&pair == pair
	}
	// The two words must be different ones: "consent" is in both lists.
	paired := one > 0 && other > 0 && (one > 1 || other > 1 || both == 0)
	return chrome, in&inBannerWords != 0 || paired
}

// wordSets splits "top-ad", "top_ad" and "topAd" into words, and gives the sets that each is in, whatever its case.
func wordSets(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		word := make([]byte, 0, 2*maxName)
		small := false
		for _, r := range name {
			written := unicode.IsLetter(r) || unicode.IsDigit(r)
			if len(word) > 0 && (!written || unicode.IsUpper(r) && small) {
				if !yield(frameWords[string(word)]) {
					return
				}
				word = word[:0]
			}
			if written {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			small = unicode.IsLower(r)
		}
		if len(word) > 0 {
			yield(frameWords[string(word)])
		}
	}
}
