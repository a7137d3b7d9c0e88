package xmpp

import (
	"strconv"
	"strings"
	"time"

	"tidings/delivery/xmpp/stream"
)

// Namespaces of requests.
const (
	nsInfo     = "http://jabber.org/protocol/disco#info"
	nsItems    = "http://jabber.org/protocol/disco#items"
	nsCommands = "http://jabber.org/protocol/commands"
	nsPing     = "urn:xmpp:ping"
	nsVersion  = "jabber:iq:version"
	nsLast     = "jabber:iq:last"
	nsTime     = "urn:xmpp:time"
	nsVCard    = "vcard-temp"
	nsRoster   = "jabber:iq:roster"
	nsForm     = "jabber:x:data"
)

// features are what the bot says that it understands.
var features = []string{nsInfo, nsItems, nsCommands, nsPing, nsVersion, nsLast, nsTime, nsVCard, nsForm, nsReceipts,
	nsStyling, nsIDs}

// ownRequest answers what the server itself sends to the account: changes of its roster (RFC 6121, section 2.1.6), of
// which nothing is kept, and questions.
func (b *Bot) ownRequest(e *stream.Element) {
	switch kind := e.Get("type"); {
	case e.Local != "iq" || kind != "get" && kind != "set":
	case kind == "set" && b.domain == "" && (e.Child(nsRoster, "query") != nil || e.Large):
		b.write(stream.New("", "iq", "type", "result", "id", e.Get("id"), "to", e.Get("from")))
	default:
		b.onRequest(e, "")
	}
}

// onRequest answers an IQ of type get or set, each of which has an answer (RFC 6120, section 8.2.3).
func (b *Bot) onRequest(e *stream.Element, from string) {
	kind := e.Get("type")
	if kind != "get" && kind != "set" {
		return
	}
	if !b.meant(e) {
		b.refuse(e, "cancel", "item-not-found")
		return
	}
	if len(e.Children) != 1 {
		b.refuse(e, "modify", "bad-request")
		return
	}
	asked := e.Children[0]
	if kind == "set" {
		if asked.Space == nsCommands && asked.Local == "command" && strings.Contains(from, "@") {
			b.onCommand(e, from, asked)
			return
		}
		b.refuse(e, "cancel", "service-unavailable")
		return
	}
	var answer *stream.Element
	switch asked.Space {
	case nsInfo:
		answer = b.info(e, asked.Get("node"))
	case nsItems:
		answer = b.items(e, asked.Get("node"))
	case nsPing:
		b.result(e)
		return
	case nsVersion:
		answer = stream.New(nsVersion, "query").With(stream.New(nsVersion, "name").Says("Tidings"),
			stream.New(nsVersion, "version").Says(b.c.Version))
	case nsLast:
		answer = stream.New(nsLast, "query", "seconds", strconv.Itoa(int(time.Since(b.begun).Seconds())))
	case nsTime:
		answer = stream.New(nsTime, "time").With(stream.New(nsTime, "tzo").Says("+00:00"),
			stream.New(nsTime, "utc").Says(time.Now().UTC().Format(time.RFC3339)))
	case nsVCard:
		answer = stream.New(nsVCard, "vCard").With(stream.New(nsVCard, "FN").Says("Tidings"),
			stream.New(nsVCard, "NICKNAME").Says("Tidings"),
			stream.New(nsVCard, "DESC").Says("Subscribes to feeds and pages for you. Write help."))
	}
	if answer == nil {
		b.refuse(e, "cancel", "service-unavailable")
		return
	}
	b.result(e, answer)
}

// result answers an IQ.
func (b *Bot) result(e *stream.Element, content ...*stream.Element) {
	answer := stream.New("", "iq", "type", "result", "to", e.Get("from"), "id", e.Get("id")).With(content...)
	if b.domain != "" {
		answer.Attributes["from"] = e.Get("to")
	}
	b.write(answer)
}

// ofDomain reports whether a stanza is for the component itself, at which the bot lives.
func (b *Bot) ofDomain(e *stream.Element) bool {
	return b.domain != "" && bareOf(e.Get("to")) == b.domain
}

// info says what there is at an address, or at a node of it; nil if there is no such node (XEP-0030, section 3).
func (b *Bot) info(e *stream.Element, node string) *stream.Element {
	answer := stream.New(nsInfo, "query", "node", node)
	identity := func(category, kind, name string) *stream.Element {
		return stream.New(nsInfo, "identity", "category", category, "type", kind, "name", name)
	}
	feature := func(names ...string) {
		for _, name := range names {
			answer.With(stream.New(nsInfo, "feature", "var", name))
		}
	}
	switch {
	case node == "" && b.ofDomain(e):
		answer.With(identity("headline", "rss", "Tidings"))
	case node == "":
		answer.With(identity("client", "bot", "Tidings"))
	case node == nsCommands:
		answer.With(identity("automation", "command-list", "Commands"))
		return answer
	default:
		f := formOf(node)
		if f == nil {
			return nil
		}
		answer.With(identity("automation", "command-node", f.title))
		feature(nsCommands, nsForm)
		return answer
	}
	feature(features...)
	if b.c.Contact != "" { // XEP-0157
		answer.With(stream.New(nsForm, "x", "type", "result").With(
			field("FORM_TYPE", "hidden", "", "http://jabber.org/network/serverinfo"),
			field("support-addresses", "list-multi", "", b.c.Contact)))
	}
	return answer
}

// items lists what there is below an address, or a node of it; nil if there is no such node (XEP-0030, section 4).
func (b *Bot) items(e *stream.Element, node string) *stream.Element {
	answer := stream.New(nsItems, "query", "node", node)
	switch {
	case node == nsCommands:
		for _, f := range forms {
			answer.With(stream.New(nsItems, "item", "jid", bareOf(e.Get("to")), "node", f.node, "name", f.title))
		}
	case node != "":
		return nil
	case b.ofDomain(e):
		answer.With(stream.New(nsItems, "item", "jid", b.self, "name", "Tidings"))
	}
	return answer
}
