// Package homes makes a small Internet on one machine, for programs that should find each other from behind home
// routers. It has public machines, and homes of several kinds (see Kind), each machine and each router a network
// namespace of its own. Packets between them are delayed, and pass one TUN device for each public address. The Internet
// is a table of addresses in this process, which delays packets, drops those with a forged source, and counts them.
//
// Namespaces have no names, and devices are made inside of them. So nothing of the machine's own network is touched,
// and the kernel removes everything when this process ends, however it ends. It needs root, nftables and iproute2 on
// Linux: see Check.
package homes

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Kind is what a home's router does with what goes through it.
type Kind string

// The kinds of homes. None lets in what nobody inside has asked for.
const (
	// one public address; a port stays the same where that is free, for all remote addresses
	Masquerade Kind = "masquerade"
	Random     Kind = "random"  // another port, drawn, for each remote address: it cannot be predicted
	Double     Kind = "double"  // behind two routers that masquerade
	Blocked    Kind = "blocked" // masquerades, and lets no UDP through
	// behind its own router and its provider's, with addresses of 100.64.0.0/10 between (RFC 6598)
	Carrier Kind = "carrier"
	IPv6    Kind = "ipv6" // has a public IPv6 address and no IPv4; its router translates nothing
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Masquerade, Random, Double, Blocked, Carrier, IPv6} }

// Settings say what an Internet is like.
type Settings struct {
	RoundTrip time.Duration // between any two public addresses
	Forget    time.Duration // after how long without a packet routers forget a UDP flow; whole seconds

	// Names are names of public machines, which can be made by them. All machines know their addresses; they know no
	// other names.
	Names []string
}

// Net is an Internet. Its methods may be called at any time, but for those that add to it, which are for one goroutine.
type Net struct {
	settings Settings
	internet *internet
	spaces   []*space
	places   int               // used
	named    map[string]int    // places of Settings.Names
	carrier  *carrier          // nil: no home has needed it so far
	dir      string            // see Dir
	instead  map[string]string // files that machines see, by the path at which they do
}

// Bounds of an Internet.
const (
	maxPlaces = 200
	maxNames  = 16
)

// New makes an Internet in which nobody is.
func New(s Settings) (*Net, error) {
	if s.RoundTrip < 0 || s.RoundTrip > time.Minute || s.Forget < time.Second || s.Forget > time.Hour ||
		len(s.Names) > maxNames {
		return nil, fmt.Errorf(
			"an Internet with a round trip of %s, routers that forget after %s and %d names cannot be made",
			s.RoundTrip, s.Forget, len(s.Names))
	}
	n := &Net{settings: s, internet: newInternet(s.RoundTrip / 2), named: make(map[string]int)}
	for _, name := range s.Names {
		n.places++
		n.named[name] = n.places
	}
	var err error
	if n.dir, err = makeDir(); err != nil {
		return nil, err
	}
	if err := n.writeNames(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// Dir is a folder for what the machines keep. It is removed with the Internet, or, if this process is killed, when the
// next one makes an Internet.
func (n *Net) Dir() string { return n.dir }

// place assigns a place on the Internet.
func (n *Net) place() (int, error) {
	if n.places == maxPlaces {
		return 0, fmt.Errorf("the Internet has no more than %d places", maxPlaces)
	}
	n.places++
	return n.places, nil
}

// Public addresses by place: a network of its own each, as libp2p bounds connections by network.
func publicIPv4(place int) netip.Addr { return netip.AddrFrom4([4]byte{44, 1, byte(place), 1}) }
func publicIPv6(place int) netip.Addr {
	return netip.AddrFrom16([16]byte{0x26, 0x00, 0x44, byte(place), 0x00, 0x01, 15: 1})
}

// writeNames writes the lists of names of all machines, in place of the machine's own: they query no other source.
func (n *Net) writeNames() error {
	var hosts strings.Builder
	hosts.WriteString("127.0.0.1 localhost\n::1 localhost\n")
	for _, name := range n.settings.Names {
		place := n.named[name]
		fmt.Fprintf(&hosts, "%s %s\n%s %s\n", publicIPv4(place), name, publicIPv6(place), name)
	}
	n.instead = make(map[string]string)
	for path, text := range map[string]string{"/etc/hosts": hosts.String(),
		"/etc/resolv.conf": "options timeout:1 attempts:1\n"} {
		file := filepath.Join(n.dir, filepath.Base(path))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing names for machines: %w", err)
		}
		n.instead[path] = file
	}
	return nil
}

// space adds a network namespace.
func (n *Net) space() (*space, error) {
	s, err := newSpace(n.instead)
	if err != nil {
		return nil, err
	}
	n.spaces = append(n.spaces, s)
	return s, s.ip("link set lo up")
}

// Close ends the Internet. What still runs in it keeps its namespace, which leads nowhere then, until it ends.
func (n *Net) Close() error {
	n.internet.close()
	for _, s := range slices.Backward(n.spaces) {
		s.close()
	}
	return os.RemoveAll(n.dir)
}
