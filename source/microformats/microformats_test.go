package microformats

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/lab/cpu"
	"tidings/source/page"
)

const pageURL = "https://blog.example/posts/"

func parse(t testing.TB, markup string) []*Item {
	t.Helper()
	root, ok := page.TreeOf([]byte("<!DOCTYPE html><html><body>"+markup), "text/html; charset=utf-8")
	if !ok {
		t.Fatalf("the markup is no page: %.80s", markup)
	}
	return Parse(root, pageURL)
}

// asJSON writes items as the parsing specification does.
func asJSON(t testing.TB, items []*Item) string {
	t.Helper()
	b, err := json.Marshal(canonical(items, make(map[*Item]bool)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// canonical writes an item that is the value of several properties where it stands first.
func canonical(items []*Item, seen map[*Item]bool) []any {
	list := []any{}
	for _, it := range items {
		if seen[it] {
			list = append(list, "as above")
			continue
		}
		seen[it] = true
		properties := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(it.Properties)) {
			var values []any
			for _, v := range it.Properties[name] {
				switch {
				case v.Item != nil:
					values = append(values, map[string]any{"item": canonical([]*Item{v.Item}, seen)[0],
						"value": v.Text})
				case v.HTML != "":
					values = append(values, map[string]any{"html": v.HTML, "value": v.Text})
				case v.Alt != "":
					values = append(values, map[string]any{"alt": v.Alt, "value": v.Text})
				default:
					values = append(values, v.Text)
				}
			}
			properties[name] = values
		}
		one := map[string]any{"type": it.Types, "properties": properties}
		if it.ID != "" {
			one["id"] = it.ID
		}
		if len(it.Children) > 0 {
			one["children"] = canonical(it.Children, seen)
		}
		list = append(list, one)
	}
	return list
}

// What the parsing specification says of each prefix, of value classes, of what is implied, and of items in items.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ markup, want string }{
		"no microformats": {`<p class="p-name">x`, `[]`},
		"a text": {`<p class=h-x><b class=p-name> a <i>b</i> </b>`,
			`[{"properties":{"name":["a b"]},"type":["h-x"]}]`},
		"texts of elements that state them": {
			`<div class=h-x><abbr class=p-a title=one>1</abbr><data class=p-b value=two>2</data><img class=p-c alt=three src=i><input class=p-d value=four><link class=p-e title=five>`,
			`[{"properties":{"a":["one"],"b":["two"],"c":["three"],"d":["four"],"e":["five"],"photo":[{"alt":"three","value":"https://blog.example/posts/i"}]},"type":["h-x"]}]`,
		},
		"a text without scripts, with pictures": {
			`<div class=h-x><p class=p-name>a<script>no()</script><style>b{}</style><img alt=B src=i> <img src=/c>`,
			`[{"properties":{"name":["aB  https://blog.example/c"]},"type":["h-x"]}]`,
		},
		"addresses": {
			`<div class=h-x><a class=u-a href=../one>x</a><img class=u-b src=two alt=Two><video class=u-c src=//v.example/3><video class=u-d poster=4><object class=u-e data=/5></object><data class=u-f value=6></data><span class=u-g>7</span>`,
			`[{"properties":{"a":["https://blog.example/one"],"b":[{"alt":"Two","value":"https://blog.example/posts/two"}],"c":["https://v.example/3"],"d":["https://blog.example/posts/4"],"e":["https://blog.example/5"],"f":["https://blog.example/posts/6"],"g":["https://blog.example/posts/7"],"name":["xTwo7"]},"type":["h-x"]}]`,
		},
		"moments": {
			`<div class=h-x><span class=p-x></span><time class=dt-a datetime=2020-01-02>today</time><abbr class=dt-b title=2020-01-03>x</abbr><ins class=dt-c datetime=2020-01-04>x</ins><span class=dt-d> 2020-01-05 </span>`,
			`[{"properties":{"a":["2020-01-02"],"b":["2020-01-03"],"c":["2020-01-04"],"d":["2020-01-05"],"x":[""]},"type":["h-x"]}]`,
		},
		"a moment in parts": {
			`<div class=h-x><span class=p-x></span><p class=dt-a><span class=value>2020-01-02</span> at <span class=value>12:30</span> <abbr class=value title="+0100">CET</abbr>`,
			`[{"properties":{"a":["2020-01-02 12:30+0100"],"x":[""]},"type":["h-x"]}]`,
		},
		"a text in parts": {
			`<div class=h-x><p class=p-tel><b>Phone</b> <span class=value>+44</span> (0) <span class=value>123</span> <span class=value-title title="/9"></span>`,
			`[{"properties":{"tel":["+44123/9"]},"type":["h-x"]}]`,
		},
		"parts of another property count there": {
			`<div class=h-x><p class=p-a>x <span class=p-b><i class=value>y</i>z</span></p>`,
			`[{"properties":{"a":["x yz"],"b":["y"]},"type":["h-x"]}]`,
		},
		"markup": {
			`<div class=h-x><div class=e-content> <p>a <a href=b>c</a></p><img src=/d> </div>`, `[{"properties":{"content":[{"html":"\u003cp\u003ea \u003ca href=\"https://blog.example/posts/b\"\u003ec\u003c/a\u003e\u003c/p\u003e\u003cimg src=\"https://blog.example/d\"/\u003e","value":"a c https://blog.example/d"}],"photo":["https://blog.example/d"]},"type":["h-x"]}]`,
		},
		"a name that is implied": {`<p class=h-card>Jo Doe</p>`,
			`[{"properties":{"name":["Jo Doe"]},"type":["h-card"]}]`},
		"a name and an address implied": {`<a class=h-card href=/jo>Jo Doe</a>`,
			`[{"properties":{"name":["Jo Doe"],"url":["https://blog.example/jo"]},"type":["h-card"]}]`},
		"all three implied by a picture": {`<a class=h-card href=/jo><img alt="Jo" src=jo.png></a>`,
			`[{"properties":{"name":["Jo"],"photo":[{"alt":"Jo","value":"https://blog.example/posts/jo.png"}],"url":["https://blog.example/jo"]},"type":["h-card"]}]`},
		"implied two levels down": {`<p class=h-card><b><a href=/jo>Jo</a> and</b></p>`,
			`[{"properties":{"name":["Jo and"],"url":["https://blog.example/jo"]},"type":["h-card"]}]`},
		"no address implied by one of two": {`<p class=h-card><a href=/a>A</a><a href=/b>B</a></p>`,
			`[{"properties":{"name":["AB"]},"type":["h-card"]}]`},
		"nothing implied beside an item": {`<div class=h-card>A <p class=h-adr>B</p></div>`,
			`[{"children":[{"properties":{"name":["B"]},"type":["h-adr"]}],"properties":{},"type":["h-card"]}]`},
		"no name implied beside a text": {`<div class=h-entry><p class=p-note>A</p></div>`,
			`[{"properties":{"note":["A"]},"type":["h-entry"]}]`},
		"no name implied beside markup": {`<div class=h-entry><p class=e-content>A</p></div>`,
			`[{"properties":{"content":[{"html":"A","value":"A"}]},"type":["h-entry"]}]`},
		"no photo implied beside an address": {`<div class=h-card><a class=u-url href=/a>A</a><img src=b></div>`,
			`[{"properties":{"name":["A https://blog.example/posts/b"],"url":["https://blog.example/a"]},"type":["h-card"]}]`},
		"an item that is a property": {
			`<div class=h-entry><b class=p-name>T</b><a class="p-author h-card" href=/jo>Jo</a></div>`,
			`[{"properties":{"author":[{"item":{"properties":{"name":["Jo"],"url":["https://blog.example/jo"]},"type":["h-card"]},"value":"Jo"}],"name":["T"]},"type":["h-entry"]}]`,
		},
		"an item as an address": {
			`<div class=h-entry><b class=p-name>T</b><p class="u-in-reply-to h-cite"><a class=u-url href=/other>O</a></p></div>`,
			`[{"properties":{"in-reply-to":[{"item":{"properties":{"name":["O"],"url":["https://blog.example/other"]},"type":["h-cite"]},"value":"https://blog.example/other"}],"name":["T"]},"type":["h-entry"]}]`,
		},
		"properties in properties": {
			`<div class=h-x><p class=p-a>x <span class=p-b>y</span></p></div>`,
			`[{"properties":{"a":["x y"],"b":["y"]},"type":["h-x"]}]`,
		},
		"several classes": {
			`<div class="h-x  h-a p-name"><b class="p-a u-b p-c">1</b></div>`,
			`[{"properties":{"a":["1"],"b":["https://blog.example/posts/1"],"c":["1"]},"type":["h-a","h-x"]}]`,
		},
		"classes of style sheets": {`<div class="h-10 h-Entry h- h-a--b p-4"><p class="h-x"><b class="p-4 p-X p-name">1</b></div>`, `[{"properties":{"name":["1"]},"type":["h-x"]}]`},
		"a vendor's class": {`<p class="h-x"><b class="p-x2-y">1</b>`,
			`[{"properties":{"x2-y":["1"]},"type":["h-x"]}]`},
		"templates": {`<template><p class=h-x>a</p></template><p class=h-x>b<template><b class=p-c>d</b></template></p>`, `[{"properties":{"name":["b"]},"type":["h-x"]}]`},
		"an id": {`<p class=h-x id=here>b</p>`,
			`[{"id":"here","properties":{"name":["b"]},"type":["h-x"]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := asJSON(t, parse(t, c.markup)); got != c.want {
				t.Errorf("%s\ngives %s\nwant  %s", c.markup, got, c.want)
			}
		})
	}
}

// Links lead to where the page says that they do.
func TestBase(t *testing.T) {
	root, _ := page.TreeOf([]byte(`<html><head><base href="/elsewhere/"><body><a class=h-x href=a>b</a>`), "text/html")
	if got := Parse(root, pageURL)[0].Text("url"); got != "https://blog.example/elsewhere/a" {
		t.Errorf("the link leads to %s", got)
	}
}

// Hostile pages cost time in proportion to their size, and give no more than the bounds.
func TestHostileMicroformatsAreBounded(t *testing.T) {
	large := strings.Repeat("x", 100_000)
	for name, markup := range map[string]string{
		"nested texts": `<div class=h-x>` + strings.Repeat(`<div class="p-a e-b">`, 400) + strings.Repeat(large,
			10),
		"nested items":    strings.Repeat(`<div class="h-x p-a e-b">`, 400) + strings.Repeat(large, 10),
		"many items":      strings.Repeat(`<p class=h-x>a`, 60_000),
		"many properties": `<div class=h-x>` + strings.Repeat(`<b class=p-a>a</b>`, 60_000),
		"many classes":    `<div class=h-x><p class="` + strings.Repeat("p-abc p-abd u-x ", 50_000) + `">` + large,
		"value classes": `<div class=h-x>` + strings.Repeat(`<div class=p-a><b class=value>`,
			200) + strings.Repeat(`<i class=value>y</i>`, 50_000),
		"a long class":   `<div class="h-` + large + `">a`,
		"a long address": `<a class=h-x href="` + large + `">a`,
		"links in markup": `<div class=h-x>` +
			strings.Repeat(`<div class=e-a>`, 300) + strings.Repeat(`<a href=b>c</a>`, 20_000),
		"items of one item": `<div class=h-x>` + strings.Repeat(`<p class=h-y>a`, 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			began := cpu.Time()
			root, ok := page.TreeOf([]byte("<!DOCTYPE html><body>"+markup), "text/html")
			if !ok {
				return // read flat: nothing is made of it
			}
			texts, items := weigh(Parse(root, pageURL), make(map[*Item]bool))
			if took := cpu.Time() - began; took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if texts > maxText || items > maxItems {
				t.Errorf("%d bytes in %d items, at most %d in %d", texts, items, maxText, maxItems)
			}
		})
	}
}

// weigh returns the bytes of all markup, and how many items there are.
func weigh(items []*Item, seen map[*Item]bool) (texts, count int) {
	for _, it := range items {
		if seen[it] {
			continue
		}
		seen[it] = true
		count++
		within := slices.Clone(it.Children)
		for _, values := range it.Properties {
			for _, v := range values {
				if v.Item != nil {
					within = append(within, v.Item)
				} else {
					texts += len(v.HTML)
				}
			}
		}
		t, c := weigh(within, seen)
		texts, count = texts+t, count+c
	}
	return texts, count
}

// Whatever a page says, reading it ends, and reading it again gives the same.
func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/fuzz/FuzzParse/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("the seeds are gone: %v", err)
	}
	f.Add([]byte(`<div class="h-feed"><b class="p-name">F</b><div class="h-entry"><a class="u-url p-name" href=a>b</a></div></div>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		read := func() string {
			root, ok := page.TreeOf(body, "text/html")
			if !ok {
				return ""
			}
			if doc, err := Feed(root, pageURL, feedConfig); err == nil && len(doc.Items) > feedConfig.MaxItems {
				t.Fatalf("%d items", len(doc.Items))
			}
			return asJSON(t, Parse(root, pageURL))
		}
		first := read()
		if again := read(); again != first {
			t.Fatalf("read twice:\n%s\n%s", first, again)
		}
	})
}

// The seeds are what they were made for: each gives an item.
func TestSeeds(t *testing.T) {
	seeds, err := filepath.Glob("testdata/fuzz/FuzzParse/*")
	if err != nil || len(seeds) < 3 {
		t.Fatalf("%d seeds: %v", len(seeds), err)
	}
	for _, seed := range seeds {
		b, err := os.ReadFile(seed)
		if err != nil || !strings.Contains(string(b), "h-") {
			t.Errorf("%s has no item: %v", seed, err)
		}
	}
}
