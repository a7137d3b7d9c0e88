package livenet

import (
	"context"
	"encoding/json"
	"fmt"

	"tidings"
	"tidings/view"
)

// send sends an item to a zone from a node. It is a fact of the zone's channel, and of those with a query that selects
// it there.
func (n *Net) send(ctx context.Context, by *Node, channel int, desk string) error {
	s, to := n.sites[channel], n.work.Channels[channel].Zone
	s.mu.Lock()
	s.entries++
	id := fmt.Sprint(s.name, "-", s.entries)
	s.mu.Unlock()
	known := fmt.Sprintf("%s %s %s", tidings.ZoneURL(to), by.ID, id)
	for i, c := range n.work.Channels {
		if i == channel || c.Kind == Selected && c.Zone == to && c.Desk == desk {
			n.sites[i].mu.Lock()
			n.sites[i].add(known)
			n.sites[i].mu.Unlock()
		}
	}
	type named struct {
		Name string `json:"name"`
	}
	type valued struct {
		Value string `json:"value"`
	}
	doc, err := json.Marshal(map[string]any{
		"uri": id, "type": "text", "standard": map[string]string{"name": "ninjs", "version": "3.1"},
		"headlines": []valued{{"Item " + id}}, "bodies": []valued{{"What " + id + " tells."}},
		"infoSources": []named{{desk}},
	})
	if err != nil {
		return fmt.Errorf("writing a news item: %w", err)
	}
	_, err = by.Client.SendToZone(ctx, view.ZoneSending{Zone: to, Document: doc})
	return err
}
