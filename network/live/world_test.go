package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"

	"tidings/network/engine"
)

// world is a simulated network of links, in a bubble of testing/synctest: its hosts are real, with real QUIC, and time
// passes when all of them wait.
type world struct {
	t     *testing.T
	net   *simnet.Simnet
	mu    sync.Mutex
	cut   map[string]bool    // IP addresses that nothing reaches and leaves
	apart map[[2]string]bool // pairs of IP addresses between which nothing passes
}

const (
	oneWay = 10 * time.Millisecond
	never  = 1000 * time.Hour // the latency of a packet that is lost
)

// inWorld runs a test on simulated links.
func inWorld(t *testing.T, test func(*testing.T, *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, cut: make(map[string]bool), apart: make(map[[2]string]bool)}
		w.net = &simnet.Simnet{LatencyFunc: w.latency, Logger: slog.New(slog.DiscardHandler)}
		w.net.Start()
		t.Cleanup(w.net.Close)
		test(t, w)
	})
}

func (w *world) latency(p *simnet.Packet) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	from, to := p.From.(*net.UDPAddr).IP.String(), p.To.(*net.UDPAddr).IP.String()
	if w.cut[from] || w.cut[to] || w.apart[[2]string{from, to}] {
		return never
	}
	return oneWay
}

// plug disconnects a place from the network, or connects it again.
func (w *world) plug(place int, in bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut[ipOf(place).String()] = !in
}

// block lets nothing pass between two places, either way.
func (w *world) block(x, y int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, b := ipOf(x).String(), ipOf(y).String()
	w.apart[[2]string{a, b}], w.apart[[2]string{b, a}] = true, true
}

// What AutoNAT would find out.
var (
	forcePublic  = libp2p.ForceReachabilityPublic()
	forcePrivate = libp2p.ForceReachabilityPrivate()
)

func (w *world) options() []libp2p.Option {
	fast := simnet.LinkSettings{BitsPerSecond: 100 * simlibp2p.OneMbps}
	return []libp2p.Option{
		simlibp2p.QUICSimnet(w.net, simnet.NodeBiDiLinkSettings{Downlink: fast, Uplink: fast}),
		libp2p.DisableIdentifyAddressDiscovery(), // waits in a way that synctest cannot see
		withoutDialBack,
	}
}

// withoutDialBack serves no AutoNAT: libp2p would dial back from a socket of the machine's own, to addresses that exist
// in the simulation alone.
func withoutDialBack(c *libp2p.Config) error {
	c.AutoNATConfig.EnableService = false
	return nil
}

// ipOf returns the public address of a place: each lies in a /24 of its own.
func ipOf(place int) net.IP { return simnet.IntToPublicIPv4(place << 8) }

func listenAt(place, port int) string {
	return fmt.Sprintf("/ip4/%s/udp/%d/quic-v1", ipOf(place), port)
}

// config is a configuration of the host with the n-th key at the n-th place.
func (w *world) config(n int) Config {
	c := loopback(n)
	c.Listen, c.options = []string{listenAt(n, 8000)}, w.options()
	return c
}

func (w *world) host(n int, change ...func(*Config)) *running {
	w.t.Helper()
	c := w.config(n)
	for _, f := range change {
		f(&c)
	}
	return startHost(w.t, c)
}

// privateHost starts a host that nobody can connect to.
func (w *world) privateHost(n int, change ...func(*Config)) *running {
	w.t.Helper()
	return w.host(n, append(change, func(c *Config) { c.options = append(c.options, forcePrivate) })...)
}

// connect has a connect to b, and waits until b knows.
func (w *world) connect(a, b *running) {
	w.t.Helper()
	if _, err := a.Connect(w.t.Context(), b.Addresses()[0]); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(time.Second)
}

// stranger is a node that speaks libp2p and says what a test wants.
type stranger struct {
	t     *testing.T
	net   host.Host
	key   int
	codec *engine.Codec
	mu    sync.Mutex
	heard []engine.Message
}

// stranger starts one. It does not read what hosts send it until read is called.
func (w *world) stranger(n int) *stranger { return w.strangerAt(n, n, 8000) }

func (w *world) strangerAt(n, place, port int) *stranger {
	w.t.Helper()
	key, err := crypto.UnmarshalEd25519PrivateKey(testKey(n))
	if err != nil {
		w.t.Fatal(err)
	}
	h, err := libp2p.New(append(w.options(), libp2p.Identity(key), libp2p.ListenAddrStrings(listenAt(place, port)),
		libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableMetrics(), forcePublic)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = h.Close() })
	return &stranger{t: w.t, net: h, key: n,
		codec: testCodec(engine.MessageType{Message: new(newer), Class: engine.Update})}
}

func (s *stranger) self() engine.Peer {
	p, err := peerOf(peer.AddrInfo{ID: s.net.ID(), Addrs: s.net.Addrs()})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// read receives what hosts send it, quick bytes a second; 0: all at once.
func (s *stranger) read(quick int) {
	s.net.SetStreamHandler(protocolID, func(in network.Stream) {
		var from io.Reader = in
		if quick > 0 {
			from = &slow{in, quick}
		}
		r := bufio.NewReader(from)
		for {
			m, _, err := s.codec.ReadFrame(r)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.heard = append(s.heard, m)
			s.mu.Unlock()
		}
	})
}

// ignore accepts streams and never reads.
func (s *stranger) ignore() { s.net.SetStreamHandler(protocolID, func(network.Stream) {}) }

// slow reads some bytes a second.
type slow struct {
	from  io.Reader
	quick int
}

func (s *slow) Read(b []byte) (int, error) {
	n, err := s.from.Read(b[:min(len(b), s.quick)])
	time.Sleep(time.Duration(n) * time.Second / time.Duration(s.quick))
	return n, err
}

// open connects to a host and opens a stream, on which nothing has been said.
func (s *stranger) open(to *running) (network.Stream, error) {
	c, err := check(to.Host.Self())
	if err != nil {
		return nil, err
	}
	info, err := c.info()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	if err := s.net.Connect(ctx, info); err != nil {
		return nil, err
	}
	return s.net.NewStream(ctx, info.ID, protocolID)
}

// mustOpen opens a stream and greets.
func (s *stranger) mustOpen(to *running) network.Stream {
	s.t.Helper()
	out, err := s.open(to)
	if err != nil {
		s.t.Fatal(err)
	}
	s.say(out, engine.NewHello("stranger", uint64(s.key)+1000), &Place{Address: s.self().Address})
	return out
}

func (s *stranger) say(out network.Stream, all ...engine.Message) {
	s.t.Helper()
	if _, err := out.Write(s.frames(all...)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) frames(all ...engine.Message) (data []byte) {
	for _, m := range all {
		var err error
		if data, err = s.codec.AppendFrame(data, m); err != nil {
			s.t.Fatal(err)
		}
	}
	return data
}

// keepAlive sends pings on a stream until it ends.
func (s *stranger) keepAlive(out network.Stream) {
	ping := s.frames(&Ping{Nonce: 1})
	go func() {
		for {
			select {
			case <-time.After(time.Second):
			case <-s.t.Context().Done():
				return
			}
			if _, err := out.Write(ping); err != nil {
				return
			}
		}
	}()
}
