package live

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/gologshim"
	libp2pconnmgr "github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	quic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"tidings/network/live/newcomers"
)

// protocolID names the framing of streams. What is said in the frames has versions of its
// own, which engine.Hello negotiates.
const protocolID = "/tidings/1"

// unlinkedGrace is how long a connection without a link is left alone, for identify, AutoNAT
// and relays to do their work.
const unlinkedGrace = 20 * time.Second

// listen starts libp2p and listens where the configuration says.
func (h *Host) listen() error {
	listen, left, err := h.config.listenAddresses()
	if err != nil {
		return err
	}
	if len(left) > 0 {
		h.log.Info("QUIC cannot carry a network key: TCP only", "left_out", fmt.Sprint(left))
	}
	if err := free(listen); err != nil {
		return err
	}
	options, err := h.options(listen)
	if err != nil {
		return fmt.Errorf("starting the network: %w", err)
	}
	h.net, err = libp2p.New(options...)
	if err != nil {
		return fmt.Errorf("starting the network on %s: %w", join(listen), inWords(err))
	}
	missing := h.missing(listen)
	err = free(missing) // somebody else may have been quicker
	if err == nil && len(missing) > 0 && len(h.config.Listen) > 0 {
		err = fmt.Errorf("listening on %s: the address is taken, or not one of this machine's", join(missing))
	}
	if err != nil {
		_ = h.net.Close()
		return err
	}
	h.net.SetStreamHandler(protocolID, h.accept)
	return nil
}

// free returns an error if somebody listens on one of the addresses.
func free(addresses []ma.Multiaddr) error {
	for _, a := range addresses {
		if used(a) {
			return fmt.Errorf("listening on %s: the port is taken, perhaps by another node on this machine", a)
		}
	}
	return nil
}

// used reports whether a program listens on an address. libp2p shares TCP ports, so that without asking two nodes would
// each get a part of the other's connections. And where it can listen on some of its addresses, it says nothing of the
// others.
func used(a ma.Multiaddr) bool {
	network, address, err := manet.DialArgs(a)
	if err != nil || strings.HasSuffix(address, ":0") {
		return false
	}
	var l io.Closer
	if transportOf(a) == overQUIC {
		l, err = net.ListenPacket(network, address)
	} else {
		l, err = net.Listen(network, address)
	}
	if err != nil {
		return errors.Is(err, syscall.EADDRINUSE)
	}
	_ = l.Close()
	return false
}

// missing returns where the host should listen and does not.
func (h *Host) missing(listen []ma.Multiaddr) []ma.Multiaddr {
	var missing []ma.Multiaddr
	for _, want := range listen {
		found := false
		for _, have := range h.net.Network().ListenAddresses() {
			found = found || bound(want, have)
		}
		if !found {
			missing = append(missing, want)
		}
	}
	return missing
}

// bound reports whether have is what listening on want gives: the same, but for a port 0.
func bound(want, have ma.Multiaddr) bool {
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		chosen := want[i].Value() == "0" && (want[i].Protocol().Code == ma.P_TCP || want[i].Protocol().Code == ma.P_UDP)
		if want[i].Protocol().Code != have[i].Protocol().Code || !chosen && want[i].Value() != have[i].Value() {
			return false
		}
	}
	return true
}

func (h *Host) options(listen []ma.Multiaddr) ([]libp2p.Option, error) {
	key, err := crypto.UnmarshalEd25519PrivateKey(h.config.Key)
	if err != nil {
		return nil, err
	}
	resources, err := h.limits.manager()
	if err != nil {
		return nil, err
	}
	h.newcomers = newcomers.Before(resources, newcomers.Config{
		Handshakes: h.limits.Resources.Handshakes, Greetings: h.limits.Resources.Greetings,
		HandshakeFor: h.limits.Resources.HandshakeFor, GreetFor: h.limits.HelloWithin,
		Hangup: func(id peer.ID, from ma.Multiaddr) { h.task(func() { hangUp(h, id, from) }) },
	})
	connections, err := libp2pconnmgr.NewConnManager(h.limits.HighWater, h.limits.HighWater+64,
		libp2pconnmgr.WithGracePeriod(unlinkedGrace))
	if err != nil {
		return nil, err
	}
	options := []libp2p.Option{
		libp2p.Identity(key),
		libp2p.ListenAddrs(listen...),
		libp2p.UserAgent(h.config.Agent),
		libp2p.ProtocolVersion("tidings/1"),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Transport(tcp.NewTCPTransport),
		libp2p.WithDialTimeout(h.limits.DialTimeout),
		libp2p.ResourceManager(h.newcomers),
		libp2p.ConnectionManager(connections),
		libp2p.ConnectionGater(gater{h}),
		libp2p.DisableMetrics(),
	}
	if h.config.NetworkKey != nil {
		options = append(options, libp2p.PrivateNetwork(h.config.NetworkKey))
	} else {
		options = append(options, libp2p.Transport(quic.NewTransport))
	}
	reach := append(h.reachOptions(listen), h.config.options...)
	h.isForced = forcesReachability(reach)
	return append(options, reach...), nil
}

// gater keeps out peers that are refused.
type gater struct{ h *Host }

var _ connmgr.ConnectionGater = gater{}

func (g gater) allows(id peer.ID) bool {
	key, err := keyOf(id)
	return err == nil && !g.h.penalties.refuses(NodeID(key))
}

// InterceptPeerDial refuses to dial a peer that is refused.
func (g gater) InterceptPeerDial(id peer.ID) bool { return g.allows(id) }

// InterceptAddrDial allows every address.
func (g gater) InterceptAddrDial(peer.ID, ma.Multiaddr) bool { return true }

// InterceptAccept allows every address: which peer it is, is not known yet.
func (g gater) InterceptAccept(c network.ConnMultiaddrs) bool {
	g.h.newcomers.Accepted(c)
	return true
}

// InterceptSecured refuses a peer that is refused, as soon as it has proved which it is.
func (g gater) InterceptSecured(_ network.Direction, id peer.ID, _ network.ConnMultiaddrs) bool {
	return g.allows(id)
}

// InterceptUpgraded allows what the others allowed.
func (g gater) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }

// hangUp ends the connections that a peer has from an address.
func hangUp(h *Host, id peer.ID, from ma.Multiaddr) {
	select {
	case <-h.ready:
	default:
		return // it is early, and they are few
	}
	for _, c := range h.net.Network().ConnsToPeer(id) {
		if c.RemoteMultiaddr().Equal(from) {
			_ = c.Close()
		}
	}
}

func join(addresses []ma.Multiaddr) string {
	texts := make([]string, len(addresses))
	for i, a := range addresses {
		texts[i] = a.String()
	}
	return strings.Join(texts, ", ")
}

// inWords shortens what libp2p says when it could listen nowhere.
func inWords(err error) error {
	switch {
	case strings.Contains(err.Error(), "address already in use"):
		return errors.New("the port is taken, perhaps by another node on this machine")
	case strings.Contains(err.Error(), "cannot assign requested address"):
		return errors.New("the address is not one of this machine's")
	}
	return err
}

// quieten keeps libp2p from writing to standard error on its own, past Config.Logger: what matters of it comes back as
// errors. Its own switch makes it write, for people that look into it.
var quieten = sync.OnceFunc(func() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
})
