package routers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tidings"
	"tidings/lab"
	"tidings/lab/livenet"
	"tidings/lab/stats"
	"tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/node"
	"tidings/node/keyring"
	"tidings/source/query"
	"tidings/view"
)

// newswireZones are the zones that nodes are in, by turns, as far as there are enough nodes.
var newswireZones = []zone.Path{"/eu/berlin", "/eu/paris", "/eu/london", "/us/east", "/us/west", "/asia/tokyo",
	"/asia/delhi", "/africa"}

// liveZones are the zones of a live network, and the items that are sent to them. Of each zone's members two of three
// follow it. Each member follows a query by one of the zone's two desks. Items are by one of these or by a third, which
// no query selects. A member of another zone follows a query that selects all three, and must receive nothing.
type liveZones struct {
	zones     []zone.Path
	channels  []livenet.Channel
	sent      []int // channels, by zone, by index in the network, as are
	selected  []int
	watched   []int
	dir       string // for the authority's key
	signer    *keyring.ZoneSigner
	authority string // its file

	installed, revoked time.Duration // how long these needed to reach all nodes
	killed             int           // representatives of zones
}

const (
	liveDesks   = 2                // of a zone, that queries select
	leastInZone = 6                // members: half of them speak for it
	subtree     = zone.Path("/eu") // that a function is installed for
	countedBy   = "counted"        // the function, and the attribute that it gives
)

// newLiveZones returns the zones of nodes that have not been started, and makes their authority.
func newLiveZones(s sizes) (z *liveZones, err error) {
	z = &liveZones{zones: newswireZones[:min(max(s.Nodes/leastInZone, 2), len(newswireZones))]}
	add := func(to *[]int, c livenet.Channel) {
		*to = append(*to, s.Channels+len(z.channels))
		c.Name = fmt.Sprint("zones-", len(z.channels))
		z.channels = append(z.channels, c)
	}
	for i, p := range z.zones {
		var followers []int
		byDesk := make([][]int, liveDesks)
		for at, member := range z.members(p, s.Nodes) {
			if at%3 != 2 {
				followers = append(followers, member)
			}
			byDesk[at%liveDesks] = append(byDesk[at%liveDesks], member)
		}
		add(&z.sent, livenet.Channel{Kind: livenet.Sent, Zone: string(p), Readers: followers})
		for desk, readers := range byDesk {
			text, err := canonicalQuery("publisher = '%s'", z.desk(p, desk))
			if err != nil {
				return nil, err
			}
			add(&z.selected, livenet.Channel{Kind: livenet.Selected, Zone: string(p), Query: text,
				Desk: z.desk(p, desk), Readers: readers})
		}
		text, err := canonicalQuery("publisher LIKE '%% of %s'", string(p))
		if err != nil {
			return nil, err
		}
		outside := z.members(z.zones[(i+1)%len(z.zones)], s.Nodes)[0]
		add(&z.watched, livenet.Channel{Kind: livenet.Selected, Query: text, Readers: []int{outside}})
	}
	if z.dir, err = os.MkdirTemp("", "tidings-zones-"); err != nil {
		return nil, fmt.Errorf("making a folder for an authority's key: %w", err)
	}
	if err := z.makeAuthority(); err != nil {
		return nil, errors.Join(err, z.close())
	}
	return z, nil
}

func canonicalQuery(format, value string) (string, error) {
	q, err := query.Parse(fmt.Sprintf(format, value))
	if err != nil {
		return "", fmt.Errorf("writing a query: %w", err)
	}
	return q.String(), nil
}

func (z *liveZones) makeAuthority() error {
	keys := keyring.In(z.dir)
	key, err := keys.NewZone(zone.Root, "")
	if err == nil {
		z.signer, err = keys.ZoneSigner(zone.Root, "", nil)
	}
	if err != nil {
		return fmt.Errorf("making an authority: %w", err)
	}
	z.authority = filepath.Join(z.dir, "authority.txt")
	if err := os.WriteFile(z.authority, key.Authority(zone.Root).Text(), 0o600); err != nil {
		return fmt.Errorf("writing an authority's file: %w", err)
	}
	return nil
}

