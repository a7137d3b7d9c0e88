package news

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings/lab/cost"
	"tidings/lab/dataset"
)

// Documents that are built to exhaust their reader are refused or cut within a second of the processor.
func TestHostileDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	many := func(head, piece string, n int, tail string) string { return head + strings.Repeat(piece, n) + tail }
	laughs := `<!DOCTYPE nitf [<!ENTITY l0 "ha">`
	for i := 1; i < 30; i++ {
		laughs += fmt.Sprintf(`<!ENTITY l%d "&l%d;&l%d;">`, i, i-1, i-1)
	}
	laughs += `]><nitf>&l29;</nitf>`
	for _, c := range []struct {
		name, doc string
		want      error // nil: it gives an item
	}{
		{"deep XML", many("<newsItem guid='x'>", "<a>", 2_000_000, ""), ErrLimit},
		{"deep JSON", many(`{"uri":"x","a":`, "[", 5_000_000, ""), ErrLimit},
		{"deep JSON objects", many(``, `{"a":`, 2_000_000, ""), ErrLimit},
		{"a billion laughs", laughs, ErrMalformed},
		{"many elements", many("<newsItem guid='x'>", "<a/>", 3_000_000, "</newsItem>"), ErrLimit},
		{"many attributes", many("<newsItem guid='x' ", "a='' ", 2_000_000, "/>"), ErrLimit},
		{"many texts", many("<newsItem guid='x'>", "a<!---->", 1_500_000, "</newsItem>"), ErrLimit},
		{"many values", many(`{"uri":"x","subject":[`, "0,", 5_000_000, "0]}"), ErrLimit},
		{"over the limit of bytes", many("<newsItem guid='x'>", " ", 16<<20, "</newsItem>"), ErrLimit},
		{"long doctype", many("<!DOCTYPE nitf [", "<!ELEMENT a ANY>", 700_000, "]><nitf/>"), ErrIncomplete},
		{"10 MB of text in NewsML-G2", many("<newsItem guid='x'><contentSet><inlineData>", "<![CDATA[a < b ]]>",
			600_000, "</inlineData></contentSet></newsItem>"), ErrLimit},
		{"10 MB of one text", many("<newsItem guid='x'><contentSet><inlineData>", "a &lt; b\n", 1_100_000,
			"</inlineData></contentSet></newsItem>"), nil},
		{"10 MB of NITF",
			many("<nitf><head><docdata><doc-id id-string='x'/></docdata></head><body><body.head><hedline><hl1>", "a b ",
				2_500_000, "</hl1></hedline></body.head></body></nitf>"), nil},
		{"10 MB of ninjs", many(`{"uri":"x","body_html":"`, "<p><b>x", 1_400_000, `"}`), nil},
		{"10 MB of description", many(`{"uri":"x","description_text":"`, "<a b ", 2_000_000, `"}`), nil},
		{"many subjects", many("<newsItem guid='x'><contentMeta>", "<subject qcode='a:b'><name>x</name></subject>",
			70_000, "</contentMeta></newsItem>"), nil},
		{"many items", many("<newsMessage><itemSet>", "<newsItem guid='x'/>", 100_000, "</itemSet></newsMessage>"),
			nil},
		{"many broken items", many("<newsMessage><itemSet>", "<newsItem/>", 200_000, "</itemSet></newsMessage>"),
			ErrIncomplete},
		{"many headlines", many(`{"uri":"x","headlines":[`, `{"role":"x"},`, 140_000, `{}]}`), nil},
		{"unclosed comment", many("<newsItem guid='x'><!--", "x", 10<<20, ""), ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			most := time.Duration(float64(time.Second) * cost.Pace())
			var d *Document
			var err error
			took := cost.Best(most, func() { d, err = Parse([]byte(c.doc), "", Default()) })
			if took > most && !cost.RaceDetector() {
				t.Errorf("took %v", took)
			}
			switch {
			case c.want == nil && err != nil, !errors.Is(err, c.want):
				t.Errorf("got %v, want %v", err, c.want)
			case err == nil:
				checkDocument(t, d)
				if it := d.Items[0]; len(it.Content) > 6*Default().MaxText ||
					len(it.Summary) > 6*4*Default().MaxSummary {
					t.Errorf("%d bytes of content, %d of summary", len(it.Content), len(it.Summary))
				}
			default:
				checkError(t, c.name, err)
			}
			t.Logf("%v", took)
		})
	}
}

