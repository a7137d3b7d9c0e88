package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tidings"
	router "tidings/network"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/newswire"
	"tidings/node/queries"
	"tidings/source/feed"
)

// sending is an item on its way to a zone, signed with the node's own key on the topic that the zone's channel has with that.
type sending struct {
	item   *feedtree.Item
	topics []engine.ID
}

// SendToZone sends the items of a document to those who follow a zone.
func (n *network) SendToZone(ctx context.Context, o tidings.ZoneSending) (sent tidings.ZoneSent, err error) {
	to, err := zone.Parse(o.Zone)
	if err != nil {
		return sent, invalid("%v", err)
	}
	if err := n.awaitAgreement(ctx); err != nil {
		return sent, err
	}
	if err := n.routesZones(); err != nil {
		return sent, err
	}
	if err := checkCondition(o.Where); err != nil {
		return sent, err
	}
	node := n.node
	doc, err := node.publisher.ordered(ctx, tidings.PublishOrder{Source: o.Source, Document: o.Document})
	if err != nil {
		return sent, err
	}
	if _, due := unembargoed(doc, time.Now()); !due.IsZero() {
		return sent, &hinted{fmt.Errorf("the document has an item under embargo until %s", due.Format(time.RFC3339)), "send it then"}
	}
	sent = tidings.ZoneSent{Zone: string(to), Sender: node.id, Items: []tidings.ZoneSentItem{}}
	all, err := node.sendings(to, doc, &sent)
	if err != nil {
		return sent, err
	}
	var trouble error
	if err := n.host.Do(ctx, func() { sent.Members, trouble = n.zoned.sendTo(to, o.Where, all) }); err != nil {
		return sent, fmt.Errorf("telling the network: %w", err)
	}
	return sent, n.zoneTrouble(to, trouble)
}

// agreedWithin is how long who sends waits for a node that has just started to find out which router the network has.
const agreedWithin = 15 * time.Second

// awaitAgreement waits until the network has agreed on a router: before, the node does not get itself what it sends.
func (n *network) awaitAgreement(ctx context.Context) error {
	patience := time.After(agreedWithin)
	for {
		changed := n.changed.Wait() // before the check
		if n.coop.Params().Settled {
			return nil
		}
		select {
		case <-changed:
		case <-patience:
			return &hinted{errors.New("this node has not found out yet which router its network has"), "try again in a moment"}
		case <-ctx.Done():
			return fmt.Errorf("waiting for the network: %w", ctx.Err())
		}
	}
}

// routesZones refuses what needs zones in a network that has another router.
func (n *network) routesZones() error {
	if name := n.coop.Params().Router; name != router.NewsWire {
		return &hinted{fmt.Errorf("the network's router is %s, and only newswire sends items to zones", name), "start the nodes of the network with --router newswire"}
	}
	return nil
}

// checkCondition refuses what is no condition on attributes, and says where it is wrong.
func checkCondition(text string) error {
	if text == "" {
		return nil
	}
	p, err := sql.CompilePredicate(text)
	var wrong *sql.Error
	switch {
	case errors.As(err, &wrong):
		return &hinted{invalid("that is no condition on attributes: %s", PlaceOf(text, wrong)), "for example: load < 0.5 AND members > 1"}
	case err != nil:
		return invalid("%v", err)
	}
	p.Close()
	return nil
}

// PlaceOf says what is wrong with a text in SQL, and where, by line and column.
func PlaceOf(text string, wrong *sql.Error) string {
	if wrong.Offset < 0 {
		return wrong.Error()
	}
	at := min(wrong.Offset, len(text)) // what a condition lacks is missed in what is set around it
	before := text[:at]
	line := strings.Count(before, "\n")
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	rest, _, _ := strings.Cut(text[at:], "\n")
	words := fmt.Sprintf("%v: %s, in line %d, column %d", wrong.Problem, wrong.What, line+1, column+1)
	if rest == "" {
		return words + ", at the end"
	}
	if runes := []rune(rest); len(runes) > 24 {
		rest = string(runes[:24]) + "…"
	}
	return words + ", at: " + rest
}

