package live

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// portMappingRole is the variable that says to a child of the test which host it is.
const portMappingRole = "TIDINGS_TEST_PORT_MAPPING"

// A node behind a router that obeys UPnP, NAT-PMP or PCP is public soon, at an address at which others reach it. The
// router is miniupnpd in a network namespace.
func TestPortMapping(t *testing.T) {
	if role := os.Getenv(portMappingRole); role != "" {
		portMappingHost(t, role)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	for _, program := range []string{"ip", "nft", "miniupnpd"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	w := newRoutedHome(t)
	server := w.child("internet", "server")
	home := w.child("home", "home "+server.line())
	address := home.line()
	if !strings.Contains(address, "/ip4/44.1.1.3/") {
		t.Fatalf("the node at home is found at %s", address)
	}
	if said := w.child("internet", "visitor "+address).line(); said != "met" {
		t.Errorf("dialling the node at home: %s", said)
	}
}

// portMappingHost is a child of the test. It says where it is, or how it fared, and waits for its parent.
func portMappingHost(t *testing.T, role string) {
	what, address, _ := strings.Cut(role, " ")
	c := loopback(map[string]int{"server": 1, "home": 2, "visitor": 3}[what])
	c.Listen = []string{"/ip4/0.0.0.0/udp/7601/quic-v1", "/ip4/0.0.0.0/tcp/7601"}
	if what == "visitor" {
		c.Listen = []string{"/ip4/0.0.0.0/udp/7602/quic-v1"}
	}
	c.PortMapping = what == "home"
	h := startHost(t, c)
	if address != "" {
		if _, err := h.Connect(t.Context(), address); err != nil {
			fmt.Println("child:", err)
			return
		}
	}
	said := "met"
	switch what {
	case "home":
		eventually(t, "the router forwards the port",
			func() bool { return h.Router().Forwards && h.Reachability() == Public })
		eventually(t, "others are notified", func() bool {
			all := h.Addresses()
			// Meanwhile it has a place at the server, which relays, or names its address at home first.
			return len(all) > 0 && !strings.Contains(all[0], "/p2p-circuit") &&
				!strings.Contains(all[0], "/ip4/192.168.")
		})
		said = h.Addresses()[0]
	case "server":
		said = h.Addresses()[0]
	}
	fmt.Println("child:", said)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent has seen enough
}

// routedHome is a home behind a router that forwards what it is asked to, and one machine of the internet.
type routedHome struct {
	t      *testing.T
	prefix string
}

func newRoutedHome(t *testing.T) *routedHome {
	w := &routedHome{t, "tidings-" + strconv.Itoa(os.Getpid()) + "-"}
	for _, name := range []string{"internet", "router", "home"} {
		if out, err := exec.Command("ip", "netns", "add", w.prefix+name).CombinedOutput(); err != nil {
			t.Skipf("network namespaces cannot be made here: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", w.prefix+name).Run() })
		w.in(name, "ip", "link", "set", "lo", "up")
	}
	w.cable("internet", "44.1.1.2/24", "router", "wan", "44.1.1.3/24")
	w.cable("home", "192.168.1.2/24", "router", "lan", "192.168.1.1/24")
	w.in("home", "ip", "route", "add", "default", "via", "192.168.1.1")
	w.in("router", "sysctl", "-qw", "net.ipv4.ip_forward=1")
	w.in("router", "nft", "-f", w.file("rules", `
table ip home {
	chain leave {
		type nat hook postrouting priority 100;
		oifname "wan" masquerade
	}
	chain pass {
		type filter hook forward priority 0; policy drop;
		ct state established,related accept
		iifname "lan" accept
		ct status dnat accept
	}
}
table inet mini {
	chain mini_forward { }
	chain mini_prerouting { }
	chain mini_postrouting { }
	chain forward {
		type filter hook forward priority -10; policy accept;
		jump mini_forward
	}
	chain prerouting {
		type nat hook prerouting priority -100; policy accept;
		jump mini_prerouting
	}
	chain postrouting {
		type nat hook postrouting priority 90; policy accept;
		jump mini_postrouting
	}
}
`))
	daemon := exec.Command("ip", "netns", "exec", w.prefix+"router", "miniupnpd", "-d", "-P",
		filepath.Join(t.TempDir(), "pid"), "-f", w.file("miniupnpd.conf", `
ext_ifname=wan
listening_ip=lan
enable_natpmp=yes
enable_upnp=yes
port=5555
upnp_table_name=mini
upnp_nat_table_name=mini
upnp_forward_chain=mini_forward
upnp_nat_chain=mini_prerouting
upnp_nat_postrouting_chain=mini_postrouting
allow 1024-65535 0.0.0.0/0 1024-65535
`))
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	return w
}

func (w *routedHome) file(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *routedHome) in(namespace string, command ...string) {
	w.t.Helper()
	if out, err := exec.Command("ip", append([]string{"netns", "exec", w.prefix + namespace},
		command...)...).CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %s: %v: %s", namespace, strings.Join(command, " "), err, out)
	}
}

// cable joins a machine, with the end eth, and the router.
func (w *routedHome) cable(machine, at, router, device, routerAt string) {
	w.t.Helper()
	w.in(machine, "ip", "link", "add", "eth", "type", "veth", "peer", "name", device, "netns", w.prefix+router)
	for _, end := range [][3]string{{machine, "eth", at}, {router, device, routerAt}} {
		w.in(end[0], "ip", "addr", "add", end[2], "dev", end[1])
		w.in(end[0], "ip", "link", "set", end[1], "up")
	}
}

// child is a host in a namespace, in a process of its own.
type child struct {
	t    *testing.T
	says *bufio.Scanner
}

func (w *routedHome) child(namespace, role string) *child {
	w.t.Helper()
	c := exec.Command("ip", "netns", "exec", w.prefix+namespace, os.Args[0], "-test.run=^TestPortMapping$", "-test.v")
	c.Env = append(os.Environ(), portMappingRole+"="+role)
	in, err := c.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		_ = c.Wait()
	})
	return &child{w.t, bufio.NewScanner(out)}
}

// line waits for what the host says.
func (c *child) line() string {
	c.t.Helper()
	for c.says.Scan() {
		if said, ok := strings.CutPrefix(c.says.Text(), "child: "); ok {
			return said
		}
	}
	c.t.Fatal("a host has ended without a word")
	return ""
}
