package page

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of reading a page's structured data.
const (
	maxOffers     = 100
	maxData       = 4 << 20 // bytes of JSON-LD
	maxDataValues = 20_000  // objects and lists that are looked at
	maxDataDepth  = 40
	maxOfferName  = 100 // characters
	maxPrice      = 20  // bytes
)

// offer is what a shop offers, as its page states it for programs: by schema.org's Product, Offer and AggregateOffer.
type offer struct {
	name      string
	low, high string // the prices; both the same, or empty if there is none
	currency  string
	stock     string // in plain words; empty: it does not say
}

// line writes an offer for people.
func (o offer) line(named bool) string {
	what := "Price"
	if named && o.name != "" {
		what = o.name
	}
	price := strings.TrimSpace(o.low + " " + o.currency)
	switch {
	case o.low == "":
		price = "none"
	case o.high != o.low:
		price = strings.TrimSpace("from " + o.low + " to " + o.high + " " + o.currency)
	}
	if o.stock == "" {
		return what + ": " + price
	}
	return what + ": " + price + ", " + o.stock
}

// StatesPrices reports whether a document is a page that states prices for programs.
func StatesPrices(body []byte, contentType string) bool {
	root, ok := TreeOf(body, contentType)
	return ok && len(offerLines(root)) > 0
}

// offerLines returns the offers of a page, one a line.
func offerLines(root *html.Node) []line {
	offers := offersIn(root)
	lines := make([]line, len(offers))
	for i, o := range offers {
		lines[i] = line{text: collapse(o.line(len(offers) > 1)), kept: true}
	}
	return lines
}

// offersIn returns the offers of a page: those of its JSON-LD, or else of its microdata; those of what the page is
// about, or else those that it lists.
func offersIn(root *html.Node) []offer {
	for _, data := range [][]any{linkedData(root), microdata(root)} {
		for _, listed := range []bool{false, true} {
			f := offerFinder{left: maxDataValues, listed: listed}
			for _, v := range data {
				f.find(v, "", 0)
			}
			if len(f.found) > 0 {
				return f.found
			}
		}
	}
	return nil
}

// linkedData returns what the scripts of type application/ld+json say.
func linkedData(root *html.Node) (data []any) {
	left := maxData
	for n := range root.Descendants() {
		if n.DataAtom != atom.Script || n.FirstChild == nil || mediaType(attr(n, "type")) != "application/ld+json" {
			continue
		}
		text := n.FirstChild.Data
		if left -= len(text); left < 0 {
			break
		}
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<!--"), "-->"))
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var v any
		if decoder.Decode(&v) == nil {
			data = append(data, v)
		}
	}
	return data
}

// offerFinder gathers the offers in structured data.
type offerFinder struct {
	left   int  // values that may still be looked at
	listed bool // those of lists count too
	found  []offer
}

// ways are the properties that lead from what a page is to what it offers; those of other products, such as
// isRelatedTo, do not.
var ways = []string{"@graph", "mainEntity", "hasVariant", "itemOffered", "about"}

// listWays are those of lists.
var listWays = []string{"itemListElement", "item"}

// find looks for offers in v, which belongs to something of a name.
func (f *offerFinder) find(v any, name string, depth int) {
	if f.left--; f.left < 0 || depth > maxDataDepth || len(f.found) >= maxOffers {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			f.find(inner, name, depth+1)
		}
	case map[string]any:
		if own := textOf(v["name"]); own != "" {
			name = shorten(collapse(own), maxOfferName)
		}
		if isA(v, "Offer", "AggregateOffer") {
			f.offer(v, name)
			return
		}
		f.offers(v["offers"], name, depth+1)
		for _, way := range ways {
			if inner, ok := v[way]; ok {
				f.find(inner, name, depth+1)
			}
		}
		if f.listed {
			for _, way := range listWays {
				if inner, ok := v[way]; ok {
					f.find(inner, name, depth+1)
				}
			}
		}
	}
}

// offers reads the value of "offers". Some pages leave out its type.
func (f *offerFinder) offers(v any, name string, depth int) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			if f.left--; f.left < 0 || depth > maxDataDepth {
				return
			}
			f.offers(inner, name, depth+1)
		}
	case map[string]any:
		f.offer(v, name)
	}
}

