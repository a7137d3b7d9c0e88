package networkroom

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// maxPeers bounds the nodes that are drawn and listed; the command line lists all.
const maxPeers = 300

// page is how the node stands among the others: what its view shows of that, the rest is zero.
type page struct {
	say wording.Words // of the reader
	selection
	view.Network
	Standing wording.Word
	Interval string // at which the node polls what nobody shares
	Followed followed

	Ring  ring
	Near  []peerRow // neighbours in the ring's order, with this node among them
	Known []peerRow // the others
	More  int       // others that are left out
	Sum   view.Traffic

	Coop     *coopView          // nil: not shown
	Believed []view.Republisher // nodes that people here prefer and distrust

	Choices wayChoices  // of channels with a way to this node that can be shown
	Tree    *treeView   // that of Channel; nil: there is no such channel any more
	Friends []friendRow // nearest first
	Overlay overlayView
	Zone    *zoneView // nil: the node is in none

	Address string // to join by, as it was given
	Problem string // why that cannot be
}

// followed sums up the public channels that an account follows: those that nodes poll for each other.
type followed struct {
	Public   int
	Expected time.Duration // the median of how soon a change is expected to be detected; 0: not known
}

// peerRow is a node as a table lists it.
type peerRow struct {
	view.Peer
	Self  bool
	Steps int // along the ring from this node to a neighbour, negative: down
}

func (s *room) networkView(w http.ResponseWriter, r shell.Request) error {
	return s.show(w, r, http.StatusOK, selectionOf(r), "", "")
}

// show shows a page, with the form to join by as it was sent and what was wrong with it.
func (s *room) show(w http.ResponseWriter, r shell.Request, status int, v selection, address, problem string) error {
	var choices wayChoices
	if v.Show == viewRouters && s.network != nil {
		var err error
		if choices, v.Channel, err = s.choose(r.Context(), r.Account, v.Channel); err != nil {
			return err
		}
	}
	p, err := s.now(r.Context(), r.Account, v)
	if err != nil {
		return err
	}
	p.Choices = choices
	p.Address, p.Problem = wording.Plain(address, view.MaxJoinAddress), problem
	title := r.Words.Text("Network")
	if p.Show != overview {
		title = p.Name() + " · " + title
	}
	s.Show(w, r, status, "network", shell.View{Title: title, Section: "network", Said: said(r), Body: p})
	return nil
}

// now asks how the node stands at present, as far as a view shows it.
func (s *room) now(ctx context.Context, account tidings.AccountID, v selection) (page, error) {
	if s.network == nil {
		st, err := s.node.Status(ctx)
		st.Network.Off = true
		say := wording.Words{Locale: locale.Of(ctx)}
		return page{say: say, Network: st.Network, Standing: say.Standing(st.Network, 0), Interval: st.Interval}, err
	}
	n, err := s.network.Network(ctx)
	if err != nil {
		return page{}, err
	}
	p := page{say: wording.Words{Locale: locale.Of(ctx)}, selection: v, Network: n, Sum: sumOf(n.Traffic)}
	var ask []func(context.Context, tidings.AccountID, *page) error
	switch v.Show {
	case viewRing:
		ask = append(ask, s.peers)
	case viewSharing:
		ask = append(ask, s.sharing)
	case viewRouters:
		ask = append(ask, s.sharing, s.overlays, s.way)
	case viewTrust:
		ask = append(ask, s.sharing, s.trust)
	case overview:
		ask = append(ask, s.peers, s.sharing, s.overlays, s.trust, s.follows)
	}
	for _, asks := range ask {
		if err := asks(ctx, account, &p); err != nil {
			return page{}, err
		}
	}
	return p, nil
}

// peers asks for the other nodes.
func (s *room) peers(ctx context.Context, _ tidings.AccountID, p *page) error {
	peers, err := s.network.Peers(ctx)
	if err == nil {
		p.place(peers)
	}
	return err
}

