package news

import (
	"encoding/json"
	"encoding/xml"
	"strings"

	"tidings/source/feed"
)

// Format is a format of news documents.
type Format string

// The formats.
const (
	Unknown  Format = ""
	NITF     Format = "nitf"      // News Industry Text Format 3.x
	NewsMLG2 Format = "newsml-g2" // NewsML-G2, whatever it carries
	Ninjs    Format = "ninjs"     // News in JSON 1.x, 2.x and 3.x
)

// String names the format as IPTC writes it.
func (f Format) String() string {
	switch f {
	case NITF:
		return "NITF"
	case NewsMLG2:
		return "NewsML-G2"
	case Ninjs:
		return "ninjs"
	}
	return "unknown format"
}

// sniffed bounds how many bytes of a document Sniff reads.
const sniffed = 256 << 10

// Sniff returns the format of a document by its root element, or by the keys of its first JSON object, and its type. It
// returns Unknown for everything that is no news document, feeds and JSON Feed included. That it returns a format does
// not mean that Parse finds an item.
func Sniff(doc []byte, contentType string) Format {
	text, _ := feed.Decode(doc[:min(len(doc), sniffed)], contentType)
	text = strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.HasPrefix(text, "<"):
		return sniffXML(text)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return sniffJSON(text)
	}
	return Unknown
}

func sniffXML(text string) Format {
	dec := newDecoder(text)
	for {
		tok, err := dec.RawToken()
		if err != nil {
			return Unknown
		}
		if start, ok := tok.(xml.StartElement); ok {
			return formatOf(start.Name.Local)
		}
	}
}

// formatOf returns the format of a document by the local name of its root element.
func formatOf(root string) Format {
	switch {
	case root == "nitf":
		return NITF
	case root == "newsMessage", newsKinds[root], otherKinds[root] != "":
		return NewsMLG2
	}
	return Unknown
}

// signs are keys that ninjs objects have and other JSON has rarely.
var signs = map[string]bool{
	"$standard": true, "standard": true, "versioncreated": true, "versionCreated": true, "pubstatus": true,
	"pubStatus": true, "headline": true, "headlines": true, "body_text": true, "body_html": true, "body_xhtml": true,
	"bodies": true, "representationtype": true, "representationType": true, "firstcreated": true, "firstCreated": true,
	"copyrightholder": true, "copyrightHolder": true, "slugline": true, "byline": true,
	"descriptions": true, "description_text": true, "body_main": true, "infosource": true, "infoSources": true,
	"ednote": true, "edNote": true,
	"copyrightnotice": true, "copyrightNotice": true, "usageterms": true, "usageTerms": true, "rightsinfo": true,
	"rightsInfo": true,
	"altids":     true, "altIds": true, "embargoed": true, "embargoedUntil": true,
}

// types are the values of the key "type" in ninjs, as they are written.
var types = map[string]bool{`"text"`: true, `"audio"`: true, `"video"`: true, `"picture"`: true, `"graphic"`: true,
	`"composite"`: true}

// sniffJSON goes by the keys of the first object, and by its type.
func sniffJSON(text string) Format {
	dec := json.NewDecoder(strings.NewReader(text))
	for tok := json.Token(json.Delim('[')); tok == json.Delim('['); {
		var err error
		if tok, err = dec.Token(); err != nil || tok != json.Delim('[') && tok != json.Delim('{') {
			return Unknown
		}
	}
	hasURI, hasSign := false, false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Unknown
		}
		name, _ := key.(string)
		hasURI, hasSign = hasURI || name == "uri", hasSign || signs[name]
		if hasURI && hasSign {
			return Ninjs
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return Unknown
		}
		if hasSign = hasSign || name == "type" && types[string(value)]; hasURI && hasSign {
			return Ninjs
		}
	}
	return Unknown
}
