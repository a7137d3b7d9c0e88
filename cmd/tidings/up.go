package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/websub"
	"tidings/node"
	"tidings/node/doctor"
	"tidings/node/hub"
	"tidings/node/identity"
	"tidings/view"
)

// nodeFlags are a node's settings on the command line.
type nodeFlags struct {
	HTTP                string   `name:"http" default:"${http}" help:"Address of the page, the API and the proxy; default ${default}. Elsewhere than on loopback they need a password." placeholder:"HOST:PORT"`
	Interval            span     `default:"${interval}" help:"How often a channel is checked when its origin has no wish of its own; default ${default}." placeholder:"DURATION"`
	AllowPrivateOrigins bool     `help:"Allow channels at private addresses, for intranets."`
	ProxyAt             []string `name:"proxy-at" help:"A proxy at a private address, or at a system port, by which people here may have channels fetched; may be repeated. See docs/feeds.md." placeholder:"HOST:PORT" sep:"none"`
	LabOrigins          bool     `help:"For tests and replays: private addresses are allowed and count as public, wishes of how seldom to check are not obeyed."`
	Contact             string   `default:"${contact}" help:"URL in the User-Agent by which the owner of a site can reach you." placeholder:"URL"`
	BodyLimit           size     `default:"${body_limit}" help:"The largest document that is read, after decompression; default ${default}." placeholder:"SIZE"`
	AnswerMemory        size     `default:"${answer_memory}" help:"How much memory all answers of the page and the API may hold together until they are read; beyond it clients are asked to come again. Default ${default}." placeholder:"SIZE"`
	ReaderSubscriptions int      `default:"${reader_subscriptions}" most:"1000000" help:"How many channels each reader can follow, where several people use the node; 0: any number. Default ${default}." placeholder:"N"`
	ReaderStarred       int      `default:"${reader_starred}" most:"1000000" help:"How many items each reader can star, which are kept as long; 0: any number. Default ${default}." placeholder:"N"`
	ReaderRequests      int      `default:"${reader_requests}" most:"1000000" help:"How many requests each reader may send in a minute; 0: any number. Default ${default}." placeholder:"N"`
	PasswordFile        string   `help:"File whose first line is the page's password." placeholder:"FILE"`
	AllowedHost         []string `help:"Name, besides localhost, under which browsers may ask for the page; may be repeated." placeholder:"NAME" sep:"none"`
	PublicURL           string   `name:"public-url" help:"Address by which others on the web reach this node, such as https://tidings.example.org; its host is then allowed as by --allowed-host. Needed for --hub, and to be notified by the hubs of feeds; mails have links to it. See docs/websub.md." placeholder:"URL"`
	Hub                 string   `enum:"off,listed,open" default:"off" help:"Be a WebSub hub: off, listed (for the public channels that somebody here follows) or open (for any public feed or page). It needs --public-url. Default ${default}." placeholder:"MODE"`
	HubSignature        string   `enum:"sha1,sha256,sha384,sha512" default:"sha256" help:"How the hub signs what it delivers: sha1, sha256, sha384 or sha512. Default ${default}." placeholder:"METHOD"`
	KeepAge             span     `default:"${keep_age}" help:"How long versions are kept, but starred items and each channel's latest; 0: for ever. Default ${default}." placeholder:"DURATION"`
	KeepVersions        int      `default:"${keep_versions}" help:"How many versions of a channel are kept; 0: no limit. Default ${default}." placeholder:"N"`
	KeepSize            size     `default:"${keep_size}" help:"How large the store may grow before the oldest versions go; 0: no limit. Default ${default}." placeholder:"SIZE"`
	TrustedProxy        []prefix `help:"Address or network of a reverse proxy whose X-Forwarded headers are believed; may be repeated." placeholder:"ADDRESS" sep:"none"`

	ProxyUserHeader string `help:"Header by which the reverse proxies of --trusted-proxy name the person who sends a request, such as Remote-User; from elsewhere it is ignored. The person must be one of this node. See docs/people.md." placeholder:"NAME"`

	OIDC oidcFlags `embed:"" prefix:"oidc-"`
	XMPP xmppFlags `embed:"" prefix:"xmpp-"`
	Mail mailFlags `embed:""`

	AllowPlainReaders bool `help:"Let feed readers on other machines send their app passwords without TLS, as in a network of your own or a VPN. Without it they need a reverse proxy with TLS, named with --trusted-proxy."`

	Join    []string `help:"Address of another node to join by, as its status shows it; kept for the next start; may be repeated." placeholder:"MULTIADDR" sep:"none"`
	Port    int      `default:"${port}" most:"65535" help:"UDP and TCP port at which other nodes find this one; 0: any free one. If it is in use, the node chooses another and keeps it. Default ${default}." placeholder:"N"`
	Listen  []string `help:"Address to listen at for other nodes instead of --port on all of this machine's; may be repeated." placeholder:"MULTIADDR" sep:"none"`
	NoMDNS  bool     `name:"no-mdns" help:"Do not find other nodes in the local network, nor be found there."`
	Relay   bool     `xor:"relay" help:"Let many nodes that nobody can reach be reached through this one; a few are in any case if this one has a public address."`
	NoRelay bool     `xor:"relay" help:"Forward for no other node."`

	NoPortMapping bool `help:"Do not ask the router to forward the port (UPnP, NAT-PMP, PCP)."`

	NetworkKey string `help:"File with a network key: connect only to nodes with the same key. Make one with: tidings key network." placeholder:"FILE"`
	IDWork     *int   `name:"id-work" most:"40" help:"How many bits of work the ID of each node of the network costs; all its nodes need the same. A node whose ID has less makes itself another, and works alone meanwhile: each bit doubles the time. Default ${id_work}; 0 with --network-key and --lab-origins." placeholder:"BITS"`
	NoNetwork  bool   `help:"Work alone, without other nodes."`
	Polling    string `enum:"corona,volunteer" default:"corona" help:"Which nodes check public channels, and when: corona (by a plan that the nodes make together) or volunteer (followers in turns, less often where they find less). It holds for a network that this node founds; one that joins goes by the network's. Default ${default}." placeholder:"WAY"`
	Policy     policy `default:"lite" help:"What the plan of --polling corona is to achieve: lite (soonest, at no more regular checks than if each reader checked alone), fast:30s (within 30 s on average, at as few requests as possible), fair, fair-sqrt or fair-log (lite, weighed by how often channels change). It holds with --interval for a network that this node founds; one that joins goes by the network's. Default ${default}." placeholder:"POLICY"`

	Router routerName `default:"scribe" help:"How updates of channels that many nodes follow, and what publishers push, travel: scribe (down trees of the nodes of the ring), rappel (down trees of those alone that follow the channel: no node carries what it does not read), spidercast (over links between nodes that follow the channel, few of them for many channels), newswire (down a tree of zones of near nodes, see --zone) or direct (the primary owner of a channel sends its updates to all itself; pushes go by scribe). It holds like --policy. Default ${default}." placeholder:"ROUTER"`

	Zone string `help:"Zone of this node, such as /eu/de/berlin; it goes before what tidings zone join has said. Without either the node goes where there is room among near ones, once the router newswire needs zones." placeholder:"ZONE"`

	ZoneCertificate string `help:"File with the node's certificate for its zone, as tidings zone certify printed it." placeholder:"FILE"`
	ZoneAuthority   string `help:"Authority that certifies nodes and installs functions in zones: its file, or its fingerprint where the certificate names it." placeholder:"FINGERPRINT|FILE"`
	ZoneClosed      bool   `help:"Exchange zones only with nodes that have a certificate by that authority."`

	ArchiveQuota  size `default:"${archive_quota}" help:"How much of what others publish is kept here, so that all can find it again; 0: nothing. Default ${default}." placeholder:"SIZE"`
	FilesQuota    size `default:"${files_quota}" help:"How much of the larger files that items carry is kept here, to be downloaded and handed on to others; the oldest go first; 0: none. Default ${default}." placeholder:"SIZE"`
	PicturesQuota size `default:"${pictures_quota}" help:"How much of the pictures in articles is kept here, after they were fetched for the page; what was looked at longest ago goes first; 0: the page shows links in their place. Default ${default}." placeholder:"SIZE"`
	FilesRate     size `default:"${files_rate}" help:"How much of them is sent to others in a second, on average; default ${default}." placeholder:"SIZE"`

	Witnesses   int `default:"${witnesses}" most:"8" help:"How many other nodes have to have seen a change at the origin before this node shows it. Among fewer than 24 nodes two or three will do; with fewer, and in networks of fewer than eight, it looks for itself first; 0: it believes what the network says, as among friends; default ${default}." placeholder:"N"`
	HostCeiling int `default:"${host_ceiling}" most:"1000000" help:"How many polls in turn one host gets in an interval at most, from all nodes together. Each node keeps to its share, but makes one at least; 0: no bound. For a network that this node founds, as --policy; default ${default}." placeholder:"N"`
}