func (f *offerFinder) offer(v map[string]any, name string) {
	if f.left--; f.left < 0 || len(f.found) >= maxOffers {
		return
	}
	o := offer{name: name, currency: currencyOf(textOf(v["priceCurrency"])), stock: stockOf(textOf(v["availability"]))}
	if own := textOf(v["name"]); own != "" {
		o.name = shorten(collapse(own), maxOfferName)
	}
	o.low, o.high = priceOf(v["lowPrice"]), priceOf(v["highPrice"])
	if price := priceOf(v["price"]); price != "" {
		o.low, o.high = price, price
	}
	if o.low == "" {
		o.specified(v["priceSpecification"])
	}
	if o.low == "" {
		o.low = o.high
	}
	if o.high == "" {
		o.high = o.low
	}
	if o.low == "" && o.stock == "" {
		if inner, ok := v["offers"]; ok { // an AggregateOffer with nothing but the offers in it
			f.offers(inner, name, maxDataDepth)
		}
		return
	}
	if !slices.Contains(f.found, o) {
		f.found = append(f.found, o)
	}
}

// specified reads the price of a priceSpecification, of several the first.
func (o *offer) specified(v any) {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	if s, ok := v.(map[string]any); ok {
		o.low = priceOf(s["price"])
		o.high = o.low
		if c := currencyOf(textOf(s["priceCurrency"])); c != "" {
			o.currency = c
		}
	}
}

// isA reports whether an object is of one of some types of schema.org.
func isA(v map[string]any, types ...string) bool {
	list, ok := v["@type"].([]any)
	if !ok {
		list = []any{v["@type"]}
	}
	for _, t := range list {
		if slices.Contains(types, lastPart(textOf(t))) {
			return true
		}
	}
	return false
}

// lastPart returns what stands behind the last slash, hash or colon: the word in an address of schema.org.
func lastPart(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), "/")
	return s[strings.LastIndexAny(s, "/#:")+1:]
}

// textOf returns a text or a number as text; of a list, the first that is one.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case []any:
		if len(v) > 0 {
			if _, again := v[0].([]any); !again {
				return textOf(v[0])
			}
		}
	case map[string]any:
		return textOf(v["@id"])
	}
	return ""
}

// priceOf returns a price as a number with a point: without decimals if they are zero, else with two or more.
func priceOf(v any) string {
	s := strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "").Replace(textOf(v))
	if point, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ','); comma > point &&
		len(s)-comma != 4 {
		s = strings.ReplaceAll(strings.ReplaceAll(s[:comma], ".", ""), ",", "") + "." + s[comma+1:] // 1.299,00
	} else {
		s = strings.ReplaceAll(s, ",", "") // 1,299.00
	}
	s = strings.TrimFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > maxPrice || n < 0 || math.IsInf(n, 0) || strings.ContainsAny(s, "xXpPeE_") {
		return ""
	}
	if n == math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	if s = strconv.FormatFloat(n, 'f', -1, 64); len(s)-strings.IndexByte(s, '.') == 2 {
		s += "0"
	}
	return s
}

// currencyOf returns the code of a currency, as ISO 4217 has it; nothing for what is none.
func currencyOf(s string) string {
	if s = strings.ToUpper(s); len(s) != 3 || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return s
}

// stocks are the values of schema.org's ItemAvailability in plain words.
var stocks = map[string]string{
	"InStock": "in stock", "OnlineOnly": "in stock online", "InStoreOnly": "in stores only",
	"LimitedAvailability": "few in stock",
	"OutOfStock":          "out of stock", "SoldOut": "sold out", "PreOrder": "to be ordered in advance",
	"PreSale":   "to be ordered in advance",
	"BackOrder": "on back order", "Discontinued": "discontinued", "MadeToOrder": "made to order",
	"Reserved": "reserved",
}

func stockOf(s string) string { return stocks[lastPart(s)] }

// noOffers says that a page states no prices.
func noOffers() error {
	return fmt.Errorf("%w: it states no prices or stock for programs (schema.org's Offer, in JSON-LD or microdata)",
		ErrNoMatch)
}
