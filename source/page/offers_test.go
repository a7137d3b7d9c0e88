package page

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/cpu"
)

// priced reads a page for its prices.
func priced(markup string, selects ...string) ([]string, error) {
	doc, err := Extract([]byte("<!DOCTYPE html><html><body>"+markup), "text/html", "https://shop.example/",
		tidings.PageOptions{Prices: true, Select: selects}, Noise{}, Default())
	return doc.Lines, err
}

func ld(json string) string { return `<script type="application/ld+json">` + json + `</script>` }

func TestOffers(t *testing.T) {
	for name, c := range map[string]struct{ markup, want string }{
		"a product": {
			ld(`{"@context":"https://schema.org","@type":"Product","name":"Pot","offers":{"@type":"Offer","price":"19.90","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}`),
			"Price: 19.90 EUR, in stock",
		},
		"numbers, several types, old addresses": {
			ld(`{"@type":["Product","Thing"],"offers":[{"@type":"http://schema.org/Offer","price":20.0,"priceCurrency":"usd","availability":"OutOfStock"}]}`),
			"Price: 20 USD, out of stock",
		},
		"a graph": {
			ld(`{"@graph":[{"@type":"WebPage","name":"Page"},{"@type":"Product","name":"Pot","offers":{"price":"5","priceCurrency":"EUR"}}]}`), "Price: 5 EUR",
		},
		"a range": {
			ld(`{"@type":"Product","offers":{"@type":"AggregateOffer","lowPrice":"17.5","highPrice":"19.90","priceCurrency":"EUR"}}`), "Price: from 17.50 to 19.90 EUR",
		},
		"variants": {
			ld(`{"@type":"ProductGroup","name":"Pot","hasVariant":[{"@type":"Product","name":"Blue pot","offers":{"price":1,"priceCurrency":"EUR"}},{"@type":"Product","name":"Red pot","offers":{"price":2,"priceCurrency":"EUR","availability":"schema:SoldOut"}}]}`),
			"Blue pot: 1 EUR/Red pot: 2 EUR, sold out",
		},
		"a price that is specified": {
			ld(`{"@type":"Product","offers":{"@type":"Offer","priceSpecification":[{"price":"3.20","priceCurrency":"CHF"}]}}`), "Price: 3.20 CHF",
		},
		"stock alone": {ld(`{"@type":"Product","offers":{"availability":"https://schema.org/BackOrder"}}`),
			"Price: none, on back order"},
		"an offer of its own":     {ld(`[{"@type":"Offer","price":"7","itemOffered":{"name":"X"}}]`), "Price: 7"},
		"offers in an aggregate":  {ld(`{"@type":"Product","name":"P","offers":{"@type":"AggregateOffer","offers":[{"name":"Used","price":1},{"name":"New","price":2}]}}`), "Used: 1/New: 2"},
		"what others sell beside": {ld(`{"@type":"Product","offers":{"price":"7"},"isRelatedTo":{"@type":"Product","offers":{"price":"8"}},"review":{"itemReviewed":{"@type":"Product","offers":{"price":9}}}}`), "Price: 7"},
		"a list of products":      {ld(`{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"Product","name":"A","offers":{"price":1}}},{"@type":"ListItem","item":{"@type":"Product","name":"B","offers":{"price":2}}}]}`), "A: 1/B: 2"},
		"a product beside a list": {ld(`{"@type":"Product","offers":{"price":3}}`) + ld(
			`{"@type":"ItemList","itemListElement":[{"item":{"@type":"Product","offers":{"price":1}}}]}`), "Price: 3"},
		"the same twice": {ld(`{"@type":"Product","offers":{"price":"3"}}`) + ld(
			`{"@type":"Product","offers":{"price":3.00}}`), "Price: 3"},
		"broken data beside whole": {ld(`{"@type":`) + ld(`<!-- {"@type":"Product","offers":{"price":"3"}} -->`),
			"Price: 3"},
		"prices as people write them": {
			ld(`{"@type":"Product","name":"P","offers":[{"name":"a","price":"1.299,50 €"},{"name":"b","price":"$1,299.5"},{"name":"c","price":"1 299"},{"name":"d","price":"19,90"}]}`),
			"a: 1299.50/b: 1299.50/c: 1299/d: 19.90",
		},
		"microdata": {
			`<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Pot</h1><div itemprop=offers itemscope itemtype="https://schema.org/Offer">` +
				`<span itemprop=price content="19.90">19,90 €</span><meta itemprop=priceCurrency content=EUR><link itemprop=availability href="https://schema.org/InStock"></div></div>`,
			"Price: 19.90 EUR, in stock",
		},
		"microdata of texts": {
			`<div itemscope itemtype="http://schema.org/Product"><b itemprop=name>A</b><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><b itemprop=price>5.00</b></div></div>` +
				`<div itemscope itemtype="http://schema.org/Product"><b itemprop=name>B</b><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><b itemprop=price>6.00</b></div></div>`,
			"A: 5/B: 6",
		},
		"hostile texts": {ld(`{"@type":"Product","offers":[{"name":"a\u202eb\n\u0000c","price":"1","priceCurrency":"<b>"},{"name":"x","price":"1e99"},{"name":"y","price":"-4"},{"name":"z","price":"NaN","availability":"InStock"}]}`), "ab c: 1/y: 4/z: none, in stock"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := priced(c.markup)
			if got := strings.Join(lines, "/"); err != nil || got != c.want {
				t.Errorf("gives %q, want %q: %v", got, c.want, err)
			}
		})
	}
}

