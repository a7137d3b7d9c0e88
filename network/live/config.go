package live

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
	"tidings/network/live/suspend"
)

// Config says which host it is, where it listens and what it bears. Start from Default.
type Config struct {
	// Key is the node's identity; its ID is the SHA-1 of the public half.
	Key ed25519.PrivateKey

	// Listen holds multiaddrs to listen on. If empty: QUIC and TCP, IPv4 and IPv6, all interfaces, at Port; a machine
	// may lack one of these. Of the addresses in Listen it may lack none, but for QUIC in a private network, which is
	// left out.
	Listen []string

	// Port is where to listen if Listen is empty; 0: ports that the system chooses.
	Port int

	// MDNS looks for nodes on the local network, and makes this one be found there.
	// What is found is suggested on Host.Found and not connected to.
	MDNS bool

	// Relay serves as a relay for nodes that cannot be connected to, within Limits.Relay. It does so from the start if
	// the host listens at a public address, else once AutoNAT finds that others can connect to it. It costs bandwidth,
	// and helps a network of homes a lot. Without it a public host relays in small measure (Limits.SmallRelay), and
	// with NoRelay not at all.
	Relay, NoRelay bool

	// PortMapping asks the router by UPnP, NAT-PMP or PCP to forward the ports at which the host listens. It is not
	// done for loopback alone.
	PortMapping bool

	// NetworkKey closes the network to all that do not hold the same 32 bytes. Nil: open.
	NetworkKey []byte

	// IDWork is how many bits of work IDs of this network have, its own too: see engine.ID.Work. Nobody else is met,
	// and nothing that others have signed counts. 0 to engine.MaxIDWork.
	IDWork int

	// Codec knows the messages of all protocols that run, and must have been given
	// engine.TransportVocabulary and Vocabulary.
	Codec *engine.Codec

	// Agent is the program's name and version, announced to peers: "tidings 0.4.1".
	Agent string

	Limits Limits

	// Logger logs what a person that runs a node may want to know; nil: nothing is logged.
	Logger *slog.Logger

	// Observe is called in the loop with all that protocols trace and with the
	// transport's own events (see events.go). Nil: none is called. It must be quick.
	Observe func(event any)

	// OnPeers is called when the set of connected peers changes, when this host's addresses change, and when it changes
	// whether others can connect to it. OnRTT is called with each measured round trip. OnDuplicateKey is called with an
	// ID that two running nodes have, maybe this host's own, each time they are met. All are called in the loop, as
	// Observe is, and must be quick. Nil: none is called.
	OnPeers        func()
	OnRTT          func(time.Duration)
	OnDuplicateKey func(engine.ID)

	// Delay, for tests and experiments, returns how long each message to a peer is held back before it is sent: half of
	// a round trip that the connection does not have. Below zero the message is lost. Messages to one peer keep their
	// order, whatever Delay returns, and count in the queue (Limits.QueueMessages) meanwhile. The transport's pings are
	// held back as well, so that all measurements of round trips include it. Connecting, and saying Hello, are not
	// delayed. It is called in several goroutines at a time. Nil: nothing is held back.
	Delay func(to engine.ID) time.Duration

	// For tests: extra options of libp2p and a stand-in for the clock that
	// counts suspended time.
	options   []libp2p.Option
	suspended func() time.Duration
}

// Default returns what an ordinary node at home uses. Key and Codec are missing.
func Default() Config {
	return Config{MDNS: true, Agent: "tidings", Limits: DefaultLimits(), suspended: suspend.Time}
}

// admits reports whether an ID has the work that the network asks for.
func (c *Config) admits(id engine.ID) bool { return c.IDWork == 0 || id.Work() >= c.IDWork }

// setDefaultCallbacks fills in the callbacks that are missing.
func (c *Config) setDefaultCallbacks() {
	if c.OnPeers == nil {
		c.OnPeers = func() {}
	}
	if c.OnRTT == nil {
		c.OnRTT = func(time.Duration) {}
	}
	if c.OnDuplicateKey == nil {
		c.OnDuplicateKey = func(engine.ID) {}
	}
}

// everywhere returns where a host listens if nothing but the port is said.
func everywhere(port int) []string {
	var all []string
	for _, host := range []string{"/ip4/0.0.0.0", "/ip6/::"} {
		all = append(all, fmt.Sprintf("%s/udp/%d/quic-v1", host, port), fmt.Sprintf("%s/tcp/%d", host, port))
	}
	return all
}

// Validate says what cannot be.
func (c Config) Validate() error {
	switch {
	case len(c.Key) != ed25519.PrivateKeySize:
		return errors.New("a node needs an Ed25519 key")
	case c.NetworkKey != nil && len(c.NetworkKey) != networkKeyBytes:
		return fmt.Errorf("a network key has %d bytes, this one %d", networkKeyBytes, len(c.NetworkKey))
	case c.IDWork < 0 || c.IDWork > engine.MaxIDWork:
		return fmt.Errorf("IDs of %d bits of work cannot be asked for; 0 to %d can", c.IDWork, engine.MaxIDWork)
	case !c.admits(NodeID(c.Key.Public().(ed25519.PublicKey))):
		return fmt.Errorf("this node's ID has less than the %d bits of work that the network asks for", c.IDWork)
	case c.Codec == nil:
		return errors.New("a node needs a codec")
	case c.Relay && c.NoRelay:
		return errors.New("a node cannot both relay and refuse to")
	case len(c.Agent) > 64:
		return errors.New("the agent's name is longer than 64 bytes")
	}
	for _, v := range []engine.Vocabulary{engine.TransportVocabulary, Vocabulary} {
		for _, t := range v.Messages {
			if c.Codec.New(t.Message.Kind()) == nil {
				return fmt.Errorf("the codec does not know the transport's %T", t.Message)
			}
		}
	}
	if _, _, err := c.listenAddresses(); err != nil {
		return err
	}
	return c.Limits.Validate()
}

// listenAddresses returns the addresses to listen on, and those left out because they are not possible with a network
// key.
func (c Config) listenAddresses() (listen, left []ma.Multiaddr, err error) {
	texts := c.Listen
	if len(texts) == 0 {
		texts = everywhere(c.Port)
	}
	for _, text := range texts {
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, nil, fmt.Errorf("listening on %q: not a multiaddr such as /ip4/0.0.0.0/udp/4001/quic-v1: %w",
				text, err)
		}
		switch transportOf(a) {
		case overQUIC:
			if c.NetworkKey != nil {
				left = append(left, a)
				continue
			}
		case overTCP:
		default:
			return nil, nil, fmt.Errorf("listening on %q: only /udp/…/quic-v1 and /tcp/… are spoken here", text)
		}
		listen = append(listen, a)
	}
	if len(listen) == 0 {
		return nil, nil, errors.New("listening: a network key needs a TCP address, as QUIC cannot carry it")
	}
	return listen, left, nil
}
