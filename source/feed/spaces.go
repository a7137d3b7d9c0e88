package feed

import "strings"

// spaces maps a namespace, in lower case, to the prefix that this package knows its
// elements by. RSS and Atom elements have none: both kinds occur in each other, and
// undeclared or misspelt namespaces of theirs are common.
var spaces = map[string]string{
	"http://backend.userland.com/rss":             "",
	"http://backend.userland.com/rss2":            "",
	"http://backend.userland.com/rss091":          "",
	"http://blogs.law.harvard.edu/tech/rss":       "",
	"http://purl.org/rss/1.0/":                    "",
	"http://purl.org/net/rss1.1#":                 "",
	"http://my.netscape.com/rdf/simple/0.9/":      "",
	"http://channel.netscape.com/rdf/simple/0.9/": "",
	"http://purl.org/rss/1.0/modules/rss091#":     "",
	"http://example.com/newformat#":               "",
	"http://example.com/necho":                    "",
	"http://purl.org/echo/":                       "",
	"uri/of/echo/namespace#":                      "",
	"http://purl.org/pie/":                        "",
	"http://purl.org/atom/ns#":                    "",
	"http://www.w3.org/2005/atom":                 "",
	"https://www.w3.org/2005/atom":                "",

	"http://purl.org/rss/1.0/modules/content/":     "content",
	"http://purl.org/dc/elements/1.0/":             "dc",
	"http://purl.org/dc/elements/1.1/":             "dc",
	"http://purl.org/dc/terms/":                    "dcterms",
	"http://purl.org/rss/1.0/modules/syndication/": "sy",
	"http://www.itunes.com/dtds/podcast-1.0.dtd":   "itunes",
	"http://example.com/dtds/podcast-1.0.dtd":      "itunes",
	"http://search.yahoo.com/mrss":                 "media",
	"http://search.yahoo.com/mrss/":                "media",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#":  "rdf",
	"http://www.w3.org/1999/xhtml":                 "xhtml",
	"http://purl.org/syndication/history/1.0":      "fh",
	"http://rssnamespace.org/feedburner/ext/1.0":   "feedburner",
	"http://www.pheedo.com/namespace/pheedo":       "pheedo",

	"http://podlove.org/simple-chapters":                                          "psc",
	"http://podlove.org/simple-chapters/":                                         "psc",
	"https://podcastindex.org/namespace/1.0":                                      "podcast",
	"https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",

	AnnouncementSpace: "tidings",
	NewsSpace:         "news",
}

// binding is a namespace declaration in force.
type binding struct {
	depth  int    // of the element that declares it
	prefix string // as the document writes it
	known  string // as this package knows it
}

// namespaces resolves names as the document writes them to elements.
type namespaces struct {
	bound []binding
	cache map[string]element // by name as written; valid until bound changes
}

// Bounds of namespaces.
const (
	maxNames    = 1000
	maxBindings = 200
)

// declare adopts the declarations among the attributes of an element.
func (n *namespaces) declare(attrs []attr, depth int) {
	for _, a := range attrs {
		prefix, ok := strings.CutPrefix(a.name, "xmlns")
		if !ok || prefix != "" && prefix[0] != ':' || len(n.bound) >= maxBindings {
			continue
		}
		prefix = strings.TrimPrefix(prefix, ":")
		known, ok := spaces[strings.ToLower(unescape(a.value))]
		if !ok {
			known = "?" // not ours, whatever the prefix suggests
			if a.value == "" || prefix == "" && depth == 0 {
				known = ""
			} else if conventional[prefix] {
				known = prefix // a misspelt namespace under its usual prefix
			}
		}
		n.bound = append(n.bound, binding{depth, prefix, known})
		n.cache = nil
	}
}

// conventional holds the prefixes that mean what they usually mean even if their
// namespace is not declared, or misspelt.
var conventional = map[string]bool{
	"content": true, "dc": true, "dcterms": true, "sy": true, "itunes": true, "media": true,
	"rdf": true, "xhtml": true, "fh": true, "feedburner": true, "pheedo": true,
}

// leave ends the declarations of elements at depth or deeper.
func (n *namespaces) leave(depth int) {
	for len(n.bound) > 0 && n.bound[len(n.bound)-1].depth >= depth {
		n.bound = n.bound[:len(n.bound)-1]
		n.cache = nil
	}
}

// element resolves a name as written.
func (n *namespaces) element(name string) element {
	if e, ok := n.cache[name]; ok {
		return e
	}
	prefix, local := splitName(name)
	local = strings.ToLower(local)
	if known := n.known(prefix); known != "" {
		local = known + ":" + local
	}
	e := elements[local]
	if n.cache == nil {
		n.cache = make(map[string]element)
	}
	if len(n.cache) < maxNames {
		n.cache[name] = e
	}
	return e
}

func (n *namespaces) known(prefix string) string {
	for i := len(n.bound) - 1; i >= 0; i-- {
		if n.bound[i].prefix == prefix {
			return n.bound[i].known
		}
	}
	if prefix == "" || prefix == "atom" || prefix == "rss" {
		return ""
	}
	return strings.ToLower(prefix)
}