func (z *liveZones) close() error { return os.RemoveAll(z.dir) }

func (z *liveZones) of(node int) zone.Path { return z.zones[node%len(z.zones)] }

func (z *liveZones) members(p zone.Path, nodes int) (all []int) {
	for i := range nodes {
		if p.Contains(z.of(i)) {
			all = append(all, i)
		}
	}
	return all
}

// desk returns a publisher that sends to a zone.
func (z *liveZones) desk(p zone.Path, desk int) string { return fmt.Sprintf("Desk %d of %s", desk, p) }

func (z *liveZones) setup() routerSetup {
	return routerSetup{
		router: network.NewsWire, channels: z.channels, settled: z.settled, after: z.after,
		beside: func(n *routerNet, length time.Duration, away []int) []livenet.Event {
			return z.sendings(n, length, z.sent, away)
		},
		change: func(i int, c *node.Config) { c.Zone, c.ZoneAuthority = string(z.of(i)), z.authority },
	}
}

// settled waits until each node is in its zone, and knows the others.
func (z *liveZones) settled(n *routerNet) {
	for i := range n.sizes.Nodes {
		path := z.of(i)
		err := n.Until(fmt.Sprintf("node %d knows all zones", i), func() (bool, error) {
			for _, p := range z.zones {
				common := zone.Common(p, path)
				if p == path {
					common = path.Parent()
				}
				if _, ok, err := z.row(n, i, p.At(common.Depth()+1)); err != nil || !ok {
					return false, err
				}
			}
			return true, nil
		})
		n.run.Must(err)
	}
}

// row returns the row of a zone that a node has; false: it has none.
func (z *liveZones) row(n *routerNet, i int, p zone.Path) (row view.ZoneRow, ok bool, err error) {
	t, err := n.Nodes[i].Client.Zone(n.run.Context(), string(p.Parent()))
	if errors.Is(err, tidings.ErrNotFound) {
		return row, false, nil
	}
	at := slices.IndexFunc(t.Rows, func(r view.ZoneRow) bool {
		return r.Kind == view.ZoneChild &&
			r.Label == p.Label()
	})
	if err != nil || at < 0 {
		return row, false, err
	}
	return t.Rows[at], true, nil
}

// besideEvery is how often an item is sent to each zone, in parts of the time in which each feed changes once.
// besideLeast is the shortest time between two: a node that comes back catches up with 16 items at a time.
const (
	besideEvery = 8
	besideLeast = 2 * time.Second
)

// sendings are items for channels of zones, one after the other.
func (z *liveZones) sendings(n *routerNet, length time.Duration, to, away []int) (events []livenet.Event) {
	step := max(n.sizes.Every/besideEvery, besideLeast) / time.Duration(len(to))
	for i := 0; time.Duration(i)*step < length; i++ {
		sender := n.chance.IntN(n.sizes.Nodes)
		for slices.Contains(away, sender) {
			sender = n.chance.IntN(n.sizes.Nodes)
		}
		channel := to[i%len(to)]
		p := zone.Path(n.work.Channels[channel].Zone)
		events = append(events, livenet.Event{
			At: time.Duration(i) * step, Do: livenet.Send, Node: sender, Channels: []int{channel},
			Desk: z.desk(p, n.chance.IntN(liveDesks+1)),
		})
	}
	return events
}

// after installs a function and revokes it, and kills representatives of zones.
func (z *liveZones) after(n *routerNet) {
	n.run.Stage("installing and revoking a function", 0.1)
	z.installed = z.function(n, 0, "SELECT COUNT(*) AS "+countedBy+" FROM children")
	z.revoked = z.function(n, n.sizes.Nodes-1, "")
	n.run.Stage("killing the representatives of zones", 0.2)
	z.killSpeakers(n)
}

