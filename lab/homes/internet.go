package homes

import (
	"fmt"
	"net/netip"
	"os"
	"sync"
	"time"
)

// internet carries packets between public addresses.
type internet struct {
	delay time.Duration

	mu    sync.Mutex
	sites map[netip.Addr]*site // by IPv4 address, and by IPv6 network
	links []*link
	flows map[flow]int // packets
}

// site is the owner of a public address: a public machine or a home.
type site struct {
	link    *link
	traffic Traffic
}

// Traffic is what has gone to a site, and what came from it, as IP packets.
type Traffic struct{ PacketsIn, BytesIn, PacketsOut, BytesOut int64 }

// flow is packets that go one way, between one port and another.
type flow struct {
	from, to         *site
	fromPort, toPort uint16
	protocol         byte
}

// maxFlows bounds the flows that are remembered; those after them are not.
const maxFlows = 1 << 18

// link is a TUN device: the Internet's end of a line.
type link struct {
	tun   *os.File
	queue chan packet
	ended chan struct{}
}

// packet is what arrives at a time.
type packet struct {
	data []byte
	due  time.Time
}

const (
	maxPacket = 1 << 16
	maxQueued = 1 << 13 // packets on their way to a link; those after them are lost
)

func newInternet(delay time.Duration) *internet {
	return &internet{delay: delay, sites: make(map[netip.Addr]*site), flows: make(map[flow]int)}
}

// connect connects a namespace by a device that is called wan. It gives it no address.
func (n *internet) connect(s *space) (*link, error) {
	l := &link{queue: make(chan packet, maxQueued), ended: make(chan struct{})}
	err := s.do(func() (err error) {
		l.tun, err = openTUN("wan")
		return err
	})
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.links = append(n.links, l)
	n.mu.Unlock()
	go l.deliver()
	go n.carry(l)
	return l, s.ip("link set wan up mtu 1500", "route add default dev wan", "route add ::/0 dev wan")
}

// network returns by which address a site is found.
func network(a netip.Addr) netip.Addr {
	if a.Is4() {
		return a
	}
	return netip.PrefixFrom(a, 48).Masked().Addr()
}

// assign gives an address, and for IPv6 the /48 around it, to a site.
func (n *internet) assign(s *site, a netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sites[network(a)] = s
}

// withdraw removes an address.
func (n *internet) withdraw(a netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.sites, network(a))
}

// carry reads what comes from a link until that is closed.
func (n *internet) carry(l *link) {
	defer close(l.ended)
	buffer := make([]byte, maxPacket)
	for {
		size, err := l.tun.Read(buffer)
		if err != nil {
			return
		}
		if to := n.route(l, buffer[:size]); to != nil {
			select {
			case to.queue <- packet{append([]byte(nil), buffer[:size]...), time.Now().Add(n.delay)}:
			default:
			}
		}
	}
}

// deliver writes what has been long enough on its way.
func (l *link) deliver() {
	for {
		select {
		case <-l.ended:
			return
		case p := <-l.queue:
			time.Sleep(time.Until(p.due))
			_, _ = l.tun.Write(p.data) // a device that is down accepts nothing, as a line that is cut
		}
	}
}

// route returns where a packet goes, and counts it; nil: nowhere. What is not from one of the link's own addresses goes
// nowhere (RFC 2827).
func (n *internet) route(from *link, data []byte) *link {
	h, ok := readHeader(data)
	if !ok {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	sender, receiver := n.sites[network(h.from)], n.sites[network(h.to)]
	if sender == nil || sender.link != from {
		return nil
	}
	sender.traffic.PacketsOut++
	sender.traffic.BytesOut += int64(len(data))
	if receiver == nil {
		return nil
	}
	receiver.traffic.PacketsIn++
	receiver.traffic.BytesIn += int64(len(data))
	if f := (flow{sender, receiver, h.fromPort, h.toPort, h.protocol}); n.flows[f] > 0 || len(n.flows) < maxFlows {
		n.flows[f]++
	}
	return receiver.link
}

// close ends all links.
func (n *internet) close() {
	n.mu.Lock()
	links := n.links
	n.mu.Unlock()
	for _, l := range links {
		_ = l.tun.Close() // nothing is lost with it
		<-l.ended
	}
}

// header is what the Internet reads of a packet. Ports are 0 where there are none.
type header struct {
	from, to         netip.Addr
	protocol         byte
	fromPort, toPort uint16
}

const (
	tcp = 6
	udp = 17
)

func readHeader(data []byte) (h header, ok bool) {
	rest := data
	switch {
	case len(data) >= 20 && data[0]>>4 == 4 && len(data) >= int(data[0]&15)*4:
		h.from, h.to, h.protocol = netip.AddrFrom4([4]byte(data[12:16])), netip.AddrFrom4([4]byte(data[16:20])), data[9]
		rest = data[int(data[0]&15)*4:]
	case len(data) >= 40 && data[0]>>4 == 6:
		h.from, h.to, h.protocol = netip.AddrFrom16([16]byte(data[8:24])), netip.AddrFrom16([16]byte(data[24:40])),
			data[6]
		rest = data[40:]
	default:
		return h, false
	}
	if (h.protocol == tcp || h.protocol == udp) && len(rest) >= 4 {
		h.fromPort, h.toPort = uint16(rest[0])<<8|uint16(rest[1]), uint16(rest[2])<<8|uint16(rest[3])
	}
	return h, true
}

// String writes it for people.
func (t Traffic) String() string {
	return fmt.Sprintf("%d packets and %d bytes in, %d and %d out", t.PacketsIn, t.BytesIn, t.PacketsOut, t.BytesOut)
}

// Since returns what has gone since there was other.
func (t Traffic) Since(other Traffic) Traffic {
	return Traffic{t.PacketsIn - other.PacketsIn, t.BytesIn - other.BytesIn, t.PacketsOut - other.PacketsOut,
		t.BytesOut - other.BytesOut}
}
