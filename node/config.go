package node

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/mail"
	"tidings/delivery/memory"
	"tidings/delivery/openid"
	"tidings/delivery/websub"
	"tidings/delivery/xmpp"
	"tidings/egress"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/node/hub"
	"tidings/node/identity"
	"tidings/node/member"
	"tidings/node/zones"
	"tidings/source"
	"tidings/store"
	"tidings/view"
)

// Config says how a node is to be. Start from Default.
type Config struct {
	// Data is the directory in which everything lives: the database, the node's key,
	// the socket. It is made if it is missing, for its owner alone.
	Data string

	// HTTP is the TCP address of the page, the API and the proxy. With port 0, any free port is chosen. Anything but a
	// loopback address needs a password.
	HTTP string

	// Interval is how often a channel is polled when its origin has no wish of its own. A shorter interval detects
	// changes sooner and costs origins more. At least MinInterval, in a lab at least MinLabInterval.
	Interval time.Duration

	// Polls is how many polls may be under way at a time: polls that wait for slow origins delay no others. Nodes that
	// share a machine with many others do well with less.
	Polls int

	// AllowPrivateOrigins lets channels lie at private addresses, for intranets. Such channels are never named to other
	// nodes.
	AllowPrivateOrigins bool

	// Proxies are the proxies, each as HOST:PORT, through which people here may fetch channels, even at private
	// addresses or other ports. What is fetched by a proxy is bound by the same rules as what is fetched without.
	Proxies []string

	// LabOrigins is for tests and replays. Private addresses are allowed and count as public. An origin's wish for
	// fewer polls is shown but not obeyed. 429, 503 and Retry-After still are, and hosts have a budget as ever (see
	// HostCeiling).
	LabOrigins bool

	// Contact is the address in the User-Agent by which an origin's owner can reach the person responsible for this
	// node.
	Contact string

	// BodyLimit is the largest document that is read, in bytes after decompression.
	BodyLimit int64

	// PasswordFile holds the page's password on its first line. Empty: the one that
	// was set before, if any.
	PasswordFile string

	// ReaderSubscriptions is how many channels each reader can follow. ReaderRequests is how many requests each may
	// send in a minute. 0: any number. Administrators have no such limit.
	ReaderSubscriptions, ReaderRequests int

	// ReaderStarred is how many items each reader can star; 0: any number. Starred items are kept regardless of Keep.
	ReaderStarred int

	// AnswerMemory is how many bytes all answers of page, API and proxy together may hold until their clients have read
	// them. It is between MinAnswerMemory and MaxAnswerMemory.
	AnswerMemory int64

	// AllowedHosts are names, besides loopback and HTTP's own, by which browsers may reach the page. Requests for other
	// names are refused, from any sender.
	AllowedHosts []string

	// PublicURL is the address by which others on the web reach the node, such as https://tidings.example.org: scheme,
	// host, and optionally a port. Its host is one of AllowedHosts from then on. Needed for Hub and WebSub; mails have
	// links to it. Empty: the node cannot be reached from the web.
	PublicURL string

	// Hub is which subscribers the node's WebSub hub accepts, and for which topics; empty: hub.Off. HubSignature is how
	// its deliveries are signed; empty: sha256.
	Hub          hub.Mode
	HubSignature websub.Method

	// New makes the node begin anew if its database is gone, or its key is another than before. What is there is kept.
	New bool

	// Keep says what is removed, and when; store.DefaultRetention where it is zero.
	Keep store.Retention

	// PruneEvery is how long the node waits between two removals of what Keep no longer covers; 0: an hour. Experiments
	// that last for minutes want less.
	PruneEvery time.Duration

	// TrustedProxies are the addresses of reverse proxies that are believed about the requester and its use of TLS
	// (X-Forwarded-For, X-Forwarded-Proto).
	TrustedProxies []netip.Prefix

	// ProxyUserHeader is the header in which TrustedProxies name the person that sends a request. Empty: they do not.
	ProxyUserHeader string

	// OpenID says which OpenID Connect provider signs people in beside passwords. No issuer: none does. Its secret may
	// be the first line of OpenIDSecretFile instead.
	OpenID           openid.Settings
	OpenIDSecretFile string

	// XMPP says by which component or account people chat with the node. Its secret may be the first line of
	// XMPPSecretFile instead.
	XMPP           xmpp.Settings
	XMPPSecretFile string

	// Mail says by which server the node sends mail, and from which address. No server: it sends none. Its password may
	// be the first line of MailPasswordFile instead. Its PublicURL is that above.
	Mail             mail.Config
	MailPasswordFile string

	// AllowPlainReaders lets feed readers on other machines send their app passwords without TLS, as in a private
	// network or a VPN. Else they are refused.
	AllowPlainReaders bool

	// NoNetwork has the node work alone: it neither listens for other nodes nor looks for
	// any. The settings below are then not used.
	NoNetwork bool

	// Join are addresses of other nodes to join by, as their status shows them. They are added to those in the store,
	// and tried with growing pauses until they work. An address without an answer keeps no node from starting. At most
	// view.MaxJoins.
	Join []string

	// Port is the UDP and TCP port at which other nodes find this one, on all addresses of this machine; 0: any free
	// one. If another program has it, the node chooses one other port for all of them, and keeps it from run to run
	// while it is free. A node with another address is better than none.
	Port int

	// Listen are the multiaddrs to listen at instead, at most 16. They are meant: the
	// node does not start if it cannot listen at one of them.
	Listen []string

	// NoMDNS keeps the node from calling out, and from being found, in the local network.
	NoMDNS bool

	// Relay lets other nodes that cannot be reached directly be reached through this one. It costs bandwidth, within
	// the limits of circuit relay v2, and needs a public address. A node with a public address relays for a bounded
	// number of nodes even without Relay, unless NoRelay is set.
	Relay, NoRelay bool

	// NoPortMapping keeps the node from asking the router, by UPnP, NAT-PMP or PCP, to forward its port. With
	// LabOrigins it does not ask either.
	NoPortMapping bool

	// NetworkKeyFile holds a pre-shared key: the node then speaks to those alone that
	// have the same, and by TCP only. WriteNetworkKey makes one. Empty: the open network.
	NetworkKeyFile string

	// IDWork is how many bits of work the IDs of nodes cost in the network (engine.ID.Work). It is 0 to
	// engine.MaxIDWork, and the same at all nodes of the network. A node with less work in its ID makes another ID, and
	// works alone meanwhile. UsualIDWork: identity.DefaultWork in the open network; 0 with a network key, and with
	// LabOrigins.
	IDWork int

	// Delay holds messages to other nodes back, or loses them (live.Config.Delay). Trace is called with all that the
	// node's protocols and its transport trace, in the network's loop. It must be quick. Both are for tests and
	// experiments, and nil in any other node.
	Delay func(to engine.ID) time.Duration
	Trace func(event any)

	// Passphrase opens publishers' keys that are encrypted, where none was given with an order to
	// publish.
	Passphrase string

	// Polling is how public channels are polled: by Corona's plan (also if empty), or in turns by the nodes that follow
	// a channel. It holds like Policy: in a network that it joins, a node uses the network's.
	Polling view.Polling

	// Router carries the updates of channels that more nodes follow than their primary owners send to
	// themselves. It holds like Policy.
	Router router.RouterName

	// Zone is the node's zone if the router is newswire, such as /eu/de/berlin, or a zone below it that was made
	// automatically. Empty: it goes to the nearest that has room.
	Zone string

	// ZoneCertificate is a file with the node's certificate for its zone. ZoneAuthority is a file with the authority
	// that certifies and installs functions there, or its fingerprint. ZoneClosed has the node speak of its zones to
	// those alone that have a certificate, which it needs then itself. What is given of these and of Zone goes before
	// what `tidings zone join` has said.
	ZoneCertificate, ZoneAuthority string
	ZoneClosed                     bool

	// DirectUpTo is up to how many nodes a primary owner sends the updates of a channel itself; 0: the usual number. It
	// is for tests and experiments, and at least 1.
	DirectUpTo int

	// Policy is what polling together is to achieve. It, Interval and HostCeiling hold for a network that
	// this node founds; one that joins another goes by that one's. Not Legacy.
	Policy honeycomb.Policy

	// Witnesses is how many other nodes must have seen a change at the origin before it is shown here. With fewer, and
	// in small networks, this node polls the origin first. 0: what the network says is believed, as among friends. At
	// most MaxWitnesses.
	Witnesses int

	// HostCeiling is how many polls in turn one host gets in an interval at most, from all nodes together, for all its
	// channels. Each node keeps to its share of that, but makes one at least. Nor does a channel get more than its
	// readers would send. 0: neither bound holds.
	HostCeiling int

	// ArchiveQuota is how many bytes of published items the node keeps for the network, regardless of their followers;
	// 0: none. Else at least MinArchiveQuota.
	ArchiveQuota int64

	// FilesQuota is how many bytes of larger files the node keeps, which items carry. They are files that readers here
	// get from other nodes, and files that are published here. The oldest go first. 0: none. Else at least
	// MinFilesQuota.
	FilesQuota int64

	// PicturesQuota is how many bytes of the pictures in articles the node keeps, after it has fetched them for its
	// page. The one viewed longest ago is removed first. 0: the page shows links in their place. Else at least
	// MinPicturesQuota.
	PicturesQuota int64

	// FilesRate is how many bytes of them a second the node sends to others, on average; from MinFilesRate to
	// MaxFilesRate.
	FilesRate int64

	Logger *slog.Logger
}

