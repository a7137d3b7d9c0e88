package news

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"tidings"
)

// ninjsItem is an item as ninjs 3.1 has it, as far as it is written here.
type ninjsItem struct {
	Standard     ninjsStandard    `json:"standard"`
	URI          string           `json:"uri"`
	Type         string           `json:"type"`
	Version      string           `json:"version"`
	FirstCreated string           `json:"firstCreated,omitempty"`
	Revised      string           `json:"versionCreated,omitempty"`
	Embargo      string           `json:"embargoedUntil,omitempty"`
	Expires      string           `json:"expires,omitempty"`
	Status       string           `json:"pubStatus"`
	Urgency      int              `json:"urgency"`
	Language     string           `json:"language,omitempty"`
	Slugline     string           `json:"slugline,omitempty"`
	Byline       string           `json:"by,omitempty"`
	Note         string           `json:"edNote,omitempty"`
	Headlines    []ninjsText      `json:"headlines,omitempty"`
	Descriptions []ninjsText      `json:"descriptions,omitempty"`
	Bodies       []ninjsText      `json:"bodies,omitempty"`
	Sources      []ninjsConcept   `json:"infoSources,omitempty"`
	Genres       []ninjsConcept   `json:"genres,omitempty"`
	Subjects     []ninjsConcept   `json:"subjects,omitempty"`
	Places       []ninjsConcept   `json:"places,omitempty"`
	Renditions   []ninjsRendition `json:"renditions,omitempty"`
	Associations []ninjsConcept   `json:"associations,omitempty"`
}

type ninjsStandard struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Schema  string `json:"schema"`
}

type ninjsText struct {
	Role        string `json:"role"`
	ContentType string `json:"contentType"`
	Value       string `json:"value"`
}

type ninjsConcept struct {
	Name    string `json:"name,omitempty"`
	URI     string `json:"uri,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type ninjsRendition struct {
	Name        string `json:"name"`
	Href        string `json:"href"`
	ContentType string `json:"contentType,omitempty"`
	SizeInBytes int64  `json:"sizeInBytes,omitempty"`
}

// writeNinjs writes an item. ninjs has no field for a signal: it is the name of an association of the item with itself.
func writeNinjs(it Item) ([]byte, error) {
	n := it.News
	out := ninjsItem{
		Standard: ninjsStandard{"ninjs", "3.1", "https://www.iptc.org/std/ninjs/ninjs-schema_3.1.json"},
		URI:      n.GUID, Type: "text", Version: strconv.Itoa(n.Version),
		FirstCreated: formatDate(n.Created), Revised: formatDate(n.Revised),
		Embargo: formatDate(n.Embargo), Expires: formatDate(n.Expires),
		Status: string(n.Status), Urgency: n.Urgency, Language: n.Language,
		Slugline: n.Slugline, Byline: n.Byline, Note: n.Note,
		Headlines:    ninjsTexts("main", "text/plain", n.Headline),
		Descriptions: ninjsTexts("summary", "text/plain", it.Summary),
		Bodies:       ninjsTexts("main", "text/html", it.Content),
		Sources:      ninjsNames(n.Publisher), Genres: ninjsNames(n.Genre),
		Subjects: ninjsConcepts(n.Subjects), Places: ninjsConcepts(n.Places),
	}
	if it.URL != webURL(n.GUID) {
		out.Renditions = append(out.Renditions, ninjsRendition{Name: "web", Href: it.URL, ContentType: "text/html"})
	}
	for i, e := range it.Enclosures {
		out.Renditions = append(out.Renditions, ninjsRendition{fmt.Sprintf("file%d", i+1), e.URL, e.Type, e.Length})
	}
	if n.Signal != "" {
		out.Associations = []ninjsConcept{{Name: string(n.Signal), URI: n.GUID}}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("writing ninjs: %w", err)
	}
	return b.Bytes(), nil
}

func ninjsTexts(role, kind, value string) []ninjsText {
	if value == "" {
		return nil
	}
	return []ninjsText{{role, kind, value}}
}

func ninjsNames(name string) []ninjsConcept {
	if name == "" {
		return nil
	}
	return []ninjsConcept{{Name: name}}
}

func ninjsConcepts(list []tidings.Subject) (out []ninjsConcept) {
	for _, s := range list {
		c := ninjsConcept{Name: s.Name, Literal: s.Code}
		if s.Scheme != "" {
			c.URI = toURI(s.Scheme, s.Code)
		}
		out = append(out, c)
	}
	return out
}
