package news

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tidings/lab/dataset"
	"tidings/source/feed"
)

// recording is a document of the recorded collection.
type recording struct {
	path, kind  string
	wellformed  bool
	expectation string // of its source: pass or fail, where it says whether a schema accepts it
	body        []byte
}

// recorded returns the whole collection, which is read once. Nobody changes it.
func recorded(tb testing.TB) []recording {
	tb.Helper()
	dataset.NeedDir(tb)
	docs, err := readRecorded()
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

var readRecorded = sync.OnceValues(func() ([]recording, error) {
	data, err := dataset.Dir()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(data, "news", "index.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	z, err := zip.OpenReader(filepath.Join(data, "news", "news.zip"))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var out []recording
	for _, row := range rows[1:] {
		member, err := z.Open(row[0])
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(member)
		if err != nil {
			return nil, err
		}
		out = append(out, recording{row[0], row[1], row[3] == "1", row[4], body})
	}
	return out, nil
})

// counts are what a kind of document gives.
type counts struct{ documents, withItems, items int }

// Every recorded document gives items, or an error that says where it is wrong and what.
func TestRecordedDocuments(t *testing.T) {
	want := map[string]counts{
		"nitf":                    {1, 1, 2}, // it cancels an earlier document, which is the second item
		"newsml-g2:newsItem":      {73, 73, 73},
		"newsml-g2:newsItem+nitf": {4, 4, 4},
		"newsml-g2:packageItem":   {8, 8, 8},
		"newsml-g2:newsMessage":   {2, 2, 5}, // one package of a message has no guid
		// Not news.
		"newsml-g2:conceptItem":   {10, 0, 0},
		"newsml-g2:knowledgeItem": {8, 0, 0},
		"newsml-g2:planningItem":  {4, 0, 0},
		"newsml-g2:catalogItem":   {3, 0, 0},
		"newsml-g2:catalog":       {3, 0, 0},
		// Without a root element there is no guid.
		"newsml-g2-fragment":      {3, 0, 0},
		"newsml-g2-fragment+nitf": {1, 0, 0},
		// Three are not well-formed, and one is {}.
		"ninjs": {167, 163, 176}, // one is a list of 14
	}
	got := make(map[string]counts)
	for _, r := range recorded(t) {
		d, err := Parse(r.body, "", Default())
		c := got[r.kind]
		c.documents++
		if err == nil {
			c.withItems++
			c.items += len(d.Items)
			checkDocument(t, d)
		} else {
			checkError(t, r.path, err)
		}
		got[r.kind] = c
		if err == nil && !r.wellformed {
			t.Errorf("%s is not well-formed, and gives items", r.path)
		}
		if err != nil && !errors.Is(err, ErrNotNews) && r.expectation == "pass" {
			t.Errorf("%s: %v", r.path, err)
		}
	}
	for kind := range want {
		t.Logf("%-26s %3d documents, %3d with items, %3d items", kind, got[kind].documents, got[kind].withItems,
			got[kind].items)
		if got[kind] != want[kind] {
			t.Errorf("%s: %+v, want %+v", kind, got[kind], want[kind])
		}
		delete(got, kind)
	}
	if len(got) > 0 {
		t.Errorf("kinds that nobody expects: %v", got)
	}
}

// checkError checks that an error says where a document is wrong, and what callers can do.
func checkError(t interface{ Errorf(string, ...any) }, name string, err error) {
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("%s: %v is no SyntaxError", name, err)
		return
	}
	if syntax.Problem == "" || syntax.Line == 0 && syntax.Path == "" && !errors.Is(err, ErrLimit) && !errors.Is(err,
		ErrNotNews) {
		t.Errorf("%s: %v does not say where", name, err)
	}
	kinds := 0
	for _, kind := range []error{ErrNotNews, ErrMalformed, ErrIncomplete, ErrLimit} {
		if errors.Is(err, kind) {
			kinds++
		}
	}
	if kinds != 1 {
		t.Errorf("%s: %v is of %d kinds", name, err, kinds)
	}
}

// checkDocument checks what Parse promises of any document.
func checkDocument(t interface{ Errorf(string, ...any) }, d *Document) {
	cfg := Default()
	if len(d.Items) == 0 || len(d.Items) > cfg.MaxItems || len(d.Notes) > maxNotes+2 { // two of them are Decode's
		t.Errorf("%d items, %d notes", len(d.Items), len(d.Notes))
	}
	for _, it := range d.Items {
		n := it.News
		texts := append([]string{n.GUID, n.Publisher, n.Genre, n.Headline, n.Slugline, n.Byline, n.Note, n.Language},
			it.Categories...)
		for _, s := range append(n.Subjects, n.Places...) {
			texts = append(texts, s.Code, s.Scheme, s.Name)
			if s.Code == "" && (s.Name == "" || s.Scheme != "") {
				t.Errorf("%s has the subject %+v", n.GUID, s)
			}
		}
		for _, s := range texts {
			if feed.PlainLine(s, cfg.MaxID) != s {
				t.Errorf("%q is not a clean line", s)
			}
		}
		for _, s := range []string{it.Content, it.Summary} {
			if feed.Sanitize(s, "") != s {
				t.Errorf("%q is not safe: %q", s, feed.Sanitize(s, ""))
			}
		}
		if n.GUID == "" || n.Version < 1 || n.Version > maxVersion || n.Urgency < 1 || n.Urgency > 9 || n.Status == "" {
			t.Errorf("%+v lacks something", n)
		}
		if len(n.GUID) > cfg.MaxID || len(n.Subjects) > cfg.MaxSubjects || len(n.Places) > cfg.MaxSubjects ||
			len(it.Enclosures) > cfg.MaxEnclosures {
			t.Errorf("%s is over a limit", n.GUID)
		}
		if it.ID != n.GUID || it.Title != n.Headline || it.Author != n.Byline || !it.Published.Equal(n.Created) ||
			!it.Updated.Equal(n.Revised) {
			t.Errorf("%+v and %+v differ", it.Item, n)
		}
		if topics := Topics(n); len(topics) > MaxTopics || topics[0] != TopicAny {
			t.Errorf("topics %q", topics)
		}
	}
}

// A headline or body that a document has is not lost. The items that say nothing else are conformance cases for other
// fields.
func TestRecordedItemsKeepTheirWords(t *testing.T) {
	whole, bare := 0, 0
	for _, r := range recorded(t) {
		d, err := Parse(r.body, "", Default())
		if err != nil {
			continue
		}
		it := d.Items[0]
		switch {
		case it.Title != "" || it.Content != "":
			whole++
		case hasWords(r.body):
			t.Errorf("%s: %s has a headline or body, which is lost", r.path, it.ID)
		default:
			bare++
		}
	}
	t.Logf("%d documents have a headline or body, %d do not", whole, bare)
	if whole < 110 {
		t.Errorf("only %d documents have a headline or body", whole)
	}
}

// hasWords reports whether a document plainly has a headline or body.
func hasWords(doc []byte) bool {
	var object map[string]any
	if json.Unmarshal(doc, &object) != nil {
		return xmlWords.Match(doc)
	}
	for key, value := range object {
		text, _ := value.(string)
		if jsonWords.MatchString(key) && (text != "" || len(asList(value)) > 0) {
			return true
		}
	}
	return false
}

var (
	xmlWords  = regexp.MustCompile(`<headline[^>]*>\s*[^<\s]|<hl1>\s*\S|<p>\s*\S`)
	jsonWords = regexp.MustCompile(`^(title|headlines?|bodies|headline_.*|body_.*)$`)
)

// An independent reading of NewsML-G2: the attributes and elements by name, wherever they stand.
func TestNewsMLAgreesWithAnotherReading(t *testing.T) {
	compared := 0
	for _, r := range recorded(t) {
		if !strings.HasPrefix(r.kind, "newsml-g2:newsItem") && r.kind != "newsml-g2:packageItem" {
			continue
		}
		d, err := Parse(r.body, "", Default())
		if err != nil {
			t.Errorf("%s: %v", r.path, err)
			continue
		}
		n := d.Items[0].News
		other := walkXML(t, r.body)
		version, urgency := "1", "5"
		if v := other["@version"]; v != "" {
			version = v
		}
		if u := other["urgency"]; u != "" {
			urgency = u
		}
		status := strings.TrimPrefix(other["pubStatus@qcode"], "stat:")
		if status == "" {
			status = "usable"
		}
		for _, c := range []struct{ what, got, want string }{
			{"guid", n.GUID, other["@guid"]},
			{"version", strconv.Itoa(n.Version), version},
			{"urgency", strconv.Itoa(n.Urgency), urgency},
			{"status", string(n.Status), status},
			{"headline", n.Headline, strings.Join(strings.Fields(firstOf(other["headline"], other["title"])), " ")},
			{"slugline", n.Slugline, strings.TrimSpace(other["slugline"])},
		} {
			compared++
			if c.got != c.want {
				t.Errorf("%s: %s is %q, want %q", r.path, c.what, c.got, c.want)
			}
		}
	}
	if compared < 85*6 {
		t.Errorf("only %d fields compared", compared)
	}
}

// walkXML returns the attributes of the root as "@name". Of each element directly in itemMeta or contentMeta it returns
// the text of the first of its name, and its attributes as "name@attr".
func walkXML(t *testing.T, doc []byte) map[string]string {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	out, seen := make(map[string]string), make(map[string]bool)
	var open []string
	for {
		tok, err := dec.Token()
		if err != nil {
			return out
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			for _, a := range tok.Attr {
				if len(open) == 0 {
					out["@"+a.Name.Local] = a.Value
				} else if !seen[tok.Name.Local] {
					out[tok.Name.Local+"@"+a.Name.Local] = a.Value
				}
			}
			open = append(open, tok.Name.Local)
		case xml.EndElement:
			if len(open) == 3 {
				seen[tok.Name.Local] = true
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) == 3 && strings.HasSuffix(open[1], "Meta") && !seen[open[2]] {
				out[open[2]] += string(tok)
			}
		}
	}
}

// An independent reading of ninjs: encoding/json's maps.
func TestNinjsAgreesWithAnotherReading(t *testing.T) {
	compared := 0
	for _, r := range recorded(t) {
		var object map[string]any
		if r.kind != "ninjs" || json.Unmarshal(r.body, &object) != nil || object["uri"] == nil {
			continue
		}
		d, err := Parse(r.body, "", Default())
		if err != nil {
			t.Errorf("%s: %v", r.path, err)
			continue
		}
		n := d.Items[0].News
		headline, _ := object["headline"].(string)
		for _, h := range asList(object["headlines"]) {
			if text, _ := h["value"].(string); headline == "" && h["role"] == "main" {
				headline = text
			}
		}
		urgency, ok := object["urgency"].(float64)
		if !ok {
			urgency = 5
		}
		if n.GUID != object["uri"] || n.Urgency != int(urgency) {
			t.Errorf("%s: %q, urgency %d; want %q, %v", r.path, n.GUID, n.Urgency, object["uri"], urgency)
		}
		if compared++; headline != "" && n.Headline != strings.TrimSpace(headline) {
			t.Errorf("%s: headline %q, want %q", r.path, n.Headline, headline)
		}
	}
	if compared < 160 {
		t.Errorf("only %d documents compared", compared)
	}
}

func asList(v any) (out []map[string]any) {
	list, _ := v.([]any)
	for _, e := range list {
		if o, ok := e.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

// Every recorded item is the same after it was written and read in each format.
func TestRecordedItemsSurviveWriting(t *testing.T) {
	for _, r := range recorded(t) {
		d, err := Parse(r.body, "", Default())
		if err != nil {
			continue
		}
		for _, it := range d.Items {
			checkStable(t, it)
		}
	}
}

// checkStable checks that an item stays the same when it is written and read.
func checkStable(t interface{ Errorf(string, ...any) }, it Item) {
	for _, format := range formats {
		want := it
		if format == NITF {
			want.Enclosures = nil
		}
		doc, err := Write(it, format)
		if err != nil {
			t.Errorf("%s as %s: %v", it.ID, format, err)
			continue
		}
		d, err := Parse(doc, "", Default())
		if err != nil {
			t.Errorf("%s as %s: %v\n%s", it.ID, format, err, doc)
			continue
		}
		if diff := differ(want, d.Items[0]); diff != "" {
			t.Errorf("%s as %s: %s\n%s", it.ID, format, diff, doc)
		}
	}
}