func TestPricesBesideParts(t *testing.T) {
	markup := `<p id=a>Delivery in two days<p>Other` + ld(`{"@type":"Product","offers":{"price":"3"}}`)
	if lines, err := priced(markup, "#a"); err != nil || strings.Join(lines, "/") != "Price: 3/Delivery in two days" {
		t.Errorf("gives %q: %v", lines, err)
	}
	for _, none := range []string{"<p>No price", ld(`{"@type":"Product","name":"A"}`)} {
		if lines, err := priced(none); !errors.Is(err, ErrNoMatch) || !strings.Contains(err.Error(), "no prices") {
			t.Errorf("a page without prices gives %q: %v", lines, err)
		}
	}
	if _, err := Extract([]byte(`{"price":3}`), "application/json", "", tidings.PageOptions{Prices: true}, Noise{},
		Default()); !errors.Is(err, ErrNoMatch) {
		t.Errorf("a JSON document: %v", err)
	}
}

// Structured data that nests, repeats or never ends is read within bounds.
func TestHostileStructuredDataIsBounded(t *testing.T) {
	for name, markup := range map[string]string{
		"nested": ld(strings.Repeat(`{"@graph":[`, 5_000) + strings.Repeat(`]}`, 5_000)),
		"many offers": ld(`{"@type":"Product","offers":[` + strings.Repeat(`{"price":1},`, 100_000) +
			`{"price":2}]}`),
		"different offers": ld(`{"@type":"Product","offers":[` +
			strings.Repeat(`{"price":1},{"price":2,"name":"`+strings.Repeat("x", 5_000)+`"},`, 300) + `{"price":3}]}`),
		"nested offers": ld(strings.Repeat(`{"offers":[{"offers":[`, 2_000) + strings.Repeat(`]}]}`, 2_000)),
		"many scripts":  strings.Repeat(ld(`{"@type":"Product"}`), 30_000),
		"microdata": strings.Repeat(`<div itemscope itemtype=x itemprop="a b c d">`,
			400) + strings.Repeat(`<b itemprop="a b c d e f">x`, 30_000),
	} {
		began := cpu.Time()
		lines, err := priced(markup)
		if took := cpu.Time() - began; took > time.Minute || len(lines) > maxOffers {
			t.Errorf("%s: %d lines after %v: %v", name, len(lines), took, err)
		}
	}
}

func FuzzOffers(f *testing.F) {
	seeds, err := filepath.Glob("testdata/fuzz/FuzzOffers/*")
	if err != nil || len(seeds) < 2 {
		f.Fatalf("the seeds are gone: %v", err)
	}
	f.Fuzz(func(t *testing.T, markup string) {
		lines, err := priced(markup)
		if err != nil {
			return
		}
		if len(lines) > maxOffers {
			t.Fatalf("%d lines", len(lines))
		}
		if err := CheckLines(lines, Default()); err != nil {
			t.Fatalf("%q: %v", lines, err)
		}
	})
}
