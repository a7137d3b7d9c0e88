package campaign

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network"
)

// Drawn worlds are valid, and the same for the same seed. They can be written and read back, and include all kinds.
func TestDraw(t *testing.T) {
	const seeds = 400
	routers, kinds, large, pushing := make(map[string]int), make(map[Kind]int), 0, 0
	for seed := range uint64(seeds) {
		for _, draw := range []func(uint64) *World{Draw, Small} {
			w := draw(seed)
			again, err := Parse(w.Scene())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !bytes.Equal(again.Scene(), w.Scene()) || !bytes.Equal(draw(seed).Scene(), w.Scene()) {
				t.Fatalf("seed %d: another world", seed)
			}
		}
		w := Draw(seed)
		routers[w.Router]++
		if w.Nodes > 1000 {
			large++
		}
		if len(w.Publishers) > 0 {
			pushing++
		}
		for k := range drawnOf(w).Faults {
			kinds[k]++
		}
		if w.estimate() > 2*maxEvents && len(w.Cut) == 0 {
			t.Errorf("seed %d: %v events, and nothing was cut", seed, w.estimate())
		}
		liars := slices.DeleteFunc(slices.Clone(w.Faults), func(f Fault) bool { return !f.Kind.lies() })
		if len(liars) > 1 {
			t.Errorf("seed %d: %d liars", seed, len(liars))
		}
	}
	for r := network.Direct; r.Validate() == nil; r++ {
		if routers[r.String()] < seeds/10 {
			t.Errorf("%d worlds with %v", routers[r.String()], r)
		}
	}
	for _, k := range Kinds() {
		if n := kinds[k]; n < seeds/25 || n > seeds*3/4 {
			t.Errorf("%s is in %d of %d worlds", k, n, seeds)
		}
	}
	if pushing < seeds/3 || pushing > seeds*2/3 {
		t.Errorf("%d of %d worlds have publishers", pushing, seeds)
	}
	if large < seeds/200 || large > seeds/10 {
		t.Errorf("%d of %d worlds are large", large, seeds)
	}
}

func TestRefusesScenes(t *testing.T) {
	good := string(Small(1).Scene())
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	w := Small(1)
	w.Faults = []Fault{{At: time.Second, For: time.Second, Kind: Crash, Node: 1}}
	fault := string(w.Scene())
	w.Nodes, w.Late, w.Publishers = 8, 2, []Publisher{{Node: 4, Readers: 7, Every: Seconds(time.Minute)}}
	for i := range w.Channels {
		w.Channels[i].Readers = 1
	}
	pushes := string(w.Scene())
	if _, err := Parse([]byte(pushes)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, old, with, want string }{
		{good, "{", "[", "reading a scene"},
		{good, `"router": "` + Small(1).Router, `"router": "zz`, "no router"},
		{good, `"interval": "5m0s"`, `"interval": "soon"`, "no length of time"},
		{good, `"upkeep": 1`, `"upkeep": 0`, "upkeep"},
		{fault, "crash", "crush", `no kind "crush"`},
		{fault, "node=1", "node=5000", "no node 5000"},
		{fault, "node=1", "knot=1", "cannot be read"},
		{fault, "for=1s", "for=1s amount=NaN", "amount"},
		{fault, "for=1s", "for=0s", "first phase"},
		{fault, "1s crash node=1 for=1s", "crash", "no fault"},
		{pushes, `"node": 4`, `"node": 6`, "publisher 0"},
		{pushes, `"node": 4`, `"node": 1`, ""},
		{strings.Replace(pushes, "crash", "mute", 1), `"node": 4`, `"node": 1`, "publisher 0"},
		{pushes, `"readers": 7`, `"readers": 8`, "publisher 0"},
		{pushes, `"every": "1m0s"`, `"every": "1ms"`, "publisher 0"},
	} {
		_, err := Parse([]byte(strings.Replace(c.text, c.old, c.with, 1)))
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q for %q: %v", c.with, c.old, err)
		}
	}
}

func FuzzScene(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(Small(seed).Scene())
	}
	f.Add([]byte(`{"faults":["1s crash node=1 for=1s amount=Inf"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(w.Scene()); err != nil || !bytes.Equal(again.Scene(), w.Scene()) {
			t.Errorf("it reads differently: %v", err)
		}
	})
}
