package feed

import "testing"

func TestIconOfAFeed(t *testing.T) {
	const entry = `<item><title>x</title><link>https://example.org/x</link></item>`
	for name, c := range map[string]struct{ doc, want string }{
		"RSS": {`<rss><channel><title>T</title><image><url>/i.png</url><title>I</title><link>https://example.org/</link></image>` + entry + `</channel></rss>`, "https://example.org/i.png"},
		"RSS of a podcast": {`<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>T</title><itunes:image href="https://example.org/cover.jpg"/>` + entry + `</channel></rss>`,
			"https://example.org/cover.jpg"},
		"RSS 1.0": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>T</title></channel><image><url>https://example.org/i.png</url></image>` + entry + `</rdf:RDF>`,
			"https://example.org/i.png"},
		"Atom":             {`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><logo>/wide.png</logo><icon>/i.ico</icon><entry><title>x</title><id>y</id></entry></feed>`, "https://example.org/i.ico"},
		"Atom with a logo": {`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://cdn.example.net/"><title>T</title><logo>wide.png</logo><entry><title>x</title><id>y</id></entry></feed>`, "https://cdn.example.net/wide.png"},
		"JSON Feed":        {`{"version":"https://jsonfeed.org/version/1.1","title":"T","icon":"https://example.org/large.png","favicon":"/i.png","items":[{"id":"1","content_text":"x"}]}`, "https://example.org/i.png"},
		"none":             {`<rss><channel><title>T</title>` + entry + `</channel></rss>`, ""},
		"of an item":       {`<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>T</title><item><title>x</title><link>https://example.org/x</link><itunes:image href="/e.jpg"/><image><url>/i.png</url></image><icon>/o.png</icon></item></channel></rss>`, ""},
		"of a form":        {`<rss><channel><title>T</title><textInput><image><url>/i.png</url></image></textInput><url>/u.png</url>` + entry + `</channel></rss>`, ""},
		"no web": {`<rss><channel><title>T</title><image><url>data:image/png;base64,AAAA</url></image>` +
			entry + `</channel></rss>`, ""},
	} {
		d, err := Parse([]byte(c.doc), "", "https://example.org/feed", Default())
		if err != nil || d.Icon != c.want || d.Title != "T" {
			t.Errorf("%s: %q of %q, %v, want %q", name, d.Icon, d.Title, err, c.want)
		}
	}
}