// UsualIDWork stands for what is usual in Config.IDWork.
const UsualIDWork = -1

// idWork returns how many bits of work IDs cost.
func (c Config) idWork() int {
	switch {
	case c.IDWork != UsualIDWork:
		return c.IDWork
	case c.NetworkKeyFile != "" || c.LabOrigins:
		return 0
	}
	return identity.DefaultWork
}

// Bounds of Config.ArchiveQuota, if it is not zero.
const (
	MinArchiveQuota = 1 << 20
	MaxArchiveQuota = 1 << 40
)

// Bounds of Config.FilesQuota and PicturesQuota, if they are not zero, and of Config.FilesRate.
const (
	MinFilesQuota = 1 << 20
	// MinPicturesQuota has room for the largest picture.
	MinPicturesQuota = 16 << 20
	MaxFilesQuota    = 1 << 40
	MinFilesRate     = 16 << 10
	MaxFilesRate     = 1 << 30
)

// Bounds of Config.AnswerMemory.
const (
	MinAnswerMemory = memory.Least
	MaxAnswerMemory = 1 << 40
)

// MaxReaderLimit bounds Config.ReaderSubscriptions, Config.ReaderRequests and Config.ReaderStarred.
const MaxReaderLimit = 1_000_000

// Bounds of Config.Interval.
const (
	MinInterval    = time.Minute
	MinLabInterval = 100 * time.Millisecond
	MaxInterval    = 7 * 24 * time.Hour
)

