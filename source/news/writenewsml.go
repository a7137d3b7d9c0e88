package news

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// catalog is the catalog that defines the aliases of IPTC's own schemes: medtop, subj, stat, sig and the like.
const catalog = "http://www.iptc.org/std/catalog/catalog.IPTC-G2-Standards_35.xml"

// newsMessage makes a message, sent at a time, of documents with an item each.
func newsMessage(docs [][]byte, sent time.Time) []byte {
	w := &writer{}
	w.WriteString(xml.Header)
	w.start("newsMessage", "xmlns", "http://iptc.org/std/nar/2006-10-01/")
	w.start("header")
	w.leaf("sent", formatDate(sent))
	w.end()
	w.start("itemSet")
	for _, doc := range docs {
		w.Write(bytes.TrimPrefix(doc, []byte(xml.Header)))
	}
	w.end()
	w.end()
	return []byte(w.String())
}

func writeNewsML(it Item) string {
	n := it.News
	w := &writer{}
	w.WriteString(xml.Header)
	w.start("newsItem", "xmlns", "http://iptc.org/std/nar/2006-10-01/", "guid", n.GUID, "version",
		strconv.Itoa(n.Version),
		"standard", "NewsML-G2", "standardversion", "2.35", "conformance", "power", "xml:lang", n.Language)
	w.leaf("catalogRef", "", "href", catalog)
	w.start("itemMeta")
	w.leaf("itemClass", "", "qcode", "ninat:text")
	w.leaf("provider", "", "literal", n.Publisher)
	w.leaf("versionCreated", formatDate(n.Revised))
	w.leaf("firstCreated", formatDate(n.Created))
	w.leaf("embargoed", formatDate(n.Embargo))
	w.leaf("pubStatus", "", "qcode", "stat:"+string(n.Status))
	w.leaf("expires", formatDate(n.Expires))
	w.leaf("edNote", n.Note)
	if n.Signal != "" {
		w.leaf("signal", "", "qcode", "sig:"+string(n.Signal))
	}
	w.end()
	w.start("contentMeta")
	w.leaf("urgency", strconv.Itoa(n.Urgency))
	w.leaf("language", "", "tag", n.Language)
	w.leaf("genre", "", "literal", n.Genre)
	for _, s := range n.Subjects {
		writeConcept(w, s, "")
	}
	for _, s := range n.Places {
		writeConcept(w, s, "cpnat:geoArea")
	}
	w.leaf("slugline", n.Slugline)
	w.leaf("headline", n.Headline)
	w.leaf("by", n.Byline)
	w.leaf("description", it.Summary, "role", "drol:summary")
	w.end()
	w.start("contentSet")
	w.leaf("inlineData", it.Content, "contenttype", "text/html")
	if it.URL != webURL(n.GUID) {
		w.leaf("remoteContent", "", "href", it.URL, "contenttype", "text/html")
	}
	for _, e := range it.Enclosures {
		size := ""
		if e.Length > 0 {
			size = strconv.FormatInt(e.Length, 10)
		}
		w.leaf("remoteContent", "", "href", e.URL, "contenttype", e.Type, "size", size)
	}
	w.end()
	w.end()
	return w.String()
}

// writeConcept writes a subject: with a qcode where its scheme is an alias, else with a URI.
func writeConcept(w *writer, s tidings.Subject, kind string) {
	attrs := []string{"type", kind}
	switch {
	case s.Scheme == "":
		attrs = append(attrs, "literal", s.Code)
	case strings.ContainsAny(s.Scheme, ": "):
		attrs = append(attrs, "uri", toURI(s.Scheme, s.Code), "literal", s.Code)
	default:
		attrs = append(attrs, "qcode", s.Scheme+":"+s.Code)
	}
	w.start("subject", attrs...)
	w.leaf("name", s.Name)
	w.end()
}
