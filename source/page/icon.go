package page

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the search for an icon.
const (
	maxIconHead  = 512 << 10 // bytes of a page
	maxIconLinks = 50
	goodIcon     = 32 // pixels a side: the smallest icon that is as large is the best
)

// IconOf returns the address of the picture that a page names as its icon: one of link rel=icon, else of
// rel=apple-touch-icon. It is "" if the page names none, or pictures of lines alone (SVG), which are not shown.
func IconOf(doc []byte, pageURL string) string {
	base, err := url.Parse(pageURL)
	if err != nil {
		return ""
	}
	best, bestRank, links := "", 0, 0
	z := html.NewTokenizer(bytes.NewReader(doc[:min(len(doc), maxIconHead)]))
	z.SetMaxBuf(maxIconHead)
	for links < maxIconLinks {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		n := html.Node{Attr: t.Attr}
		switch t.DataAtom {
		case atom.Body:
			return best
		case atom.Base:
			if to, err := base.Parse(attr(&n, "href")); err == nil && links == 0 {
				base = to
			}
		case atom.Link:
			links++
			if rank := iconRank(&n); rank > bestRank && attr(&n, "href") != "" {
				if to := webAddress(base, attr(&n, "href")); to != "" {
					best, bestRank = to, rank
				}
			}
		}
	}
	return best
}

// iconRank says how good an icon a link names; 0: none.
func iconRank(link *html.Node) int {
	rel := strings.Fields(strings.ToLower(attr(link, "rel")))
	kind := strings.ToLower(attr(link, "type"))
	path, _, _ := strings.Cut(strings.ToLower(attr(link, "href")), "?")
	if strings.HasPrefix(kind, "image/svg") || strings.HasSuffix(path, ".svg") {
		return 0
	}
	switch {
	case slices.Contains(rel, "icon"):
	case slices.Contains(rel, "apple-touch-icon"), slices.Contains(rel, "apple-touch-icon-precomposed"):
		return 1
	default:
		return 0
	}
	side, _, _ := strings.Cut(strings.ToLower(attr(link, "sizes")), "x")
	pixels, err := strconv.Atoi(strings.TrimSpace(side))
	switch {
	case err != nil || pixels <= 0 || pixels > 4096:
		return 500 // its size is not stated: most such links are of files with several
	case pixels >= goodIcon:
		return 5000 - pixels
	}
	return pixels + 2
}