// MaxWitnesses bounds Config.Witnesses.
const MaxWitnesses = 8

// MaxHostCeiling bounds Config.HostCeiling.
const MaxHostCeiling = 1_000_000

// Default returns the settings of an ordinary node, all but the data directory.
func Default() Config {
	return Config{
		HTTP:      "127.0.0.1:7600",
		Port:      member.DefaultPort,
		IDWork:    UsualIDWork,
		Interval:  30 * time.Minute,
		BodyLimit: 5 << 20,

		AnswerMemory: memory.Default,

		ReaderSubscriptions: 5000,
		ReaderRequests:      1200,
		ReaderStarred:       20_000,

		Polls: source.DefaultSchedule().Polls,

		Witnesses:   corona.Default().Witnesses,
		HostCeiling: corona.Default().HostCeiling,
		Router:      corona.Default().Router,

		ArchiveQuota: 256 << 20,
		FilesQuota:   1 << 30,

		PicturesQuota: 256 << 20,

		FilesRate: 2 << 20,

		Keep:   store.DefaultRetention(),
		Logger: slog.New(slog.DiscardHandler),
	}
}

// Validate reports the first setting that cannot be used, in words for the person that set it.
func (c Config) Validate() error {
	shortest, inWords := MinInterval, "1 minute"
	if c.LabOrigins {
		shortest, inWords = MinLabInterval, "100 ms"
	}
	switch {
	case c.Data == "":
		return tidings.Invalidf("no data directory is set")
	case c.Logger == nil:
		return errors.New("no logger is set")
	case c.Interval < shortest || c.Interval > MaxInterval:
		return tidings.Invalidf("the interval %s is not between %s and 7 days", c.Interval, inWords)
	case slices.ContainsFunc(c.Proxies, func(at string) bool { return !isEndpoint(at) }):
		return tidings.Invalidf("a proxy is named as HOST:PORT")
	case c.PruneEvery < 0:
		return tidings.Invalidf("a pause of %s between removals of old content is too short", c.PruneEvery)
	case c.Polls < 1:
		return tidings.Invalidf("%d polls at a time are too few", c.Polls)
	case c.Contact != "" && !isAddress(c.Contact):
		return tidings.Invalidf("the contact %q is no http, https or mailto address", c.Contact)
	case c.Polling != "" && c.Polling != view.PollingCorona && c.Polling != view.PollingVolunteer:
		return tidings.Invalidf("the polling %s is neither corona nor volunteer", tidings.Quote(string(c.Polling)))
	case c.Router.Validate() != nil:
		return tidings.Invalidf("the router cannot be: %v", c.Router.Validate())
	case c.Policy.Validate() != nil:
		return tidings.Invalidf("the policy cannot be: %v", c.Policy.Validate())
	case c.Policy.Goal == honeycomb.Legacy:
		return tidings.Invalidf(
			"the policy legacy is no way to poll together: it is there to compare others with in experiments; work alone with --no-network")
	case c.BodyLimit < 1<<10 || c.BodyLimit > 1<<30:
		return tidings.Invalidf("the body limit %d is not between 1 KiB and 1 GiB", c.BodyLimit)
	case c.ReaderSubscriptions < 0 || c.ReaderSubscriptions > MaxReaderLimit:
		return tidings.Invalidf("the number %d of channels of a reader is not between 0 and 1,000,000",
			c.ReaderSubscriptions)
	case c.ReaderStarred < 0 || c.ReaderStarred > MaxReaderLimit:
		return tidings.Invalidf("the number %d of starred items of a reader is not between 0 and 1,000,000",
			c.ReaderStarred)
	case c.ReaderRequests < 0 || c.ReaderRequests > MaxReaderLimit:
		return tidings.Invalidf("the number %d of requests of a reader is not between 0 and 1,000,000",
			c.ReaderRequests)
	case c.AnswerMemory < MinAnswerMemory || c.AnswerMemory > MaxAnswerMemory:
		return tidings.Invalidf("the memory %d for answers is not between 16 MiB and 1 TiB", c.AnswerMemory)
	}
	if _, _, err := net.SplitHostPort(c.HTTP); err != nil {
		return tidings.Invalidf("the HTTP address %q is not HOST:PORT", c.HTTP)
	}
	if err := auth.ValidateUserHeader(c.ProxyUserHeader, c.TrustedProxies); err != nil {
		return err
	}
	if err := c.validateHub(); err != nil {
		return err
	}
	if c.OpenIDSecretFile != "" && c.OpenID.Issuer == "" {
		return tidings.Invalidf(
			"a secret of a provider that signs people in, and no issuer: name it with --oidc-issuer")
	}
	if err := c.OpenID.Validate(); err != nil {
		return err
	}
	if err := c.validateXMPP(); err != nil {
		return err
	}
	if err := c.validateMail(); err != nil {
		return err
	}
	return c.validateNetwork()
}

