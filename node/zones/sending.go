package zones

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
	"tidings/network/routers/newswire"
	"tidings/source/news"
	"tidings/view"
)

// sending is an item on its way to a zone. It is signed with the node's own key, on the topic of the zone's channel
// with that key.
type sending struct {
	item   *feedtree.Item
	topics []engine.ID
}

// SendToZone sends the items of a document to the followers of a zone.
func (z *Zones) SendToZone(ctx context.Context, o view.ZoneSending) (sent view.ZoneSent, err error) {
	to, err := zone.Parse(o.Zone)
	if err != nil {
		return sent, tidings.Invalidf("%v", err)
	}
	if err := z.awaitAgreement(ctx); err != nil {
		return sent, err
	}
	if err := z.routes(); err != nil {
		return sent, err
	}
	if err := checkCondition(o.Where); err != nil {
		return sent, err
	}
	items, err := z.host.Items(ctx, o)
	if err != nil {
		return sent, err
	}
	sent = view.ZoneSent{Zone: string(to), Sender: z.self.String(), Items: []view.ZoneSentItem{}}
	all, err := z.sendings(to, items)
	if err != nil {
		return sent, err
	}
	for _, i := range items {
		sent.Items = append(sent.Items, view.ZoneSentItem{ID: i.ID, Title: i.Title})
	}
	var trouble error
	if err := z.order(ctx, func() { sent.Members, trouble = z.router.sendTo(to, o.Where, all) }); err != nil {
		return sent, err
	}
	return sent, z.trouble(to, trouble)
}

// agreedWithin is how long a sender waits for a node that has just started to find out which router the network has.
const agreedWithin = 15 * time.Second

// awaitAgreement waits until the network has agreed on a router: before, the node does not get itself what it sends.
func (z *Zones) awaitAgreement(ctx context.Context) error {
	patience := time.After(agreedWithin)
	for {
		changed := z.config.Changed.Wait() // before the check
		if _, agreed := z.host.Router(); agreed {
			return nil
		}
		select {
		case <-changed:
		case <-patience:
			return tidings.WithHint(tidings.Invalidf("this node has not found out yet which router its network has"),
				"try again in a moment")
		case <-ctx.Done():
			return fmt.Errorf("waiting for the network: %w", ctx.Err())
		}
	}
}

// routes refuses what needs zones in a network that has another router.
func (z *Zones) routes() error {
	if name, _ := z.host.Router(); name != router.NewsWire {
		return tidings.WithHint(tidings.Invalidf("the network's router is %s, and only newswire sends items to zones",
			name), "start the nodes of the network with --router newswire")
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
		return tidings.WithHint(tidings.Invalidf("that is no condition on attributes: %s", PlaceOf(text, wrong)),
			"for example: load < 0.5 AND members > 1")
	case err != nil:
		return tidings.Invalidf("%v", err)
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

// sendings signs items for a zone. All that is sent has a later time than what was sent before.
func (z *Zones) sendings(to zone.Path, items []Item) (all []sending, err error) {
	switch {
	case len(items) == 0:
		return nil, tidings.WithHint(tidings.Invalidf("the document has no items"),
			"send a feed, or news in NITF, NewsML-G2 or ninjs")
	case len(items) > view.MaxZoneItems:
		return nil, tidings.Invalidf("the document has %d items, and at most %d can be sent at a time", len(items),
			view.MaxZoneItems)
	}
	channel := tidings.ZoneURL(string(to))
	topic := sentTopic(to, feedtree.KeyOf(z.config.Key))
	for _, i := range items {
		found, err := z.host.Topics(channel, i.Entry, newswire.MaxTopicsOfItem-1)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, tidings.Invalidf("the item %s is larger than %d bytes", tidings.Quote(i.ID), feedtree.MaxEntry)
		}
		s := sending{item: &feedtree.Item{Entry: i.Entry},
			topics: []engine.ID{topicID(news.TopicOf(news.TopicZone, string(to)))}}
		for _, t := range found {
			s.topics = append(s.topics, topicID(t))
		}
		s.item.Time = z.times.next(time.Now())
		s.item.Number = uint64(s.item.Time) // these numbers are not counted
		s.item.Sign(topic, z.config.Key)
		all = append(all, s)
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
func (r *Router) sendTo(to zone.Path, where string, all []sending) (members int64, err error) {
	r.begin()
	path, placed := r.zones.Path()
	if !placed {
		return 0, errNoZone
	}
	if members, err = r.membersOf(to, path); err != nil {
		return 0, err
	}
	topic := sentTopic(to, all[0].item.Key)
	for _, s := range all {
		if err := r.news.Send(to, topic, s.topics, where, s.item); err != nil {
			return members, err
		}
	}
	return members, nil
}

// membersOf returns how many members a zone has, as far as the tables of the node's own zones report it; 0: they do
// not.
func (r *Router) membersOf(to, path zone.Path) (members int64, err error) {
	if to.Contains(path) {
		for row := range r.zones.Table(to).Children() {
			members += membersIn(row)
		}
		return members, nil
	}
	common := zone.Common(to, path)
	next := to.At(common.Depth() + 1)
	row, ok := r.zones.Table(common).Get(next.Label())
	switch {
	case !ok:
		return 0, fmt.Errorf("%w %s", errNotKnown, next)
	case next == to:
		members = membersIn(row)
	}
	return members, nil
}

// trouble says what to do about why nothing can be sent to a zone.
func (z *Zones) trouble(to zone.Path, err error) error {
	place, _ := z.told.now()
	problem, hint := place.problem(z.self, time.Now())
	switch {
	case err == nil:
		return nil
	case problem != "":
		return tidings.WithHint(tidings.Invalidf("%s", sentence(problem)), hint)
	case errors.Is(err, errNoZone):
		return tidings.WithHint(tidings.Invalidf("%w", err),
			"it looks for one when the network's router is newswire: try again in a moment, or name one with: tidings zone join ZONE")
	case errors.Is(err, errNotKnown):
		return tidings.WithHint(tidings.Invalidf("%w", err), "those that this node knows: tidings zone show /")
	case errors.Is(err, cert.ErrRights), errors.Is(err, cert.ErrScope), errors.Is(err, cert.ErrUntrusted),
		errors.Is(err, cert.ErrExpired):
		return tidings.WithHint(tidings.Invalidf("this node may not publish to %s, and its network is closed: %w", to,
			err), fmt.Sprintf(
			"have the zone's authority certify it: tidings zone certify %s %s --publish; then: tidings zone join %s --certificate FILE", to, z.self, place.home))
	}
	return tidings.Invalidf("%v", err)
}

// MayFollow refuses a zone that the node is not in: nothing that is sent to it comes here.
func (z *Zones) MayFollow(ctx context.Context, p zone.Path) error {
	if err := z.routes(); err != nil {
		return err
	}
	m, err := z.Membership(ctx)
	if err != nil {
		return err
	}
	if m == nil {
		m = &view.ZoneMembership{Home: string(zone.Root)}
	}
	if p.Contains(zone.Path(m.Home)) || m.Own != "" && p.Contains(zone.Path(m.Own)) {
		return nil
	}
	return tidings.WithHint(tidings.Invalidf("this node is in %s, and only nodes in %s get what is sent there",
		cmp.Or(m.Own, m.Home), p),
		fmt.Sprintf("move it there with: tidings zone join %s", p))
}
