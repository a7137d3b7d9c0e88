package node

import (
	"slices"
	"testing"

	"tidings"
	"tidings/lab/origin"
	"tidings/source"
)

// hostile 4: a channel that moves for good to an address that is followed becomes one with that: what was read stays read,
// stars stay, and nothing of the old is polled any more.
func TestHostile4AMoveToAFollowedChannelMakesOne(t *testing.T) {
	o, base := startOrigin(t)
	made := origin.MakeFeed(1, 4, 100)
	for _, name := range []string{"old", "new"} {
		if err := o.AddFeed(name, made, origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, client := startNode(t)
	ctx := t.Context()
	for _, o := range []tidings.Order{{URL: base + "old"}, {URL: base + "new", Name: "Mine", Folder: "News"}} {
		if _, err := client.Subscribe(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := client.Entries(ctx, tidings.EntryQuery{Channel: base + "old", Limit: 10})
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if err := client.MarkRead(ctx, []int64{entries[0].Item, entries[1].Item, entries[2].Item}, true); err != nil {
		t.Fatal(err)
	}
	if err := client.Star(ctx, entries[1].Item, true); err != nil {
		t.Fatal(err)
	}
	updates, err := client.Updates(ctx, tidings.UpdateQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}

	w, err := n.store.Watch(ctx, base+"old")
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Settle(ctx, watchedOf(w), source.Result{Moved: base + "new"}); err != nil {
		t.Fatal(err)
	}

	all, err := client.Channels(ctx)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d channels, %v", len(all), err)
	}
	if f := all[0]; f.URL != base+"new" || f.Unread != 1 || f.Label() != "Mine" || f.Folder != "News" {
		t.Errorf("followed %+v", f)
	}
	left, err := client.Entries(ctx, tidings.EntryQuery{Unread: true, Limit: 10})
	if err != nil || len(left) != 1 || left[0].Content.Title != entries[3].Content.Title {
		t.Errorf("unread: %d, %v", len(left), err)
	}
	starred, err := client.Entries(ctx, tidings.EntryQuery{Starred: true, Limit: 10})
	if err != nil || !slices.ContainsFunc(starred, func(e tidings.Entry) bool {
		return e.Channel == base+"new" && e.Content.Title == entries[1].Content.Title
	}) {
		t.Errorf("starred: %d, %v", len(starred), err)
	}
	if n.watcher.Has(base+"old") || !n.watcher.Has(base+"new") {
		t.Error("the wrong one is polled")
	}
	again, err := client.Updates(ctx, tidings.UpdateQuery{After: updates[len(updates)-1].ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range again {
		if u.Channel != base+"new" {
			t.Errorf("told %+v", u)
		}
	}
}
