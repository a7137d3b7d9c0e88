// Package markup says, once for all layers, which HTML of strangers may stay. Readers of feeds and news sanitise what
// they store with it, and the page what it shows, whichever way that came into the store. Its text is read here, too,
// for places that show no HTML.
package markup

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// Sanitize returns HTML without what runs, loads, submits or restyles. It keeps no scripts, styles, forms, frames, SVG
// or MathML, and no handlers. The only links are absolute ones with http, https or mailto. Its tags may be left
// unbalanced.
func Sanitize(html string) string { return policy().Sanitize(html) }

var (
	span  = regexp.MustCompile(`^(?:[1-9][0-9]?|100)$`) // of cells
	place = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)     // in a list
)

var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("abbr", "address", "article", "aside", "audio", "b", "bdi", "big", "br", "caption", "center",
		"cite", "code", "dd", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer",
		"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "kbd", "li", "main", "mark", "ol", "p", "picture",
		"pre",
		"q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary", "sup",
		"table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr", "del",
		"ins", "blockquote", "nav", "bdo")
	p.SkipElementsContent("svg", "math", "template", "title", "textarea", "form", "button", "select", "canvas", "xmp")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.AllowAttrs("href", "title", "rel").OnElements("a")
	p.AllowAttrs("src", "alt", "title").OnElements("img")
	p.AllowAttrs("src", "poster").OnElements("audio", "video")
	p.AllowAttrs("controls").OnElements("audio", "video")
	p.AllowAttrs("src").OnElements("source")
	p.AllowAttrs("type").Matching(bluemonday.Paragraph).OnElements("source")
	p.AllowAttrs("width", "height").Matching(bluemonday.NumberOrPercent).OnElements("img", "video")
	p.AllowAttrs("colspan", "rowspan").Matching(span).OnElements("td", "th")
	p.AllowAttrs("start").Matching(place).OnElements("ol")
	p.AllowAttrs("value").Matching(place).OnElements("li")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time", "del", "ins")
	p.AllowAttrs("cite").OnElements("blockquote", "q", "del", "ins")
	p.AllowAttrs("title").OnElements("abbr", "dfn")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(bluemonday.Paragraph).Globally()
	return p
})
