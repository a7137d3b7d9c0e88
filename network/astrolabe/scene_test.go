package astrolabe_test

import (
	"fmt"
	"strings"
	"testing"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

// TestScenes has a scene for each exchange of messages.
func TestScenes(t *testing.T) {
	t.Parallel()
	home, contacts, config := zone.Root, []engine.Peer(nil), astrolabe.Default()
	var world *sim.World
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{astrolabe.Vocabulary},
		Configure: func(c *sim.Config) {
			home, contacts, config, world = zone.Root, nil, astrolabe.Default(), nil
		},
		Start: func(env engine.Env, _ *sim.Disk) engine.Protocol {
			n, _ := world.NodeAt(env.Self())
			return actor{env, astrolabe.New(&brief{env}, config, astrolabe.Seams{
				Keys: world.Keys(n), Home: home, Contacts: contacts, Trusted: trust(), Compile: compileSQL,
			})}
		},
		Commands: map[string]scene.Command{
			// begin home=/eu contacts=(a1, b1): how the nodes are that are added or restarted from now on.
			"begin": func(c *scene.Call) {
				world = c.World()
				home, contacts = zone.Path(c.Text("home", "/")), nil
				for _, name := range c.Values("contacts") {
					contacts = append(contacts, c.Named(strings.TrimSpace(name)).Peer())
				}
				config.Full, config.Small = c.Int("full", config.Full), c.Int("small", config.Small)
				config.Interval = c.Duration("interval", config.Interval)
			},
			// set a1 bit=1: the node says that it is interested in something.
			"set": func(c *scene.Call) {
				scene.On[actor](c, c.Node(0)).Set(attr.Attribute{Name: "filter",
					Value: attr.Bytes(bitOf(c.Int("bit", 0)))})
			},
			// meet a1 of=b1
			"meet": func(c *scene.Call) { scene.On[actor](c, c.Node(0)).Meet(c.NodeOf("of").Peer()) },
			// install a1 zone=/ name=f sum=members: a function that authority 1 has signed; without sum=, it is
			// revoked.
			"install": func(c *scene.Call) {
				text := ""
				if of := c.Text("sum", ""); of != "" {
					text = "SELECT SUM(" + of + ") AS total FROM children"
				}
				a := scene.On[actor](c, c.Node(0))
				r := install(t, 1, zone.Path(c.Need("zone")), c.Need("name"), text, uint32(a.env.Wall().Unix()), nil)
				if err := a.Spread(r); err != nil {
					c.Fatalf("%v", err)
				}
			},
			"show tables": showTables,
		},
	})
}

// actor is a node of a scene.
type actor struct {
	env engine.Env
	*astrolabe.Node
}

// brief is an Env that traces in a few words what long messages say.
type brief struct{ engine.Env }

// Names in the output for messages: a row is called by its label, as label:stamp where it is no more than that. Of a
// comparison the output has how many rows of each table are compared or wanted, as depth:number.
type (
	rows struct {
		To   engine.Peer
		Rows []string
	}
	located struct {
		To   engine.Peer
		Zone zone.Path
		Rows []string
	}
	compare struct {
		To     engine.Peer
		Tables []string
	}
	want struct {
		To     engine.Peer
		Tables []string
	}
)

func (e *brief) Send(to engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *astrolabe.Rows:
		e.Trace(rows{to, brieflyRows(m.Rows)})
	case *astrolabe.Located:
		e.Trace(located{to, m.Zone, brieflyRows(m.Rows)})
	case *astrolabe.Compare:
		var tables []string
		for _, t := range m.Tables {
			tables = append(tables, fmt.Sprintf("%d:%d", t.Depth, len(t.Marks)/10))
		}
		e.Trace(compare{to, tables})
	case *astrolabe.Want:
		var tables []string
		for _, t := range m.Tables {
			tables = append(tables, fmt.Sprintf("%d:%d+%d", t.Depth, len(t.Names)/4, len(t.Stamps)/4))
		}
		e.Trace(want{to, tables})
	}
	e.Env.Send(to, m)
}

func brieflyRows(updates []astrolabe.Update) (labels []string) {
	for _, u := range updates {
		text := strings.TrimRight(u.Label, "0")
		if u.Content == nil {
			text += ":stamp"
		}
		if u.Stamp.(*table.Stamp).Gone() {
			text += ":gone"
		}
		labels = append(labels, text)
	}
	return labels
}

// showTables prints the tables that nodes have: show tables a1 b1.
func showTables(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[actor](c, n)
		p, ok := a.Path()
		if !ok {
			c.Printf("%s has no place\n", n.Name())
			continue
		}
		c.Printf("%s is in %s\n", n.Name(), p)
		for depth := range p.Depth() + 1 {
			q := p.At(depth)
			for r := range a.Table(q).All() {
				c.Printf("  %-12s by %s: %s\n", q.Child(label(c, r.Label)), c.Format(r.Issuer), shown(c, r.Attributes))
			}
		}
	}
}

// label returns a label as scenes have it: that of a member by its node's name.
func label(c *scene.Call, l string) string {
	for _, n := range c.Cast() {
		if l == zone.Member(n.ID()) {
			return zone.MemberMark + n.Name()
		}
	}
	return l
}

// shown returns what of a row's attributes matters to scenes.
func shown(c *scene.Call, r attr.Row) string {
	var parts []string
	for _, a := range r {
		switch a.Name {
		case "filter":
			parts = append(parts, fmt.Sprintf("filter=%x", a.Value.Bytes))
		case "members", "total", "moved":
			parts = append(parts, a.Name+"="+c.Format(a.Value.Integer))
		}
	}
	return strings.Join(parts, " ")
}
