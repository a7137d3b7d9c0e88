package networkroom

import (
	"net/url"

	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// selection is one of the pages about the network, and what it is about.
type selection struct {
	Show    string // one of those of views; "": what the network means for people here
	Channel string // its way to this node is shown; "": none
	asked   string // the zone that is to be shown; "": the node's own
}

// aView is a page and the parts of it that live: each has the ID, and is rendered by the template, of that name.
type aView struct {
	Show   string
	parts  []string
	hidden bool // no tab leads to it, but a link of another page
}

// Pages about the network.
const (
	overview    = ""
	viewRing    = "ring"
	viewSharing = "sharing"
	viewRouters = "routers"
	viewTrust   = "trust"
	viewNode    = "node"
	viewTraffic = "traffic"
)

// views are the pages in the order of their tabs.
var views = []aView{
	{overview, []string{"network-alerts", "network-facts", "network-alone", "network-sections"}, false},
	{viewRing, []string{"network-ring", "network-peers"}, false},
	{viewSharing, []string{"network-coop"}, false},
	{viewRouters, []string{"network-tree", "network-zone", "network-friends", "network-links"}, false},
	{viewTrust, []string{"network-believed"}, false},
	{viewNode, []string{"network-node", "network-joins", "network-sum"}, false},
	{viewTraffic, []string{"network-traffic"}, true},
}

// viewNamed returns a page; the overview where there is none of that name.
func viewNamed(show string) aView {
	for _, v := range views {
		if v.Show == show {
			return v
		}
	}
	return views[0]
}

// selectionOf returns what a request wants to see. One that names only a channel or a zone wants to see the routers.
func selectionOf(r shell.Request) selection {
	v := selection{Show: viewNamed(r.FormValue("show")).Show, Channel: r.FormValue("channel"),
		asked: wording.Plain(r.FormValue("zone"), maxZonePath)}
	if v.Show == overview && (v.Channel != "" || v.asked != "") {
		v.Show = viewRouters
	}
	return v
}

// name returns what a page is called.
func (v aView) name(w wording.Words) string {
	switch v.Show {
	case viewRing:
		return w.Text("Ring")
	case viewSharing:
		return w.Text("Sharing")
	case viewRouters:
		return w.Text("Routers")
	case viewTrust:
		return w.Text("Trust")
	case viewNode:
		return w.Text("This node")
	case viewTraffic:
		return w.Text("Traffic")
	}
	return w.Text("Overview")
}

// Name is the page's.
func (p page) Name() string { return viewNamed(p.Show).name(p.say) }

// Parts are those of the page that live.
func (p page) Parts() []string {
	if p.Off {
		return []string{"network-off"}
	}
	return viewNamed(p.Show).parts
}

// Events is the address of the stream that keeps the page true.
func (v selection) Events() string {
	q := url.Values{}
	for name, value := range map[string]string{"show": v.Show, "channel": v.Channel, "zone": v.asked} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return pathWith("/network/events", q)
}

// tab is a link to a page about the network.
type tab struct {
	Name, Href string
	Here       bool
}

// Tabs lead to the pages.
func (p page) Tabs() (tabs []tab) {
	for _, o := range views {
		if !o.hidden || o.Show == p.Show {
			tabs = append(tabs, tab{o.name(p.say), viewPath(o.Show), o.Show == p.Show})
		}
	}
	return tabs
}

// after returns the address to which a form on the page leads that did something.
func (v selection) after(said string) string {
	q := url.Values{"said": {said}}
	if v.Show != overview {
		q.Set("show", v.Show)
	}
	return pathWith("/network", q)
}

// viewPath returns the address of a page about the network.
func viewPath(show string) string {
	q := url.Values{}
	if show != overview {
		q.Set("show", show)
	}
	return pathWith("/network", q)
}

func pathWith(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// WayPath returns the address of the page that shows how a channel's updates come.
func WayPath(channel string) string {
	return pathWith("/network", url.Values{"show": {viewRouters}, "channel": {channel}}) + "#way"
}

// zonePath returns the address of the view of a zone.
func zonePath(path string) string {
	return pathWith("/network", url.Values{"show": {viewRouters}, "zone": {path}}) + "#zones"
}
