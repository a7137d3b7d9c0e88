package roster

import (
	"bytes"
	"crypto/sha512"
	"slices"
	"strings"
	"testing"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, testVocabulary},
		Start:        startActor,
		Commands: map[string]scene.Command{
			"create":    func(c *scene.Call) { scene.On[*testNode](c, c.Node(0)).pastry.Create() },
			"join":      joinCommand,
			"subscribe": subscribeCommand,
			"unsubscribe": func(c *scene.Call) {
				scene.On[*testNode](c, c.Node(0)).Unsubscribe(sceneNews.ID, c.Text("outside", ""))
			},
			"forge":       forgeCommand,
			"show tables": showTables,
		},
	})
}

// sceneNews is the channel of all scenes. Its ID begins with 5000.
var sceneNews = machine.Channel{ID: engine.IDOf([]byte("http://news/3149")), URL: "http://news/3149"}

func startActor(env engine.Env, _ *sim.Disk) engine.Protocol {
	return newTestNode(env, pastry.Default(), sceneKeys{env.Self().ID}, &sceneHost{env: env}, testConfig())
}

// sceneKeys sign by a hash of the words and the signer.
type sceneKeys struct{ self engine.ID }

func (k sceneKeys) Sign(data []byte) []byte {
	sum := sha512.Sum512(append(bytes.Clone(data), k.self[:]...))
	return sum[:engine.SignatureLength]
}

func (k sceneKeys) Signed(p engine.Peer, data, signature []byte) bool {
	return bytes.Equal(sceneKeys{p.ID}.Sign(data), signature)
}

// sceneHost traces the calls of its methods.
type sceneHost struct {
	testHost
	env engine.Env
}

type (
	// Changed is the record of a channel that has changed.
	Changed struct {
		Primary bool
		Live    int
	}
	// Informed reports that the owners have sent what they know.
	Informed struct{}
	// Silent says that nobody answers.
	Silent struct{ Silent bool }
)

func (h *sceneHost) Changed(o *Owned)                { h.env.Trace(Changed{o.Primary(), o.Live()}) }
func (h *sceneHost) Informed(*Owned)                 { h.env.Trace(Informed{}) }
func (h *sceneHost) Silent(_ engine.ID, silent bool) { h.env.Trace(Silent{silent}) }

// joinCommand has nodes join: join 50 90 via=10.
func joinCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*testNode](c, n).pastry.Join(c.Named(c.Need("via")).Peer())
	}
}

// subscribeCommand has a node subscribe: subscribe d0 count=2 outside=xmpp:a.
func subscribeCommand(c *scene.Call) {
	scene.On[*testNode](c, c.Node(0)).Subscribe(sceneNews, c.Text("outside", ""), c.Int("count", 1))
}

// forgeCommand has a node route a subscription that names another, with a signature of its own: forge 90 as=d0.
func forgeCommand(c *scene.Call) {
	n, victim := scene.On[*testNode](c, c.Node(0)), c.NodeOf("as").Peer()
	w := Wanted{Channel: sceneNews.ID, URL: sceneNews.URL, Count: 64, Stamp: uint64(n.Ownership.Env.Wall().UnixMilli())}
	w.Signature = n.Ownership.Sign(w.of(victim).Words(w.Channel))
	n.pastry.Route(sceneNews.ID, &Subscribe{Node: victim, Wanted: []Wanted{w}})
}

// showTables prints what nodes hold of the channel: show tables 51 58.
func showTables(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[*testNode](c, n)
		o := a.Find(sceneNews.ID)
		if o == nil {
			c.Printf("%s holds nothing\n", n.Name())
			continue
		}
		var lines []string
		for i := range o.Entries() {
			s := a.Subscription(o, i)
			lines = append(lines, strings.TrimSpace(c.Format(s.Node)+" "+s.Outside)+"×"+c.Format(int(s.Count)))
		}
		slices.Sort(lines)
		c.Printf("%s, rank %d: %s\n", n.Name(), o.Rank(), strings.Join(lines, ", "))
	}
}
