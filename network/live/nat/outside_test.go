package nat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
)

// seenConn is a connection as far as it shows where a host is.
type seenConn struct {
	network.Conn
	local, remote ma.Multiaddr
	opened        time.Time
}

func (c *seenConn) LocalMultiaddr() ma.Multiaddr  { return c.local }
func (c *seenConn) RemoteMultiaddr() ma.Multiaddr { return c.remote }
func (c *seenConn) IsClosed() bool                { return false }
func (c *seenConn) Stat() network.ConnStats {
	return network.ConnStats{Stats: network.Stats{Opened: c.opened}}
}

// Addresses that peers see show how the router translates ports: RFC 4787, section 4.1.
func TestHowRoutersTranslate(t *testing.T) {
	const local = "/ip4/192.168.1.2/udp/7601/quic-v1"
	type sighting struct{ local, remote, as string }
	for _, c := range []struct {
		name string
		seen []sighting
		want Mapping
	}{
		{"nobody has said", nil, MappingUnknown},
		{"one says little", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"}}, MappingUnknown},
		{"one that is connected twice, too", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"},
			{local, "8.8.8.8", "9.9.9.9/udp/7601"}}, MappingUnknown},
		{"one port for all", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"}, {local, "8.8.4.4", "9.9.9.9/udp/7601"}},
			MappingSame},
		{"a port for each", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"}, {local, "8.8.4.4", "9.9.9.9/udp/33123"}},
			MappingPerPeer},
		{"of two ports of the host each has one", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"},
			{"/ip4/192.168.1.2/tcp/7601", "8.8.4.4", "9.9.9.9/tcp/7602"}}, MappingUnknown},
		{"another address since", []sighting{{local, "8.8.8.8", "9.9.9.9/udp/7601"},
			{local, "8.8.4.4", "9.9.9.7/udp/7601"}}, MappingUnknown},
		{"it is not the internet", []sighting{{local, "192.168.1.3", "192.168.1.2/udp/7601"},
			{local, "192.168.1.4", "192.168.1.2/udp/7601"}}, MappingUnknown},
	} {
		o := New()
		for i, s := range c.seen {
			remote := multiaddrs(fmt.Sprintf("/ip4/%s/udp/7601/quic-v1", s.remote))[0]
			as := multiaddrs("/ip4/" + s.as)[0]
			o.Sees(&seenConn{local: multiaddrs(s.local)[0], remote: remote, opened: time.Unix(int64(i), 0)},
				withQUIC(as))
		}
		if got := o.Mapping(); got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}

// withQUIC completes an address over UDP.
func withQUIC(a ma.Multiaddr) ma.Multiaddr {
	if strings.Contains(a.String(), "/udp/") {
		return ma.Join(a, ma.StringCast("/quic-v1"))
	}
	return a
}

func multiaddrs(text string) []ma.Multiaddr { return []ma.Multiaddr{ma.StringCast(text)} }
