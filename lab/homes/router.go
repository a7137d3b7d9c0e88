package homes

import (
	"fmt"
	"net/netip"
	"strconv"
)

// translation is what nftables does with packets that leave by a home's router.
var translation = map[Kind]string{
	Masquerade: `oifname "wan" masquerade`,
	Random:     `oifname "wan" masquerade fully-random`,
	Double:     `oifname "wan" masquerade`,
	Blocked:    `oifname "wan" masquerade`,
	Carrier:    `oifname "wan" masquerade`,
}

// refusal is what a home's router lets through in no direction.
var refusal = map[Kind]string{Blocked: "meta l4proto udp drop"}

// router adds a router of a kind of homes: from wan comes in what somebody behind it has asked for.
func (n *Net) router(kind Kind) (*space, error) {
	s, err := n.space()
	if err != nil {
		return nil, err
	}
	forget := strconv.Itoa(int(n.settings.Forget.Seconds()))
	if err := s.set(map[string]string{
		"ipv4/ip_forward": "1", "ipv6/conf/all/forwarding": "1",
		"netfilter/nf_conntrack_udp_timeout": forget, "netfilter/nf_conntrack_udp_timeout_stream": forget,
	}); err != nil {
		return nil, err
	}
	return s, s.nft(`
		table inet router {
			chain input {
				type filter hook input priority filter; policy drop;
				ct state established,related accept
				iifname != "wan" accept
				meta l4proto ipv6-icmp accept
			}
			chain forward {
				type filter hook forward priority filter; policy drop;
				` + refusal[kind] + `
				ct state established,related accept
				iifname != "wan" oifname "wan" accept
			}
			chain leave {
				type nat hook postrouting priority srcnat;
				` + translation[kind] + `
			}
		}`)
}

// line is a network of two, by the address of either.
type line struct{ upper, lower netip.Prefix }

// lay connects two namespaces by devices. The lower one sends everything to the upper one that is for others.
func (l line) lay(upper *space, device string, lower *space, name string) error {
	if err := upper.ip(
		fmt.Sprintf("link add %s type veth peer name %s netns %d", device, name, lower.thread),
		fmt.Sprintf("addr add %s dev %s%s", l.upper, device, noDetection(l.upper)),
		fmt.Sprintf("link set %s up", device),
	); err != nil {
		return err
	}
	return lower.ip(
		fmt.Sprintf("addr add %s dev %s%s", l.lower, name, noDetection(l.lower)),
		fmt.Sprintf("link set %s up", name),
		fmt.Sprintf("route add default via %s", l.upper.Addr()),
	)
}

// noDetection spares the seconds in which a kernel finds out whether somebody else has an IPv6 address.
func noDetection(p netip.Prefix) string {
	if p.Addr().Is6() {
		return " nodad"
	}
	return ""
}