// defaults are the variables in the tags of nodeFlags.
func defaults() map[string]string {
	c := node.Default()
	return map[string]string{
		"http":         c.HTTP,
		"port":         strconv.Itoa(c.Port),
		"id_work":      strconv.Itoa(identity.DefaultWork),
		"host_ceiling": strconv.Itoa(c.HostCeiling), "witnesses": strconv.Itoa(c.Witnesses),

		"reader_subscriptions": strconv.Itoa(c.ReaderSubscriptions),
		"reader_requests":      strconv.Itoa(c.ReaderRequests),
		"reader_starred":       strconv.Itoa(c.ReaderStarred),

		"interval":      strings.Replace(c.Interval.String(), "m0s", "m", 1),
		"contact":       c.Contact,
		"answer_memory": strconv.FormatInt(c.AnswerMemory>>20, 10) + "MiB",
		"body_limit":    strconv.FormatInt(c.BodyLimit>>20, 10) + "MiB",

		"archive_quota":  strconv.FormatInt(c.ArchiveQuota>>20, 10) + "MiB",
		"files_quota":    strconv.FormatInt(c.FilesQuota>>20, 10) + "MiB",
		"pictures_quota": strconv.FormatInt(c.PicturesQuota>>20, 10) + "MiB",
		"files_rate":     strconv.FormatInt(c.FilesRate>>20, 10) + "MiB",

		"keep_age":      strconv.Itoa(int(c.Keep.Age/(24*time.Hour))) + "d",
		"keep_versions": strconv.Itoa(c.Keep.Versions),
		"keep_size":     strconv.FormatInt(c.Keep.Bytes>>30, 10) + "GiB",
	}
}

