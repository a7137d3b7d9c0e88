package page

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/cpu"
)

const (
	shopPage = `<!DOCTYPE html><html><head><title>Shop</title><body><main><h1>Shop</h1><ul><li id=a data-price="2.50">Tea <b>2.50</b></li>` +
		`<li id=b data-price="3.00">Coffee <b>3.00</b></li><li>Cocoa <b>2.80</b></li></ul><p>Open <em>daily</em></p></main>`
	shopJSON = `{"shop":"Shop","items":[{"name":"Tea","price":2.50,"tags":["hot","leaf"]},{"name":"Coffee","price":3,"tags":[]},{"price":12345678901234567890,"name":"Cocoa \"dark\""}],"open":{"sun":false,"mon":true}}`
)

// How an expression begins says what it is, and each kind gives the parts that it selects.
func TestSelections(t *testing.T) {
	for name, c := range map[string]struct {
		document string
		selects  []string
		want     string
	}{
		"CSS":                    {shopPage, []string{"#b, p"}, "- Coffee 3.00/Open daily"},
		"an XPath":               {shopPage, []string{"//li[contains(., 'Tea')]"}, "- Tea 2.50"},
		"an XPath with a prefix": {shopPage, []string{"xpath:(//li)[last()]"}, "- Cocoa 2.80"},
		"nested XPaths": {shopPage, []string{"//li/b", "//ul", "//li[1]"},
			"- Tea 2.50/- Coffee 3.00/- Cocoa 2.80"},
		"an XPath and CSS":     {shopPage, []string{"p", "//h1"}, "# Shop/Open daily"},
		"attributes":           {shopPage, []string{"//li/@data-price"}, "2.50/3.00"},
		"texts":                {shopPage, []string{"//p/text()"}, "Open"},
		"a number":             {shopPage, []string{"xpath:count(//li)"}, "3"},
		"a sum":                {shopPage, []string{"xpath:sum(//li/@data-price)"}, "5.5"},
		"a text by a function": {shopPage, []string{"xpath:normalize-space(//li[2])"}, "Coffee 3.00"},
		"the whole page":       {shopPage, []string{"/"}, "# Shop/- Tea 2.50/- Coffee 3.00/- Cocoa 2.80/Open daily"},
		"a JSONPath":           {shopJSON, []string{"$.items[*].price"}, "2.50/3/12345678901234567890"},
		"a text in JSON":       {shopJSON, []string{"$.items[2]['name']"}, `Cocoa "dark"`},
		"a condition":          {shopJSON, []string{"$.items[?@.price < 3 && @.name].name"}, "Tea"},
		"descendants":          {shopJSON, []string{"$..name"}, `Tea/Coffee/Cocoa "dark"`},
		"a slice, and backwards": {shopJSON, []string{"$.items[:2].name", "$.items[::-1].name"},
			`Tea/Coffee/Cocoa "dark"/Coffee/Tea`},
		"the last":                {shopJSON, []string{"$.items[-1].price"}, "12345678901234567890"},
		"an object, by its names": {shopJSON, []string{"$.open"}, `{/  "mon": true,/  "sun": false/}`},
		"members, by their names": {shopJSON, []string{"$.open.*"}, "true/false"},
		"a union":                 {shopJSON, []string{"$.items[0]['price','name']"}, "2.50/Tea"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Extract([]byte(c.document), "", "https://shop.example/", tidings.PageOptions{Select: c.selects},
				Noise{}, Default())
			if got := strings.Join(doc.Lines, "/"); err != nil || got != c.want {
				t.Errorf("%q gives %q, want %q: %v", c.selects, got, c.want, err)
			}
		})
	}
}