// sharing asks how polls are shared.
func (s *room) sharing(ctx context.Context, _ tidings.AccountID, p *page) error {
	together, err := s.node.CoopStatus(ctx)
	if err == nil {
		shown := coopViewOf(p.say, together)
		p.Coop = &shown
	}
	return err
}

// overlays asks for what the routers have made: friends, links and zones.
func (s *room) overlays(ctx context.Context, account tidings.AccountID, p *page) error {
	friends, err := s.network.Friends(ctx, account)
	if err != nil {
		return err
	}
	overlay, err := s.network.Overlay(ctx, account)
	if err != nil {
		return err
	}
	p.Friends, p.Overlay = friendRows(friends), overlayViewOf(overlay)
	p.Zone, err = s.zoneNow(ctx, account, p.asked)
	return err
}

// trust asks what people here think of other nodes.
func (s *room) trust(ctx context.Context, _ tidings.AccountID, p *page) (err error) {
	p.Believed, err = s.node.Republishers(ctx)
	return err
}

// follows sums up what an account follows.
func (s *room) follows(ctx context.Context, account tidings.AccountID, p *page) error {
	all, err := s.Followed(ctx, account)
	if err != nil {
		return err
	}
	public := all[:0:0]
	for _, f := range all {
		if f.Privacy == tidings.Public {
			public = append(public, f)
		}
	}
	if err := s.node.PollingStats(ctx, public); err != nil {
		return err
	}
	p.Followed = followedOf(public)
	return nil
}

// Router is the network's.
func (p page) Router() string {
	if p.Coop == nil {
		return ""
	}
	return p.Coop.Params.Router
}

// place puts the other nodes into the ring and the tables.
func (p *page) place(peers []view.Peer) {
	n := p.Network
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
	p.Standing = p.say.Standing(n, len(p.Known)+p.More)
	p.Ring = drawRing(n, p.Near, p.Known)
	if len(p.Near) > 0 {
		self := peerRow{Peer: view.Peer{ID: n.ID, Position: n.Position}, Self: true}
		p.Near = append(p.Near[:below:below], append([]peerRow{self}, p.Near[below:]...)...)
	}
}

// sumOf adds up the traffic of all kinds of messages.
func sumOf(all []view.Traffic) (sum view.Traffic) {
	for _, t := range all {
		sum.Sent += t.Sent
		sum.SentBytes += t.SentBytes
		sum.Received += t.Received
		sum.ReceivedBytes += t.ReceivedBytes
		sum.Dropped += t.Dropped + t.Refused
	}
	return sum
}

var errAlone = tidings.Invalidf("the node works alone; start it without --no-network, or wait while its status says that it makes a key")

// join has the node join by an address. It does not wait: the page that the form was on shows how it goes.
func (s *room) join(w http.ResponseWriter, r shell.Request) error {
	if s.network == nil {
		return errAlone
	}
	address, v := strings.TrimSpace(r.FormValue("address")), selectionOf(r)
	problem := ""
	switch {
	case address == "":
		problem = r.Words.Text("No address was given.")
	case len(address) > view.MaxJoinAddress:
		address, problem = "", r.Words.Text("An address has at most %s bytes.", r.Words.Number(view.MaxJoinAddress))
	default:
		err := s.network.AddJoin(r.Context(), address)
		if err == nil {
			return shell.SeeOther(w, r, v.after("joining"))
		}
		if !errors.Is(err, tidings.ErrInvalid) {
			return err
		}
		problem = wording.Sentence(r.Words.Explained(err), 400) + "."
	}
	return s.show(w, r, http.StatusUnprocessableEntity, v, address, problem)
}

// forget removes an address from the list of those to join by.
func (s *room) forget(w http.ResponseWriter, r shell.Request) error {
	if s.network == nil {
		return errAlone
	}
	if err := s.network.RemoveJoin(r.Context(), r.FormValue("address")); err != nil &&
		!errors.Is(err, tidings.ErrNotFound) {
		return err
	}
	return shell.SeeOther(w, r, selectionOf(r).after("forgotten"))
}
