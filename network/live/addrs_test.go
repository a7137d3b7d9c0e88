package live

import (
	"slices"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"
)

// Others receive only addresses that they can use. Addresses of the local network are announced only where no other
// network is known, because neighbours there may have no other way.
func TestWhatOthersLearn(t *testing.T) {
	const (
		public = "/ip4/8.8.8.8/udp/4001/quic-v1"
		lan    = "/ip4/192.168.1.5/udp/4001/quic-v1"
		bridge = "/ip4/172.17.0.1/tcp/4001"
		site   = "/ip6/fd00::1/tcp/4001"
		own    = "/ip4/127.0.0.1/tcp/4001"
	)
	for _, c := range []struct {
		name      string
		have      []string
		outside   bool
		announced []string
	}{
		{"a server", []string{lan, own, public, bridge, site}, true, []string{public}},
		{"a server that nobody has dialled back yet", []string{lan, own, public}, false, []string{public, lan}},
		{"at home", []string{own, lan, site, relayedPlace}, true, []string{relayedPlace}},
		{"at home, without a relay", []string{own, lan, site}, true, nil},
		{"in a network of its own", []string{own, lan, site}, false, []string{lan, site}},
		{"a network of loopbacks", []string{own}, false, []string{own}},
		{"a server that libp2p lists twice", []string{public, bridge, public}, true, []string{public}},
		{"nowhere", nil, true, nil},
	} {
		var have []ma.Multiaddr
		for _, text := range c.have {
			place, err := ma.NewMultiaddr(text)
			if err != nil {
				t.Fatal(err)
			}
			have = append(have, place)
		}
		var announced []string
		for _, place := range forOthers(have, c.outside) {
			announced = append(announced, place.String())
		}
		if !slices.Equal(announced, c.announced) {
			t.Errorf("%s: others receive %v, want %v", c.name, announced, c.announced)
		}
	}
}

// When it shows that others can connect to a node, what it says of itself changes.
func TestPublicNodesAnnounceNoLocalAddresses(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		both := []string{listenAt(1, 8000), "/ip4/192.168.1.5/udp/8000/quic-v1"}
		plain := w.host(1, func(c *Config) { c.Listen = both })
		eventually(t, "an address of its own makes a node public", func() bool { return len(plain.Addresses()) == 1 })
		both[0] = listenAt(2, 8000)
		public := w.host(2, func(c *Config) { c.Listen, c.options = both, append(c.options, forcePublic) })
		time.Sleep(time.Second)
		if announced := public.Addresses(); len(announced) != 1 {
			t.Errorf("when it is: %v", announced)
		}
		time.Sleep(10 * time.Second) // libp2p looks at its addresses now and then
		if announced := public.net.Addrs(); len(announced) != 1 {
			t.Errorf("libp2p reports %v", announced)
		}
	})
}
