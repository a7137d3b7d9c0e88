package budget

import (
	"math"
	"math/rand/v2"
	"testing"

	"tidings/network/corona/machine"
)

// A certificate limits the nodes in the set for a witness, at the channel's own address and signed by a quorum of the
// host's owners. Any other proves nothing.
func TestCertificatesLimitPollers(t *testing.T) {
	c := channel(0)
	seldom := func(g *machine.Grant) { g.Every = 3600 }
	over := func(g *machine.Grant) { g.Until -= 2 * 3600 }
	l := many()
	forged := l.grants(6, c, machine.Fine(40))
	forged[2].Signature = forged[1].Signature
	elsewhere := c
	elsewhere.URL += "/beside"
	mean := l.nodes() * machine.Fine(40).Share()
	for what, test := range map[string]struct {
		channel machine.Channel
		grants  []machine.Grant
		want    float64
	}{
		"six owners":          {c, l.grants(6, c, machine.Fine(40)), mean + 3*math.Sqrt(mean)},
		"five owners":         {c, l.grants(5, c, machine.Fine(40)), 0},
		"no owner":            {c, nil, 0},
		"one is forged":       {c, forged, 0},
		"of another channel":  {c, l.grants(6, channel(1), machine.Fine(40)), 0},
		"at another address":  {elsewhere, l.grants(6, c, machine.Fine(40)), 0},
		"the primary alone":   {c, l.grants(6, c, machine.Alone), 0},
		"the primary, seldom": {c, l.grants(6, c, machine.Alone, seldom), 0},
		"its time is over":    {c, l.grants(6, c, machine.Fine(40), over), 0},
	} {
		got := math.NaN()
		l.CheckCertificate(test.channel, test.grants, func(pollers float64) { got = pollers })
		if math.IsNaN(got) || math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %.2f nodes can be in the set, not %.2f", what, got, test.want)
		}
	}
}

// A primary chooses a set by the nodes that it counts there. So the part of the ring depends on how dense nodes are. Of
// sets of any number of nodes, four in 1,000 have one more than that bound for their part, or more.
func TestCrowdedSetsAreRare(t *testing.T) {
	const rings = 20_000
	chance := rand.New(rand.NewPCG(7, 8))
	for _, members := range []int{2, 6, 20, 100} {
		crowded, aboveMean := 0, 0
		for range rings {
			expected := 0. // of a part of the ring that ends at the last member: the gaps between nodes are random
			for range members {
				expected += chance.ExpFloat64()
			}
			if 1+int(mostIn(expected)) < members {
				crowded++
			}
			if 1+int(expected) < members {
				aboveMean++
			}
		}
		if part := float64(crowded) / rings; part > 0.006 {
			t.Errorf("of sets of %d nodes %.4f have more than there can be", members, part)
		}
		if part := float64(aboveMean) / rings; part < 0.2 {
			t.Errorf("of sets of %d nodes %.4f have more than on average: nothing is tested", members, part)
		}
	}
}
