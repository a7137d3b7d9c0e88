package networkroom

import (
	"net"
	"strings"

	"tidings/delivery/web/wording"
)

// maxPlace is how many characters of a node's place are shown.
const maxPlace = 60

// placeOf returns where a full multiaddr leads in short: "203.0.113.17:7601 · QUIC". An address that it cannot read is
// shown as it is, cut.
func placeOf(address string) string {
	var host, port, over string
	relayed := false
	parts := strings.Split(strings.TrimPrefix(address, "/"), "/")
	for i := 0; i < len(parts); i++ {
		name, value := parts[i], ""
		switch name {
		case "quic-v1":
			over = "QUIC"
			continue
		case "p2p-circuit":
			relayed = true
			continue
		}
		if i++; i < len(parts) {
			value = parts[i]
		}
		switch name {
		case "ip4", "ip6", "dns", "dns4", "dns6":
			host = value
		case "udp":
			port = value
		case "tcp":
			port, over = value, "TCP"
		case "p2p":
		default:
			return wording.Plain(address, maxPlace)
		}
	}
	if host == "" || port == "" || over == "" {
		return wording.Plain(address, maxPlace)
	}
	if relayed {
		over = "by a relay"
	}
	return wording.Plain(net.JoinHostPort(host, port)+" · "+over, maxPlace)
}
