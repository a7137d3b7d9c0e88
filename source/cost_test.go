package source

import (
	"context"
	"testing"

	"tidings"
	"tidings/source/fetch"
)

// hostile 75: all requests of a poll, and those by which a feed is found, count towards one cost; another poll has
// another.
func TestHostile75RequestsOfAPollHaveOneCost(t *testing.T) {
	onStage(t, func(s *scene) {
		costs := map[*fetch.Cost]int{}
		s.poller.Fetch = func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
			costs[r.Cost]++
			return s.origin.fetch(ctx, r)
		}
		s.serve(html(plain))
		s.want(tidings.OutcomeChanged, true)
		s.serve(html(plain+"<p>Milk 1.00"), html(plain+"<p>Milk 1.01"), html(plain+"<p>Milk 1.02"))
		s.poll()
		sizes := map[int]int{}
		for cost, requests := range costs {
			if cost == nil {
				t.Error("a request has no cost")
			}
			sizes[requests]++
		}
		if len(costs) != 2 || sizes[1] != 1 || len(sizes) != 2 {
			t.Errorf("polls by their number of requests: %v; want one with one, and one with several", sizes)
		}
	})
	costs := map[*fetch.Cost]int{}
	w := at(map[string]answer{"https://o.example/": html(offers), "https://o.example/second": rss(item(1, "one"))})
	poller := w.poller(&shelf{})
	poller.Fetch = func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		costs[r.Cost]++
		return w.fetch(ctx, r)
	}
	if _, err := poller.Preview(t.Context(), tidings.SubscribeRequest{URL: "o.example"}, tidings.Access{}); err != nil {
		t.Fatal(err)
	}
	for cost, requests := range costs {
		if cost == nil || requests != 3 {
			t.Errorf("%d requests of the preview share a cost, want 3", requests)
		}
	}
}
