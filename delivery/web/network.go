package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tidings"
)

// maxPeers bounds the nodes that are drawn and listed; the command line lists all.
const maxPeers = 300

// networkPage is how the node stands among the others.
type networkPage struct {
	tidings.Network
	Standing word
	Ring     ring
	Near     []peerRow // neighbours in the ring's order, with this node among them
	Known    []peerRow // the others
	More     int       // others that are left out
	Traffic  []tidings.Traffic
	Sum      tidings.Traffic // of all kinds
	Coop     *coopView
	Believed []tidings.Republisher // whom people here prefer and distrust

	Choices wayChoices  // of channels whose way to this node can be shown
	Channel string      // the one whose way is; empty: none
	Tree    *treeView   // that way; nil: there is no such channel any more
	Friends []friendRow // nearest first
	Overlay overlayView
	Zone    *zoneView // nil: the node is in none
	asked   string    // the zone that is to be shown; empty: the node's own

	Address string // to join by, as it was given
	Problem string // why that cannot be
}

// peerRow is a node as a table lists it.
type peerRow struct {
	tidings.Peer
	Self  bool
	Steps int // along the ring from this node to a neighbour, negative: down
}

func (s *site) networkView(w http.ResponseWriter, r request) error {
	return s.showNetwork(w, r, http.StatusOK, "", "")
}

// showNetwork shows the page, with the form as it was sent and what was wrong with it.
func (s *site) showNetwork(w http.ResponseWriter, r request, status int, address, problem string) error {
	var all wayChoices
	chosen := ""
	if s.network != nil {
		var err error
		if all, chosen, err = s.choose(r); err != nil {
			return err
		}
	}
	p, err := s.networkNow(r.Context(), r.account, chosen, r.FormValue("zone"))
	if err != nil {
		return err
	}
	p.Choices = all
	p.Address, p.Problem = plain(address, tidings.MaxJoinAddress), problem
	s.show(w, r, status, "network", view{Title: "Network", Section: "network", Said: said(r), Body: p})
	return nil
}

// networkNow asks how the node stands at present, and how the updates of a channel come, if one is chosen.
func (s *site) networkNow(ctx context.Context, account tidings.AccountID, channel, zone string) (networkPage, error) {
	if s.network == nil {
		st, err := s.node.Status(ctx)
		st.Network.Off = true
		return networkPage{Network: st.Network, Standing: standingText(st.Network, 0)}, err
	}
	n, err := s.network.Network(ctx)
	if err != nil {
		return networkPage{}, err
	}
	peers, err := s.network.Peers(ctx)
	if err != nil {
		return networkPage{}, err
	}
	together, err := s.node.CoopStatus(ctx)
	if err != nil {
		return networkPage{}, err
	}
	p := networkPageOf(n, peers)
	view := coopViewOf(together)
	p.Coop = &view
	if p.Believed, err = s.node.Republishers(ctx); err != nil {
		return networkPage{}, err
	}
	friends, err := s.network.Friends(ctx, account)
	if err != nil {
		return networkPage{}, err
	}
	p.Friends, p.Channel = friendRows(friends), channel
	overlay, err := s.network.Overlay(ctx, account)
	if err != nil {
		return networkPage{}, err
	}
	p.Overlay, p.asked = overlayViewOf(overlay), plain(zone, maxZonePath)
	if p.Zone, err = s.zoneNow(ctx, account, p.asked); err != nil {
		return networkPage{}, err
	}
	p.Tree, err = s.treeNow(ctx, account, channel, n.ID)
	return p, err
}

// Router is the network's.
func (p networkPage) Router() string {
	if p.Coop == nil {
		return ""
	}
	return p.Coop.Params.Router
}

// Events is the address of the stream that keeps the page true.
func (p networkPage) Events() string {
	q := url.Values{}
	if p.Channel != "" {
		q.Set("channel", p.Channel)
	}
	if p.asked != "" {
		q.Set("zone", p.asked)
	}
	if len(q) == 0 {
		return "/network/events"
	}
	return "/network/events?" + q.Encode()
}

func networkPageOf(n tidings.Network, peers []tidings.Peer) networkPage {
	p := networkPage{Network: n, Traffic: n.Traffic}
	seen := map[string]bool{n.ID: true}
	below := 0
	for _, peer := range n.Neighbours[:min(len(n.Neighbours), maxPeers)] {
		if seen[peer.ID] {
			continue
		}
		seen[peer.ID] = true
		if turn(peer.Position, n.Position) < 0 {
			below++
		}
		p.Near = append(p.Near, peerRow{Peer: peer})
	}
	for i := range p.Near {
		if p.Near[i].Steps = i - below; i >= below {
			p.Near[i].Steps++
		}
	}
	for _, peer := range peers {
		if seen[peer.ID] {
			continue
		}
		seen[peer.ID] = true
		if len(p.Near)+len(p.Known) == maxPeers {
			p.More++
			continue
		}
		p.Known = append(p.Known, peerRow{Peer: peer})
	}
	p.Standing = standingText(n, len(p.Known)+p.More)
	p.Ring = drawRing(n, p.Near, p.Known)
	if len(p.Near) > 0 {
		self := peerRow{Peer: tidings.Peer{ID: n.ID, Position: n.Position}, Self: true}
		p.Near = append(p.Near[:below:below], append([]peerRow{self}, p.Near[below:]...)...)
	}
	for _, t := range n.Traffic {
		p.Sum.Sent += t.Sent
		p.Sum.SentBytes += t.SentBytes
		p.Sum.Received += t.Received
		p.Sum.ReceivedBytes += t.ReceivedBytes
		p.Sum.Dropped += t.Dropped + t.Refused
	}
	return p
}

var errAlone = tidings.Invalidf("the node works alone; start it without --no-network, or wait while its status says that it makes a key")

// join has the node join by an address. It does not wait: the page shows how it goes.
func (s *site) join(w http.ResponseWriter, r request) error {
	if s.network == nil {
		return errAlone
	}
	address := strings.TrimSpace(r.FormValue("address"))
	problem := ""
	switch {
	case address == "":
		problem = "No address was given."
	case len(address) > tidings.MaxJoinAddress:
		address, problem = "", fmt.Sprintf("An address has at most %s bytes.", thousands(tidings.MaxJoinAddress))
	default:
		err := s.network.AddJoin(r.Context(), address)
		if err == nil {
			return seeOther(w, r, "/network?said=joining")
		}
		if !errors.Is(err, tidings.ErrInvalid) {
			return err
		}
		problem = sentence(tidings.Explain(err), 400) + "."
	}
	return s.showNetwork(w, r, http.StatusUnprocessableEntity, address, problem)
}

// forget takes an address off the list of those to join by.
func (s *site) forget(w http.ResponseWriter, r request) error {
	if s.network == nil {
		return errAlone
	}
	if err := s.network.RemoveJoin(r.Context(), r.FormValue("address")); err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return err
	}
	return seeOther(w, r, "/network?said=forgotten")
}