// Each limit holds at the bound, and one beside it.
func TestLimits(t *testing.T) {
	item := func(inside string) string {
		return "<newsItem guid='x'><contentMeta>" + inside + "</contentMeta></newsItem>"
	}
	cfg := Config{MaxBytes: 1000, MaxDepth: 4, MaxNodes: 20, MaxItems: 2, MaxSubjects: 2, MaxEnclosures: 2, MaxID: 8,
		MaxLine: 10, MaxSummary: 10, MaxText: 20}
	for _, c := range []struct {
		name, fits, over string
		isOver           func(*Document, error) bool
	}{
		{"bytes", "<newsItem guid='x'>" + strings.Repeat(" ", 970) + "</newsItem>", "<newsItem guid='x'>" +
			strings.Repeat(" ", 971) + "</newsItem>", isLimit},
		{"depth", item("<a><b/></a>"), item("<a><b><c/></b></a>"), isLimit},
		{"depth of JSON", `{"uri":"x","a":[[[]]]}`, `{"uri":"x","a":[[[[]]]]}`, isLimit},
		{"nodes", item(strings.Repeat("<a/>", 17)), item(strings.Repeat("<a/>", 18)), isLimit},
		{"values", `{"uri":"x","a":[` + strings.Repeat("0,", 16) + `0]}`, `{"uri":"x","a":[` +
			strings.Repeat("0,", 17) + `0]}`, isLimit},
		{"id", "<newsItem guid='12345678'/>", "<newsItem guid='123456789'/>", isLimit},
		{"items", `[{"uri":"1"},{"uri":"2"}]`, `[{"uri":"1"},{"uri":"2"},{"uri":"3"}]`, isNoted},
		{"subjects", `{"uri":"x","subject":["a","b"]}`, `{"uri":"x","subject":["a","b","c"]}`, isNoted},
		{"places", `{"uri":"x","place":["a","b"]}`, `{"uri":"x","place":["a","b","c"]}`, isNoted},
		{"text", `{"uri":"x","body_text":"12345678901234567890"}`, `{"uri":"x","body_text":"123456789012345678901"}`,
			isNoted},
		{"line", item("<headline>1234567890</headline>"), item("<headline>12345678901</headline>"),
			func(d *Document, err error) bool {
				return err == nil && d.Items[0].Title == "1234567890…"
			}},
		{"summary", `{"uri":"x","description_text":"1234567890"}`, `{"uri":"x","description_text":"12345678901"}`,
			func(d *Document, err error) bool {
				return err == nil && d.Items[0].Summary == "1234567890…"
			}},
	} {
		if d, err := Parse([]byte(c.fits), "", cfg); err != nil || len(d.Notes) > 0 || c.isOver(d, err) {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
		if d, err := Parse([]byte(c.over), "", cfg); !c.isOver(d, err) {
			t.Errorf("%s: one more gives %+v, %v", c.name, d, err)
		}
	}
	var files strings.Builder
	for i := range 3 {
		fmt.Fprintf(&files, `<remoteContent href="http://a.example/%d"/>`, i)
	}
	d, err := Parse([]byte("<newsItem guid='x'><contentSet>"+files.String()+"</contentSet></newsItem>"), "", cfg)
	if err != nil || len(d.Items[0].Enclosures) != 2 || len(d.Notes) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

func isLimit(_ *Document, err error) bool { return errors.Is(err, ErrLimit) }

func isNoted(d *Document, err error) bool {
	return err == nil && len(d.Notes) == 1 && strings.Contains(d.Notes[0], "the rest is")
}

func TestConfigIsValidated(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	bad := Default()
	bad.MaxSummary = 0
	if bad.Validate() == nil {
		t.Error("a limit of 0 is valid")
	}
}

// seeds are documents for the fuzzers: those of testdata, and recorded ones where there are any.
func seeds(tb testing.TB) map[string][]byte {
	tb.Helper()
	out := make(map[string][]byte)
	files, err := filepath.Glob("testdata/documents/*[lmn]")
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		if out[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := dataset.Dir(); err == nil {
		for i, r := range recorded(tb) {
			if i%5 == 0 {
				out[r.path] = r.body
			}
		}
	}
	return out
}

func TestFuzzersHaveSeeds(t *testing.T) {
	have := make(map[Format]int)
	for _, doc := range seeds(t) {
		have[Sniff(doc, "")]++
	}
	for _, format := range formats {
		if have[format] < 2 {
			t.Errorf("%d seeds of %s", have[format], format)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, doc := range seeds(f) {
		f.Add(doc, "")
	}
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		d, err := Parse(doc, contentType, Default())
		if err != nil {
			checkError(t, "it", err)
			return
		}
		checkDocument(t, d)
		for _, it := range d.Items {
			checkStable(t, it)
		}
	})
}