// What matches nothing is said by name, with what the document would have.
func TestSelectionsThatMatchNothing(t *testing.T) {
	for name, c := range map[string]struct{ document, selects, want string }{
		"CSS":                    {shopPage, "#none", `nothing on the page matches --select "#none"`},
		"an XPath":               {shopPage, "//table", `matches --select "//table"`},
		"a JSONPath":             {shopJSON, "$.none", `matches --select "$.none"`},
		"a JSONPath on a page":   {shopPage, "$.none", "it is a web page"},
		"CSS on JSON":            {shopJSON, "#a", "$.items[*].price"},
		"an XPath on plain text": {"a\nb", "//a", "no web page and no JSON"},
		"a JSONPath on broken":   {`{"a":1,}`, "$.a", "matches --select"},
	} {
		contentType := ""
		if strings.HasPrefix(name, "a JSONPath on broken") {
			contentType = "application/json"
		}
		_, err := Extract([]byte(c.document), contentType, "https://shop.example/",
			tidings.PageOptions{Select: []string{c.selects}}, Noise{}, Default())
		if !errors.Is(err, ErrNoMatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSelectionsThatCannotBeUsed(t *testing.T) {
	for option, want := range map[string]string{
		"$.a[":                      "not a JSONPath",
		"$x":                        "not a JSONPath",
		"$.a[?@..b]":                "names and numbers alone",
		"$.a[?@[*]]":                "names and numbers alone",
		"$.a[?$.b]":                 "names and numbers alone",
		"$.a[?@[?@.b]]":             "names and numbers alone",
		"$.a[?@['b','c']]":          "names and numbers alone",
		"//a[":                      "not an XPath",
		"xpath:":                    "not an XPath",
		"#a[":                       "not a CSS selector",
		strings.Repeat("/a", 1_000): "too long",
		" ":                         "empty",
	} {
		err := Validate(tidings.PageOptions{Select: []string{option}})
		if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", option, err)
		}
	}
	if err := Validate(tidings.PageOptions{Select: []string{"$.a[?@.b == '*..$?' && @['c,d'] == \"x\\\"*\"]",
		"$.a[?match(@.b, 'x.*')]"}}); err != nil {
		t.Errorf("signs in texts: %v", err)
	}
	if err := Validate(tidings.PageOptions{Select: []string{"$.a", "#b"}}); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a JSONPath beside a selector: %v", err)
	}
}

// Expressions that would go through a document for ever end, and say why.
func TestHostileSelectionsAreBounded(t *testing.T) {
	page := "<!DOCTYPE html><body>" + strings.Repeat("<div><p>a</p>", 300) + strings.Repeat("<p>b", 5_000)
	list := "[" + strings.Repeat("[[1,2],[3,4]],", 20_000) + "0]"
	nested := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)
	deep := strings.Repeat("[", 95) + "1" + strings.Repeat("]", 95)
	for _, c := range []struct{ document, selects string }{
		{page, "//*[count(//*[count(//*) > 1]) > 1]"},
		{page, "//*//*//*//*//*"},
		{page, "//p[. = //div]"},
		{page, "//*[count(preceding::*) > count(following::*)]"},
		{list, "$..*..*"},
		{deep, "$..*..*..*..*..*..*"},
		{deep, "$" + strings.Repeat("[*,*]", 90)},
		{deep, "$" + strings.Repeat("[0,0]", 90)},
		{nested, "$..*"},
		{nested, "$..[0]..[0]..[0]"},
	} {
		began := cpu.Time()
		doc, err := Extract([]byte(c.document), "", "https://shop.example/",
			tidings.PageOptions{Select: []string{c.selects}}, Noise{}, Default())
		if took := cpu.Time() - began; took > time.Minute {
			t.Errorf("%.40s took %v", c.selects, took)
		}
		if err != nil && !strings.Contains(err.Error(), "steps") && !strings.Contains(err.Error(), "places") &&
			!strings.Contains(err.Error(), "nests deeper") {
			t.Errorf("%.40s: %v", c.selects, err)
		}
		if len(doc.Lines) > Default().MaxLines {
			t.Errorf("%.40s: %d lines", c.selects, len(doc.Lines))
		}
	}
}

// Whatever is asked for of whatever document, the answer is lines or an error, and the same twice.
func FuzzSelect(f *testing.F) {
	seeds, err := filepath.Glob("testdata/fuzz/FuzzSelect/*")
	if err != nil || len(seeds) < 2 {
		f.Fatalf("the seeds are gone: %v", err)
	}
	for _, s := range []string{"//li[2]/@id", "$..[?@.price > 2]", "xpath:string-length(//b)", "ul > li:nth-child(2)",
		"$.items[1:5:2]"} {
		f.Add(s, shopPage)
		f.Add(s, shopJSON)
	}
	f.Fuzz(func(t *testing.T, option, document string) {
		o := tidings.PageOptions{Select: []string{option}}
		read := func() string {
			doc, err := Extract([]byte(document), "", "https://shop.example/", o, Noise{}, Default())
			if err == nil {
				if err := CheckLines(doc.Lines, Default()); err != nil {
					t.Fatal(err)
				}
			}
			return fmt.Sprint(doc.Lines, err)
		}
		if first, again := read(), read(); first != again {
			t.Fatalf("read twice: %q, %q", first, again)
		}
	})
}

// Numbers that XPaths compute are written as numbers.
func TestNumbersOfXPaths(t *testing.T) {
	doc, err := Extract([]byte(shopPage), "", "", tidings.PageOptions{Select: []string{"xpath:number(//h1)"}}, Noise{},
		Default())
	if err != nil || len(doc.Lines) != 1 || doc.Lines[0] != fmt.Sprint(math.NaN()) {
		t.Errorf("what is no number gives %q: %v", doc.Lines, err)
	}
}
