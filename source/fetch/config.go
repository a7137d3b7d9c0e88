package fetch

import (
	"crypto/x509"
	"fmt"
	"net"
	"time"

	"golang.org/x/net/http/httpguts"
	"tidings"
)

// Bounds on what an origin may ask with Retry-After or X-RateLimit-Reset.
const (
	MinPatience = time.Minute
	MaxPatience = 24 * time.Hour
)

// Config settles a Client. Default explains itself by its values.
type Config struct {
	// Version and Contact make the User-Agent: "Tidings/VERSION (+CONTACT)". At Contact an origin's owner finds the
	// operators of this node.
	Version string
	Contact string

	// MaxBody bounds a body after decompression, in bytes.
	MaxBody int64
	// MaxRatio bounds how much larger than received a body may become, once it
	// exceeds ratioFloor bytes. Honest markup stays below 50.
	MaxRatio int64
	// MaxHeader bounds the header of an answer in bytes, MaxHeaderLines in lines.
	MaxHeader      int64
	MaxHeaderLines int
	// MaxRedirects bounds how many redirects one fetch follows.
	MaxRedirects int

	// Total bounds one fetch, redirects included, waiting for a turn excluded.
	Total time.Duration
	// Header bounds each request up to the end of the answer's header, connecting included.
	Header time.Duration
	// Idle is how long a body may bring fewer than MinProgress bytes: silence and dripping cost the reader the same.
	Idle        time.Duration
	MinProgress int64

	// HostConnections bounds the requests under way at one origin host.
	HostConnections int
	// HostRate is how many requests a second one origin host gets in the long run. HostBurst is how many it gets in a
	// row after a rest. A subscription needs about three.
	HostRate  float64
	HostBurst int
	// MaxWait is how long a fetch may wait for its turn at a host. If the turn comes later, Fetch returns a
	// LimitedError at once. So one busy host does not hold up everybody's polls. 0 means never to wait.
	MaxWait time.Duration
	// HostQueue bounds how many fetches wait for their turn at one host.
	HostQueue int
	// MaxHosts bounds for how many hosts the budget, and for how many URLs patience is remembered.
	MaxHosts int

	// AllowPrivate opens loopback, private, shared (100.64/10) and unique local
	// addresses, for intranets. Link-local (metadata), multicast, documentation and
	// reserved ones stay shut.
	AllowPrivate bool
	// Proxies are those, each as HOST:PORT in lower case, that channels may have at a private address or any port.
	// Link-local addresses and the like stay shut. Other proxies are bound by what binds origins.
	Proxies []string
	// HighPorts allows ports above 1024 beside 80, 443, 8080 and 8443.
	HighPorts bool
	// Lab is for tests and replays: private addresses are open and count as public
	// hosts, any port is allowed, hosts have no budget. Patience is kept all the same.
	Lab bool

	// Patience is what an earlier client remembered (Client.Patience).
	Patience []Wait
	// Resolver looks names up; nil: the system's.
	Resolver *net.Resolver
	// Roots are the certificates to trust; nil: the system's.
	Roots *x509.CertPool
}

// Default returns the settings of a node on the open web.
func Default() Config {
	return Config{
		Version:         "dev",
		Contact:         "https://tidings.example/fetcher",
		MaxBody:         5 << 20,
		MaxRatio:        100,
		MaxHeader:       64 << 10,
		MaxHeaderLines:  256,
		MaxRedirects:    10,
		Total:           time.Minute,
		Header:          20 * time.Second,
		Idle:            15 * time.Second,
		MinProgress:     1 << 10,
		HostConnections: 2,
		HostRate:        1,
		HostBurst:       5,
		MaxWait:         10 * time.Second,
		HostQueue:       32,
		MaxHosts:        4096,
		HighPorts:       true,
	}
}

// Validate says what cannot be meant.
func (c Config) Validate() error {
	for _, check := range []struct {
		ok   bool
		what string
	}{
		{c.Version != "" && c.Contact != "", "version and contact must not be empty"},
		{httpguts.ValidHeaderFieldValue(c.userAgent()), "version or contact cannot stand in a header"},
		{c.MaxBody > 0, "the body limit must be positive"},
		{c.MaxRatio > 0, "the compression ratio limit must be positive"},
		{c.MaxHeader > 0 && c.MaxHeaderLines > 0, "the header limits must be positive"},
		{c.MaxRedirects >= 0, "the number of redirects must not be negative"},
		{c.Total > 0 && c.Header > 0 && c.Idle > 0, "the timeouts must be positive"},
		{c.MinProgress > 0, "the least progress of a body must be positive"},
		{c.HostConnections > 0, "a host needs at least one connection"},
		{c.HostRate > 0 && c.HostBurst > 0, "the rate and burst for a host must be positive"},
		{c.MaxWait >= 0 && c.HostQueue >= 0, "the bounds on waiting must not be negative"},
		{c.MaxHosts > 0, "the number of hosts remembered must be positive"},
	} {
		if !check.ok {
			return fmt.Errorf("settings for fetching: %s: %w", check.what, tidings.ErrInvalid)
		}
	}
	return nil
}

func (c Config) userAgent() string { return "Tidings/" + c.Version + " (+" + c.Contact + ")" }
