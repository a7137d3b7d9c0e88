package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"tidings"
	"tidings/egress"
)

// maxURL bounds an address, in bytes.
const maxURL = 8 << 10

// target is an address that may be asked, in the form in which it is asked.
type target struct {
	url  *url.URL // host in lower-case ASCII, numeric hosts in the usual spelling, no userinfo, no fragment
	host string   // for people and budgets: host name, with the port unless it is the scheme's own
	ip   netip.Addr
	text string // of url
}

// private reports whether the host is known, from its name alone, to be in a private network.
func (t target) private() bool {
	if t.ip.IsValid() {
		return !egress.IsPublic(t.ip)
	}
	return privateName(t.url.Hostname())
}

// origin names what a connection can be used for: scheme, host and port.
func (t target) origin() string { return t.url.Scheme + "://" + t.host }

// address is where to connect.
func (t target) address() string {
	port := t.url.Port()
	switch {
	case port != "":
	case t.url.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(t.url.Hostname(), port)
}

// guard decides which addresses may be asked.
type guard struct{ egress.Guard }

// target brings an address into the form in which it is asked, and refuses what no
// connection is needed to refuse: other schemes, ports and literal addresses.
func (g guard) target(raw string) (target, error) {
	if len(raw) > maxURL {
		return target{}, fmt.Errorf("address longer than %d bytes: %w", maxURL, tidings.ErrInvalid)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return target{}, fmt.Errorf("address cannot be read: %w", tidings.ErrInvalid)
	}
	return g.targetOf(u)
}

// targetOf is target for an address already parsed, which it changes.
func (g guard) targetOf(u *url.URL) (target, error) {
	var standard uint16
	switch u.Scheme {
	case "http":
		standard = 80
	case "https":
		standard = 443
	default:
		return target{}, fmt.Errorf("only http and https can be fetched, not %q: %w", u.Scheme, tidings.ErrInvalid)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = escapeQuery(u.RawQuery)
	name, err := asciiHost(u.Hostname())
	if err != nil {
		return target{}, err
	}
	port := standard
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return target{}, fmt.Errorf("port %q: %w", p, tidings.ErrInvalid)
		}
		port = uint16(n)
	}
	if err := g.Port(port); err != nil {
		return target{}, err
	}
	t := target{url: u, ip: literal(name)}
	if t.ip.IsValid() {
		if err := g.Address(t.ip); err != nil {
			return target{}, err
		}
		name = t.ip.String()
		if t.ip.Is6() {
			name = "[" + name + "]"
		}
	}
	t.host = name
	if port != standard {
		t.host = name + ":" + strconv.Itoa(int(port))
	}
	u.Host = t.host
	t.text = u.String()
	return t, nil
}

// escapeQuery escapes what must not stand in a request: blanks, quotes, brackets and
// everything beyond ASCII. What is escaped already stays as it is.
func escapeQuery(query string) string {
	bad := func(c byte) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' }
	clean := true
	for i := 0; i < len(query) && clean; i++ {
		clean = !bad(query[i])
	}
	if clean {
		return query
	}
	var b strings.Builder
	for i := 0; i < len(query); i++ {
		if bad(query[i]) {
			fmt.Fprintf(&b, "%%%02X", query[i])
		} else {
			b.WriteByte(query[i])
		}
	}
	return b.String()
}

// asciiHost returns a host name in lower-case ASCII without the final dot, of which a name has one at most.
func asciiHost(name string) (string, error) {
	ascii := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			ascii = false
		}
	}
	if !ascii {
		mapped, err := idna.Lookup.ToASCII(strings.ToLower(name))
		if err != nil {
			return "", fmt.Errorf("host name cannot be read: %w", tidings.ErrInvalid)
		}
		name = mapped
	}
	name = strings.TrimSuffix(name, ".")
	switch {
	case name == "":
		return "", fmt.Errorf("address has no host: %w", tidings.ErrInvalid)
	case strings.HasSuffix(name, "."):
		return "", fmt.Errorf("host name ends in several dots: %w", tidings.ErrInvalid)
	}
	return name, nil
}

// literal returns the address that a host is in any spelling that some resolver
// understands, such as 127.0.0.1, 2130706433, 0x7f.1 or 0177.0.0.1; the zero Addr
// if it is a name.
func literal(host string) netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.WithZone("").Unmap()
	}
	if c := host[len(host)-1]; (c < '0' || c > '9') && !strings.Contains(host, "0x") {
		return netip.Addr{}
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}
	}
	var sum uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(cNumber(part))
		if err != nil {
			return netip.Addr{}
		}
		if i < len(parts)-1 { // one byte each; the last part fills what is left
			if n > 255 {
				return netip.Addr{}
			}
			sum |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(32-8*i) {
			return netip.Addr{}
		}
		sum |= n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
}

// cNumber splits a number as the language C writes it into digits, base and size.
func cNumber(s string) (digits string, base, bits int) {
	switch {
	case strings.HasPrefix(s, "0x"):
		if s == "0x" {
			return "0", 16, 64
		}
		return s[2:], 16, 64
	case len(s) > 1 && s[0] == '0':
		return s[1:], 8, 64
	default:
		return s, 10, 64
	}
}
