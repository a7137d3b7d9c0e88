package doctor

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"tidings/network/live"
	"tidings/node/keyring"
)

func TestDoctorOnPorts(t *testing.T) {
	busy := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	denied := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}
	elsewhere := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)}
	listen := []Address{{"/ip4/192.0.2.7/udp/53/quic-v1", "udp4", "192.0.2.7:53"},
		{"/ip4/192.0.2.7/tcp/4001", "tcp4", "192.0.2.7:4001"}}
	usual := []Address{{"/ip4/0.0.0.0/udp/7601/quic-v1", "udp4", "0.0.0.0:7601"},
		{"/ip4/0.0.0.0/tcp/7601", "tcp4", "0.0.0.0:7601"},
		{"/ip6/::/udp/7601/quic-v1", "udp6", "[::]:7601"}, {"/ip6/::/tcp/7601", "tcp6", "[::]:7601"}}
	for name, test := range map[string]struct {
		listen []Address        // that a person has chosen
		fail   map[string]error // by network and address
		want   []string
	}{
		"free": {nil, nil, []string{"ok: The node can listen for others."}},
		"the usual port is taken": {nil, map[string]error{"udp4 0.0.0.0:7601": busy, "udp6 [::]:7601": busy},
			[]string{"warning: UDP port 7601 is in use by another program", "--port"}},
		"no IPv6": {nil, map[string]error{"udp6 [::]:7601": elsewhere, "tcp6 [::]:7601": elsewhere},
			[]string{"ok: The node can listen for others."}},
		"another's address": {listen, map[string]error{"tcp4 192.0.2.7:4001": elsewhere, "udp4 192.0.2.7:53": denied},
			[]string{"problem: UDP port 53 may not be opened", "from 1024 up",
				"problem: This machine does not have the address 192.0.2.7.", "--listen"}},
		"taken as told": {listen, map[string]error{"tcp4 192.0.2.7:4001": busy},
			[]string{"problem: TCP port 4001 is in use"}},
		"who knows": {listen, map[string]error{"tcp4 192.0.2.7:4001": errors.New("no.")},
			[]string{"problem: The node cannot listen at /ip4/192.0.2.7/tcp/4001: no."}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Config{Listen: usual}
			if test.listen != nil {
				c.Listen, c.Chosen = test.listen, true
			}
			var tried []string
			c.TryListen = func(a Address) error {
				tried = append(tried, a.Network+" "+a.Address)
				return test.fail[a.Network+" "+a.Address]
			}
			expect(t, c.ports(), test.want...)
			for where := range test.fail {
				if !slices.Contains(tried, where) {
					t.Errorf("%s was not tried, but %q", where, tried)
				}
			}
		})
	}
}

func TestDoctorOnTheNetworkKey(t *testing.T) {
	c := Config{NetworkKeyFile: filepath.Join(t.TempDir(), "key")}
	if err := live.WriteNetworkKey(c.NetworkKeyFile, live.NewNetworkKey()); err != nil {
		t.Fatal(err)
	}
	expect(t, c.aboutNetworkKey())
	if err := os.Chmod(c.NetworkKeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, c.aboutNetworkKey(), "warning: Others may read the network key (mode 0644).", "chmod 600 ")
}

// hostile 80: the doctor says which secrets others may read, and that the database is gone.
func TestHostile80DoctorOnTheDataDirectory(t *testing.T) {
	dir := t.TempDir()
	c := Config{Data: dir, KeyFile: "node.key"}
	key := filepath.Join(dir, c.KeyFile)
	published, err := keyring.In(dir).New("blog", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, c.aboutSecrets())
	for _, file := range []string{key, keyring.In(dir).File(published.Name)} {
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		expect(t, c.aboutSecrets(), "warning: Others may read or write the secret in "+file+" (mode 0640).",
			"chmod 600 "+file)
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, c.checkStore(t.Context()), "problem: A start would begin anew: the database is gone: "+
		filepath.Join(dir, "tidings.db")+" is missing", "tidings up --new")
}