func (c Config) validateXMPP() error {
	switch given := c.XMPP.Secret != "" || c.XMPPSecretFile != ""; {
	case !c.XMPP.Enabled() && given:
		return tidings.Invalidf(
			"a secret of XMPP, and neither a component nor an account: name one with --xmpp-component or --xmpp-account")
	case c.XMPP.Enabled() && !given:
		return tidings.WithHint(tidings.Invalidf("XMPP needs a secret"),
			"write it on the first line of a file, and name that with --xmpp-secret-file")
	}
	return c.XMPP.Validate()
}

func (c Config) validateHub() error {
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			strings.TrimSuffix(c.PublicURL, "/") != u.Scheme+"://"+u.Host {
			return tidings.Invalidf(
				"the public URL %s is not scheme and host alone, such as https://tidings.example.org",
				tidings.Quote(c.PublicURL))
		}
	}
	if _, err := websub.ParseMethod(string(cmp.Or(c.HubSignature, websub.SHA256))); err != nil {
		return err
	}
	switch c.hub() {
	case hub.Off:
		return nil
	case hub.Listed, hub.Open:
	default:
		return tidings.Invalidf("the hub %s is none of off, listed and open", tidings.Quote(string(c.Hub)))
	}
	if c.PublicURL == "" {
		return tidings.WithHint(tidings.Invalidf("a hub needs an address at which its subscribers reach it"),
			"say it with --public-url https://HOST")
	}
	return nil
}

func (c Config) hub() hub.Mode { return cmp.Or(c.Hub, hub.Off) }

