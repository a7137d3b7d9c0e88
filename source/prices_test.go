package source

import (
	"strings"
	"testing"

	"tidings"
)

// priceTag is a shop's page with a price for programs, and a visitor's number that differs each time.
func priceTag(price, stock, token string) answer {
	return html(`<h1>Shop</h1><p class=visit>Your visit ` + token +
		`<script type="application/ld+json">{"@type":"Product","offers":{"price":"` +
		price + `","priceCurrency":"EUR","availability":"https://schema.org/` + stock + `"}}</script>`)
}

// A change of the price is reported when it is first seen, without a second fetch. That holds even for a page that has
// not proved to hold still. An earlier price is fetched twice, since one of several servers may still have it.
func TestPricesAreToldAtFirstSight(t *testing.T) {
	onStage(t, func(s *scene) {
		s.watch.Options, s.watch.Kind = tidings.PageOptions{Prices: true}, tidings.KindPage
		s.serve(counting(func(token string) answer { return priceTag("19.90", "InStock", token) }))
		if f := s.want(tidings.OutcomeChanged, true).Change; strings.Join(f.Lines,
			"|") != "Price: 19.90 EUR, in stock" {
			t.Fatalf("the lines are %q", f.Lines)
		}
		s.want(tidings.OutcomeUnchanged, false)
		for _, price := range []string{"17.50", "16.50", "15"} {
			before := len(s.requests())
			s.serve(counting(func(token string) answer { return priceTag(price, "OutOfStock", token) }))
			if f := s.want(tidings.OutcomeChanged, true).Change; !strings.Contains(f.Delta, "> Price: "+price+
				" EUR, out of stock") {
				t.Errorf("the delta is %q", f.Delta)
			}
			if n := len(s.requests()) - before; n != 1 {
				t.Errorf("%d requests for a new price", n)
			}
		}
		s.serve(priceTag("17.50", "OutOfStock", "x"), priceTag("15", "OutOfStock", "x"))
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(html("<h1>Shop</h1><p>Closed for stocktaking"))
		if r := s.want(tidings.OutcomeUnreadable, false); !strings.Contains(r.Poll.Error, "no prices") {
			t.Errorf("a page without a price: %q", r.Poll.Error)
		}
	})
}

// A preview says that a page has prices to be watched.
func TestPreviewNamesPrices(t *testing.T) {
	w := at(map[string]answer{address: priceTag("3", "InStock", "x")})
	first, err := w.poller(&shelf{}).Preview(t.Context(), tidings.SubscribeRequest{URL: address}, tidings.Access{})
	if err != nil || !strings.Contains(strings.Join(first.Preview.Notes, "|"), "--prices") {
		t.Errorf("the notes are %q: %v", first.Preview.Notes, err)
	}
}