// function spreads a function for a subtree from one of its members, or, if the text is empty, its revocation. It
// returns how long it is until the rows of all of the subtree's zones, and of these alone, have its attribute at all
// nodes, or no longer do.
func (z *liveZones) function(n *routerNet, from int, text string) (elapsed time.Duration) {
	members := z.members(subtree, n.sizes.Nodes)
	i, err := z.signer.Function(subtree, countedBy, text)
	if err != nil {
		n.run.Must(fmt.Errorf("signing a function: %w", err))
	}
	begin := time.Now()
	// A row that a function computes may reach a member before the function itself does. Until then the member knows of
	// nothing that could be revoked.
	n.run.Must(n.Until(fmt.Sprintf("the function %q is spread by a member", text), func() (bool, error) {
		err := n.Nodes[members[from%len(members)]].Client.SpreadFunction(n.run.Context(), i)
		if text == "" && errors.Is(err, tidings.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}))
	for i := range n.sizes.Nodes {
		err := n.Until(fmt.Sprintf("node %d has what the function %q computes, and nothing else", i, text),
			func() (bool, error) {
				for _, p := range z.zones {
					for depth := 1; depth <= p.Depth() && p.At(depth).Parent().Contains(z.of(i)); depth++ {
						row, ok, err := z.row(n, i, p.At(depth))
						_, has := row.Attributes[countedBy]
						if err != nil || !ok || has != (text != "" && subtree.Contains(p.At(depth))) {
							return false, err
						}
					}
				}
				return true, nil
			})
		n.run.Must(err)
	}
	return time.Since(begin)
}

// killSpeakers kills all representatives of some zones, while items are sent to these, and starts them again.
func (z *liveZones) killSpeakers(n *routerNet) {
	var killed, to []int
	for at, p := range z.zones {
		if p == z.of(0) || len(to) > 0 && !n.sizes.full() || len(to) == 2 {
			continue // others join by the first node
		}
		to = append(to, z.sent[at])
		row, _, err := z.row(n, z.members(p, n.sizes.Nodes)[0], p)
		if err != nil {
			n.run.Must(fmt.Errorf("asking which nodes represent %s: %w", p, err))
		}
		for i, node := range n.Nodes {
			if slices.Contains(row.Representatives, node.ID) {
				killed = append(killed, i)
			}
		}
	}
	z.killed = len(killed)
	n.killFor(n.sizes.Part, killed, nil, append(n.edits(n.sizes.Part), z.sendings(n, n.sizes.Part, to, killed)...))
}

// zoneFigures are what became of all that was sent.
func zoneFigures() (f lab.Figures[*routerNet]) {
	zones := func(n *routerNet) *liveZones { return n.log.(*newswireLog).zones }
	sent := func(n *routerNet) livenet.Tally { return n.Tally(rules, zones(n).sent...) }
	selected := func(n *routerNet) livenet.Tally { return n.Tally(rules, zones(n).selected...) }
	f.Report("zone.told_median_seconds", "s",
		func(n *routerNet) float64 { return stats.Quantile(sent(n).Latencies, 0.5) })
	f.Judge("zone.due", "", lab.AtLeast(1), func(n *routerNet) float64 { return float64(sent(n).Due) })
	f.Judge("zone.lost", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(sent(n).Lost) })
	f.Judge("zone.twice", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(sent(n).Twice) })
	f.Judge("zone.outside", "", lab.Exactly(0), func(n *routerNet) float64 {
		return float64(sent(n).Foreign + n.Tally(rules, zones(n).watched...).Foreign)
	})
	f.Judge("query.due", "", lab.AtLeast(1), func(n *routerNet) float64 { return float64(selected(n).Due) })
	f.Judge("query.lost", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(selected(n).Lost) })
	f.Judge("query.twice", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(selected(n).Twice) })
	f.Judge("query.noise", "", lab.Exactly(0), func(n *routerNet) float64 { return float64(selected(n).Foreign) })
	f.Report("function.installed_seconds", "s", func(n *routerNet) float64 { return zones(n).installed.Seconds() })
	f.Report("function.revoked_seconds", "s", func(n *routerNet) float64 { return zones(n).revoked.Seconds() })
	f.Judge("representatives.killed", "", lab.AtLeast(1),
		func(n *routerNet) float64 { return float64(zones(n).killed) })
	return f
}