// guard returns where messages and requests to hubs may go.
func (c Config) guard() egress.Guard {
	return egress.ForMessages(c.AllowPrivateOrigins || c.LabOrigins)
}

// public returns PublicURL without a slash at its end.
func (c Config) public() string { return strings.TrimSuffix(c.PublicURL, "/") }

// allowedHosts are AllowedHosts, and that of PublicURL.
func (c Config) allowedHosts() []string {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" {
		return c.AllowedHosts
	}
	return append(slices.Clone(c.AllowedHosts), u.Host)
}

// validateMail reports why mail cannot be sent as it is configured.
func (c Config) validateMail() error {
	switch {
	case c.Mail.Server == "" && (c.Mail.From != "" || c.Mail.User != "" || c.MailPasswordFile != ""):
		return tidings.Invalidf("there are settings for mail, and no server that sends it: name one with --smtp-server")
	case c.Mail.Server == "":
		return nil
	case c.MailPasswordFile != "" && c.Mail.User == "":
		return tidings.Invalidf("there is a password for the mail server, and no user name: give it with --smtp-user")
	}
	return c.Mail.Validate()
}

func (c Config) validateNetwork() error {
	switch {
	case c.NoNetwork && len(c.Join) > 0:
		return tidings.Invalidf("a node that is to work alone cannot join %s too", tidings.Quote(c.Join[0]))
	case c.Witnesses < 0 || c.Witnesses > MaxWitnesses:
		return tidings.Invalidf("the number %d of witnesses is not between 0 and %d", c.Witnesses, MaxWitnesses)
	case c.IDWork < UsualIDWork || c.IDWork > engine.MaxIDWork:
		return tidings.Invalidf("the work %d of IDs is not between 0 and %d bits", c.IDWork, engine.MaxIDWork)
	case c.HostCeiling < 0 || c.HostCeiling > MaxHostCeiling:
		return tidings.Invalidf("the ceiling %d of a host is not between 0 and %d", c.HostCeiling, MaxHostCeiling)
	case c.ArchiveQuota != 0 && (c.ArchiveQuota < MinArchiveQuota || c.ArchiveQuota > MaxArchiveQuota):
		return tidings.Invalidf("the archive's quota %d is neither 0 nor between 1 MiB and 1 TiB", c.ArchiveQuota)
	case c.FilesQuota != 0 && (c.FilesQuota < MinFilesQuota || c.FilesQuota > MaxFilesQuota):
		return tidings.Invalidf("the quota %d of files is neither 0 nor between 1 MiB and 1 TiB", c.FilesQuota)
	case c.PicturesQuota != 0 && (c.PicturesQuota < MinPicturesQuota || c.PicturesQuota > MaxFilesQuota):
		return tidings.Invalidf("the quota %d of pictures is neither 0 nor between 16 MiB and 1 TiB", c.PicturesQuota)
	case c.FilesRate < MinFilesRate || c.FilesRate > MaxFilesRate:
		return tidings.Invalidf("the rate %d of files is not between 16 KiB and 1 GiB a second", c.FilesRate)
	case c.Port < 0 || c.Port > member.MaxPort:
		return tidings.Invalidf("the port %d is not between 0 and %d", c.Port, member.MaxPort)
	case len(c.Join) > view.MaxJoins:
		return tidings.Invalidf("%d addresses to join by are more than %d", len(c.Join), view.MaxJoins)
	case len(c.Listen) > member.MaxListen:
		return tidings.Invalidf("%d addresses to listen at are more than %d", len(c.Listen), member.MaxListen)
	}
	for _, address := range c.Join {
		if err := member.CheckJoin(address); err != nil {
			return err
		}
	}
	for _, address := range c.Listen {
		if err := member.CheckListen(address, c.NetworkKeyFile != ""); err != nil {
			return err
		}
	}
	if _, err := zones.ReadOrder(c.Zone, c.ZoneCertificate, c.ZoneAuthority, c.ZoneClosed); err != nil ||
		c.NetworkKeyFile == "" {
		return err
	}
	_, err := member.ReadNetworkKey(c.NetworkKeyFile)
	return err
}

// isEndpoint reports whether text is a host and a port.
func isEndpoint(text string) bool {
	host, port, err := net.SplitHostPort(text)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && host != "" && bad == nil && n > 0
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, " ()<>\"") {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto" && u.Opaque != ""
}
