package astrolabe_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

func TestZZ(t *testing.T) {
	w := newWorld(1, astrolabe.Default(), make([]zone.Path, 150), 200*time.Millisecond, nil)
	w.Observe(func(at time.Duration, n sim.Node, event any) {
		switch e := event.(type) {
		case astrolabe.Placed:
			if e.Zone != "/" {
				fmt.Println(at.Truncate(time.Millisecond), n, "placed", e.Zone)
			}
		case astrolabe.Refused:
			fmt.Println(at.Truncate(time.Millisecond), n, "refused", e)
		}
	})
	w.Tap(func(p sim.Passage) {
		if m, ok := p.Message.(*astrolabe.Move); ok && p.Fate == sim.Sent {
			fmt.Println(p.At.Truncate(time.Millisecond), p.From, p.To, "move", m.From, m.To)
		}
	})
	w.Run(45 * time.Second)
	zones := map[zone.Path]int{}
	for i := range 150 {
		p, _ := w.node(i).Path()
		zones[p]++
	}
	fmt.Println(zones)
	for r := range w.node(0).Table(zone.Root).Children() {
		fmt.Println(r.Label, r.Attributes.Get("members").Integer, r.Attributes.Get("moved").Integer)
	}
}