func (f nodeFlags) config(data string) node.Config {
	c := node.Default()
	c.Data, c.HTTP, c.Interval = data, f.HTTP, time.Duration(f.Interval)
	c.AllowPrivateOrigins, c.LabOrigins = f.AllowPrivateOrigins, f.LabOrigins
	c.Proxies = f.ProxyAt
	c.Contact, c.BodyLimit = f.Contact, int64(f.BodyLimit)
	c.AnswerMemory = int64(f.AnswerMemory)
	c.ReaderSubscriptions, c.ReaderRequests, c.ReaderStarred = f.ReaderSubscriptions, f.ReaderRequests, f.ReaderStarred
	c.PasswordFile, c.AllowedHosts = f.PasswordFile, f.AllowedHost
	c.PublicURL, c.Hub, c.HubSignature = f.PublicURL, hub.Mode(f.Hub), websub.Method(f.HubSignature)
	f.Mail.apply(&c)
	c.Keep.Age = orNone(time.Duration(f.KeepAge))
	c.Keep.Versions, c.Keep.Bytes = orNone(f.KeepVersions), orNone(int64(f.KeepSize))
	for _, proxy := range f.TrustedProxy {
		c.TrustedProxies = append(c.TrustedProxies, netip.Prefix(proxy))
	}
	c.OpenID, c.OpenIDSecretFile = f.OIDC.settings(), f.OIDC.ClientSecretFile
	c.XMPP, c.XMPPSecretFile = f.XMPP.settings(), f.XMPP.SecretFile
	c.ProxyUserHeader, c.AllowPlainReaders = f.ProxyUserHeader, f.AllowPlainReaders
	c.Join, c.Port, c.Listen = f.Join, f.Port, f.Listen
	c.NoNetwork, c.NoMDNS, c.NetworkKeyFile = f.NoNetwork, f.NoMDNS, f.NetworkKey
	c.Relay, c.NoRelay, c.NoPortMapping = f.Relay, f.NoRelay, f.NoPortMapping
	if f.IDWork != nil {
		c.IDWork = *f.IDWork
	}
	c.Policy, c.HostCeiling, c.Witnesses = f.Policy.Policy, f.HostCeiling, f.Witnesses
	c.Polling, c.Router, c.Zone = view.Polling(f.Polling), f.Router.RouterName, f.Zone
	c.ZoneCertificate, c.ZoneAuthority, c.ZoneClosed = f.ZoneCertificate, f.ZoneAuthority, f.ZoneClosed
	c.PicturesQuota = int64(f.PicturesQuota)
	c.ArchiveQuota, c.FilesQuota, c.FilesRate = int64(f.ArchiveQuota), int64(f.FilesQuota), int64(f.FilesRate)
	return c
}