// sendings signs the items of a document for a zone, and notes them in what is to be told of it. All that is sent has a later time than what was sent before.
func (n *Node) sendings(to zone.Path, doc *feed.Document, sent *tidings.ZoneSent) (all []sending, err error) {
	e := editionOf(doc, nil, nil, false)
	switch {
	case len(e.items) == 0:
		return nil, &hinted{invalid("the document has no items"), "send a feed, or news in NITF, NewsML-G2 or ninjs"}
	case len(e.items) > tidings.MaxZoneItems:
		return nil, invalid("the document has %d items, and at most %d can be sent at a time", len(e.items), tidings.MaxZoneItems)
	}
	channel := tidings.ZoneURL(string(to))
	topic := sentTopic(to, feedtree.KeyOf(n.key))
	for i := range e.items {
		entry, err := e.entry(i, doc.Title, doc.Site)
		if err != nil {
			return nil, err
		}
		found, err := queries.Topics(channel, entry, newswire.MaxTopicsOfItem-1, n.poller.Feed)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, invalid("the item %s is larger than %d bytes", quoted(e.items[i].ID), feedtree.MaxEntry)
		}
		s := sending{item: &feedtree.Item{Entry: entry}, topics: []engine.ID{topicID(tidings.TopicOf(tidings.TopicZone, string(to)))}}
		for _, t := range found {
			s.topics = append(s.topics, topicID(t))
		}
		s.item.Time = n.zoneTime.next(time.Now())
		s.item.Number = uint64(s.item.Time) // nobody counts them
		s.item.Sign(topic, n.key)
		all = append(all, s)
		sent.Items = append(sent.Items, tidings.ZoneSentItem{ID: e.items[i].ID, Title: e.items[i].Title})
	}
	return all, nil
}

// sentTopic is the topic of what the holder of a key sends to a zone.
func sentTopic(to zone.Path, key feedtree.Key) engine.ID {
	return feedtree.TopicOf(engine.ID(tidings.IDOf(tidings.ZoneURL(string(to)))), key.Fingerprint())
}

// Errors of sendTo.
var (
	errNoZone   = errors.New("this node is in no zone")
	errNotKnown = errors.New("no node is in the zone")
)

// sendTo sends items to a zone. It returns how many members that has, as far as is known here; 0: it is not.
func (z *zoned) sendTo(to zone.Path, where string, all []sending) (members int64, err error) {
	z.begin()
	path, placed := z.zones.Path()
	if !placed {
		return 0, errNoZone
	}
	if members, err = z.membersOf(to, path); err != nil {
		return 0, err
	}
	topic := sentTopic(to, all[0].item.Key)
	for _, s := range all {
		if err := z.news.Send(to, topic, s.topics, where, s.item); err != nil {
			return members, err
		}
	}
	return members, nil
}

// membersOf returns how many members a zone has, as far as that stands in the tables of the node's own zones; 0: it does not.
func (z *zoned) membersOf(to, path zone.Path) (members int64, err error) {
	if to.Contains(path) {
		for r := range z.zones.Table(to).Children() {
			members += membersIn(r)
		}
		return members, nil
	}
	common := zone.Common(to, path)
	next := to.At(common.Depth() + 1)
	r, ok := z.zones.Table(common).Get(next.Label())
	switch {
	case !ok:
		return 0, fmt.Errorf("%w %s", errNotKnown, next)
	case next == to:
		members = membersIn(r)
	}
	return members, nil
}

// zoneTrouble says what to do about why nothing can be sent to a zone.
func (n *network) zoneTrouble(to zone.Path, err error) error {
	place, _ := n.zoneMember.now()
	problem, hint := place.problem(n.host.Self().ID, time.Now())
	switch {
	case err == nil:
		return nil
	case problem != "":
		return &hinted{errors.New(sentence(problem)), hint}
	case errors.Is(err, errNoZone):
		return &hinted{err, "it looks for one when the network's router is newswire: try again in a moment, or name one with: tidings zone join ZONE"}
	case errors.Is(err, errNotKnown):
		return &hinted{err, "those that this node knows: tidings zone show /"}
	case errors.Is(err, cert.ErrRights), errors.Is(err, cert.ErrScope), errors.Is(err, cert.ErrUntrusted), errors.Is(err, cert.ErrExpired):
		return &hinted{fmt.Errorf("this node may not publish to %s, and its network is closed: %w", to, err), fmt.Sprintf(
			"have the zone's authority certify it: tidings zone certify %s %s --publish; then: tidings zone join %s --certificate FILE", to, n.host.Self().ID, place.home)}
	}
	return invalid("%v", err)
}

// mayFollowZone refuses a zone that the node is not in: nothing that is sent to it comes here.
func (n *Node) mayFollowZone(ctx context.Context, p zone.Path) error {
	if n.member == nil {
		return &hinted{errors.New("the node works alone, so nothing is sent to it"), "start it without --no-network"}
	}
	if err := n.network.routesZones(); err != nil {
		return err
	}
	m, err := n.network.zoneMembership(ctx)
	if err != nil {
		return err
	}
	if m == nil {
		m = &tidings.ZoneMembership{Home: string(zone.Root)}
	}
	if p.Contains(zone.Path(m.Home)) || m.Own != "" && p.Contains(zone.Path(m.Own)) {
		return nil
	}
	return &hinted{fmt.Errorf("this node is in %s, and only nodes in %s get what is sent there", cmp.Or(m.Own, m.Home), p),
		fmt.Sprintf("move it there with: tidings zone join %s", p)}
}
