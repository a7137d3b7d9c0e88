package livenet

import (
	"fmt"
	"testing"
	"time"

	"tidings"
)

// An update belongs to the subscription in whose time it was stored. One that was stored when there was none is noise,
// and one that is out of its order ends the listening.
func TestHear(t *testing.T) {
	facts := map[uint64]int32{SaidBy(&tidings.Item{ID: "x"}): 0, SaidBy(&tidings.Item{ID: "y"}): -1}
	net := &Net{
		Began: time.Unix(0, 0), hosts: []string{"http://o/"}, byURL: map[string]int{"http://o/a": 0, "http://o/b": 1},
		sites: make([]*site, 2),
		work:  Workload{Channels: []Channel{{Name: "a", Facts: facts}, {Name: "b"}}},
	}
	n := &Node{net: net, ID: "me", follows: make(map[int][]*Subscription)}
	n.follows[0] = []*Subscription{
		{asked: time.Second, Since: Endless, Until: 10 * time.Second},
		{asked: 20 * time.Second, Since: Endless, Until: Endless},
	}
	update := func(id int64, channel string, version tidings.Version, second int64) error {
		return n.receive(tidings.Update{
			ID: id, FoundBy: []string{"me", "other"}[id%2], Channel: "http://o/" + channel, Version: version,
			Received: time.Unix(second, 0), Items: []tidings.Item{{ID: "x"}, {ID: "y"}, {ID: "z"}},
		})
	}
	for i, u := range []struct {
		channel string
		version tidings.Version
		second  int64
	}{{"a", 1, 2}, {"a", 2, 9}, {"a", 3, 15}, {"b", 1, 16}, {"c", 1, 17}, {"a", 1, 21}, {"a", 2, 22}} {
		if err := update(int64(i+1), u.channel, u.version, u.second); err != nil {
			t.Fatal(err)
		}
	}
	all := n.Subscriptions(0)
	notified := fmt.Sprint(len(all[0].Notified), len(all[1].Notified), all[0].Since, all[1].Since, n.noise)
	if notified != "2 2 2s 21s 3" || len(all[0].twice()) != 1 || len(all[1].twice()) != 1 {
		t.Errorf("%s: %+v", notified, all)
	}
	if all, own := n.Found(); all != 2 || own != 1 {
		t.Errorf("%d of %d later versions are the node's own", own, all)
	}
	if update(7, "a", 3, 23) == nil {
		t.Error("an update came twice")
	}
	if update(8, "a", 2, 23) == nil {
		t.Error("a version came twice")
	}
}