// orNone turns the 0 by which a person says "no limit" into the store's word for it.
func orNone[T ~int | ~int64](limit T) T {
	if limit == 0 {
		return -1
	}
	return limit
}

type upCmd struct {
	nodeFlags `embed:""`
	New       bool   `help:"Begin anew where a node has run before and its database is gone, or its key is another."`
	LogLevel  level  `default:"info" help:"What to log: debug, info, warn or error; default ${default}." placeholder:"LEVEL"`
	LogFormat string `enum:"text,json" default:"text" help:"How to log: text or json; default ${default}." placeholder:"FORMAT"`
}

// stopWithin is how long a node may need to stop before it is left behind. Tests give it more: a node that is left
// behind keeps its data directory.
var stopWithin = 5 * time.Second

func (c *upCmd) Run(p *program) (err error) {
	config := c.config(p.data)
	config.Logger = c.logger(p.errors.Out)
	config.New = c.New
	config.Passphrase = p.env(passphraseVariable)
	if secret := p.env(clientSecretVariable); secret != "" && config.OpenID.Issuer != "" &&
		config.OpenIDSecretFile == "" {
		config.OpenID.Secret = secret
	}
	if secret := p.env(xmppSecretVariable); secret != "" && config.XMPP.Enabled() && config.XMPPSecretFile == "" {
		config.XMPP.Secret = secret
	}
	if password := p.env(smtpPasswordVariable); password != "" && config.Mail.User != "" &&
		config.MailPasswordFile == "" {
		config.Mail.Password = password
	}
	// What libraries write to the standard logger may hold bytes of origins.
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.SetDefault(config.Logger)
	for err = node.ErrNewIdentity; errors.Is(err, node.ErrNewIdentity); {
		err = c.runNode(p, config)
	}
	return err
}

// runNode runs a node until it ends.
func (c *upCmd) runNode(p *program, config node.Config) error {
	n, err := node.New(config)
	if errors.Is(err, tidings.ErrInvalid) {
		return usage(tidings.Reason(err), cmp.Or(tidings.HintOf(err), "see: tidings up --help"))
	}
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- n.Run(p.ctx) }()
	select {
	case err := <-ended:
		if p.ctx.Err() != nil {
			return nil // ended by a person before it was up
		}
		return err
	case <-n.Ready():
		p.out.Printf("Tidings is up: %s · data in %s\n", n.URL(), p.data)
	}
	select {
	case err := <-ended:
		return err
	case <-p.ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopWithin):
		return failure(fmt.Sprintf("the node did not stop within %s", console.Span(stopWithin)),
			"nothing is lost: it will put itself in order when it starts")
	}
}

func (c *upCmd) logger(to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.Level(c.LogLevel)}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

type doctorCmd struct {
	nodeFlags `embed:""` // the node is examined as it would be started
	JSON      bool       `name:"json" help:"Print JSON, one change a line."`
}

func (c *doctorCmd) Run(p *program) error {
	changes := doctor.Examine(p.ctx, c.config(p.data).Examination())
	problems := 0
	for _, f := range changes {
		if f.Level == doctor.LevelProblem {
			problems++
		}
		if c.JSON {
			if err := p.out.JSON(f); err != nil {
				return err
			}
			continue
		}
		p.out.Printf("%s %s\n", p.out.Paint(levelStyle(f.Level), fmt.Sprintf("%-8s", f.Level)), console.Neutral(f.Text))
		if f.Hint != "" {
			p.out.Printf("         %s\n", p.out.Paint(console.Dim, console.Neutral(f.Hint)))
		}
	}
	if problems > 0 {
		return failure("found "+console.Of(problems, "problem"), "")
	}
	return nil
}

func levelStyle(l doctor.Level) console.Style {
	switch l {
	case doctor.LevelProblem:
		return console.Red
	case doctor.LevelWarning:
		return console.Yellow
	}
	return console.Green
}

type versionCmd struct{}

func (versionCmd) Run(p *program) error {
	p.out.Printf("tidings %s%s (%s, %s/%s)\n", node.Version, revision(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return nil
}

// revision is what the program was built from, where the build says so.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	text := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text = "+" + s.Value[:min(12, len(s.Value))] + text
		case s.Key == "vcs.modified" && s.Value == "true":
			text += "-modified"
		}
	}
	return text
}
