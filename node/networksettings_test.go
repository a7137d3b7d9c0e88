package node

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/node/member"
)

const (
	someID    = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"
	someJoin  = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/" + someID
	otherJoin = "/dns4/tidings.example/tcp/7601/p2p/" + someID
)

func TestNetworkSettings(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := member.WriteNetworkKey(key); err != nil {
		t.Fatal(err)
	}
	notKey := filepath.Join(t.TempDir(), "not")
	if err := os.WriteFile(notKey, []byte("/key/swarm/psk/1.0.0/\n/base16/\nabcd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*Config)
		want   string // part of the error; empty: none
	}{
		"as usual": {func(*Config) {}, ""},
		"by QUIC":  {func(c *Config) { c.Join = []string{someJoin, otherJoin} }, ""},
		"through a relay": {func(c *Config) { c.Join = []string{otherJoin + "/p2p-circuit/p2p/" + someID} },
			""},
		"host and port": {func(c *Config) {
			c.Join = []string{someJoin, "192.0.2.7:7601"}
		}, `"192.0.2.7:7601"`},
		"a web address": {func(c *Config) {
			c.Join = []string{"http://192.0.2.7:7600/"}
		}, `"http://192.0.2.7:7600/"`},
		"an ID alone": {func(c *Config) { c.Join = []string{someID} }, `12D3KooW`},
		"nobody's address": {func(c *Config) { c.Join = []string{"/ip4/192.0.2.7/udp/7601/quic-v1"} },
			`/p2p/`},
		"nowhere": {func(c *Config) { c.Join = []string{"/p2p/" + someID} }, `/p2p/`},
		"another transport": {func(c *Config) {
			c.Join = []string{"/ip4/192.0.2.7/udp/7601/utp/p2p/" + someID}
		}, `utp`},
		"nothing": {func(c *Config) { c.Join = []string{""} }, `""`},
		"a long one": {func(c *Config) {
			c.Join = []string{"/dns4/" + strings.Repeat("x", 3000) + "/tcp/1/p2p/" + someID}
		}, `…`},
		"too many": {func(c *Config) { c.Join = slices.Repeat([]string{someJoin}, 65) }, `65`},
		"listening": {func(c *Config) {
			c.Listen = []string{"/ip4/127.0.0.1/udp/0/quic-v1", "/ip6/::1/tcp/0"}
		}, ""},
		"listening as host:port": {func(c *Config) { c.Listen = []string{"0.0.0.0:7601"} },
			`"0.0.0.0:7601" is no address to listen at: it should look like /ip4/0.0.0.0/udp/7601/quic-v1`},
		"listening at a name": {func(c *Config) { c.Listen = []string{"/dns4/tidings.example/tcp/7601"} },
			`cannot be listened at`},
		"listening with an ID": {func(c *Config) { c.Listen = []string{someJoin} }, `cannot be listened at`},
		"listening by bare UDP": {func(c *Config) { c.Listen = []string{"/ip4/0.0.0.0/udp/1"} },
			`cannot be listened at`},
		"listening much": {func(c *Config) { c.Listen = slices.Repeat([]string{"/ip4/0.0.0.0/tcp/0"}, 17) },
			`17`},
		"a port beyond": {func(c *Config) { c.Port = 65536 }, `65536`},
		"with a key": {func(c *Config) {
			c.NetworkKeyFile, c.Listen = key, []string{"/ip4/0.0.0.0/tcp/7601"}
		}, ""},
		"with a key and QUIC": {func(c *Config) {
			c.NetworkKeyFile, c.Listen = key, []string{"/ip4/0.0.0.0/udp/1/quic-v1"}
		}, `QUIC`},
		"with a key that is none":   {func(c *Config) { c.NetworkKeyFile = notKey }, `tidings key network`},
		"with a key that is absent": {func(c *Config) { c.NetworkKeyFile = key + "x" }, `network key`},
		"in the air":                {func(c *Config) { c.Listen = []string{"/"} }, `"/"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := Default()
			c.Data = t.TempDir()
			test.change(&c)
			err := c.Validate()
			if (err == nil) != (test.want == "") ||
				err != nil && (!errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), test.want) ||
					len(err.Error()) > 400) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
