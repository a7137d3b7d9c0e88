package xmpp

import (
	"context"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/xmpp/stream"
)

// form is a command with a form for what it needs (XEP-0050, XEP-0004). Each has one stage: it is asked for without
// anything, and then with what was filled in. So nothing is kept between the two.
type form struct {
	node, title string
	verb        verb
	fields      []formField
}

type formField struct {
	name, kind, label string
	options           []string // of list-single
	value             string   // that is filled in at first
}

var forms = []form{
	{"subscribe", "Subscribe to a feed or page", subscribe,
		[]formField{{name: "url", kind: "text-single", label: "URL"}}},
	{"unsubscribe", "End a subscription", unsubscribe,
		[]formField{{name: "url", kind: "list-single", label: "Channel"}}},
	{"list", "List your subscriptions", list, nil},
	{"latest", "Show the latest items of a channel", latest,
		[]formField{{name: "url", kind: "list-single", label: "Channel"}}},
	{"pause", "Pause messages", pause,
		[]formField{{name: "for", kind: "list-single", label: "For", options: []string{"1h", "8h", "1d", "1w"},
			value: "8h"}}},
	{"resume", "Resume messages", resume, nil},
	{"digest", "One message a day", digest,
		[]formField{{name: "at", kind: "text-single", label: "At, or off", value: "08:00"},
			{name: "zone", kind: "text-single", label: "Time zone", value: "UTC"}}},
	{"help", "Help", help, nil},
}

// formOf returns the form of a node; nil if there is none.
func formOf(node string) *form {
	i := slices.IndexFunc(forms, func(f form) bool { return f.node == node })
	if i < 0 {
		return nil
	}
	return &forms[i]
}

// onCommand queues a command of a client.
func (b *Bot) onCommand(e *stream.Element, from string, asked *stream.Element) {
	f := formOf(asked.Get("node"))
	switch {
	case !b.allowed(domainOf(from)):
		b.refuse(e, "cancel", "not-allowed")
		return
	case f == nil:
		b.refuse(e, "cancel", "item-not-found")
		return
	}
	if asked.Get("action") == "cancel" {
		b.result(e, completed(asked, "canceled", ""))
		return
	}
	if ok, _ := b.admits(from); !ok {
		b.refuse(e, "wait", "policy-violation")
		return
	}
	if !b.enqueue(request{from: e.Get("from"), bare: from, to: e.Get("to"), iq: e, form: f}) {
		b.refuse(e, "wait", "resource-constraint")
	}
}

// complete does what a client's command asks for, or sends its form.
func (b *Bot) complete(ctx context.Context, r request) {
	asked := r.iq.Child(nsCommands, "command")
	filled := asked.Child(nsForm, "x")
	if filled == nil && len(r.form.fields) > 0 {
		x, err := b.blank(ctx, r)
		if err != nil {
			b.result(r.iq, completed(asked, "completed", b.desk.explain(err)))
			return
		}
		b.result(r.iq, stream.New(nsCommands, "command", "node", r.form.node, "sessionid", sessionOf(asked), "status",
			"executing").With(
			stream.New(nsCommands, "actions", "execute", "complete").With(stream.New(nsCommands, "complete")), x))
		return
	}
	values := []string{string(r.form.verb)}
	for _, f := range r.form.fields {
		if value := valueOf(filled, f.name); value != "" {
			values = append(values, value)
		}
	}
	c, err := parse(strings.Join(values, " "))
	text := ""
	if err == nil {
		text, err = b.do(ctx, r.bare, c)
	}
	if err != nil {
		text = b.desk.explain(err)
	}
	b.result(r.iq, completed(asked, "completed", text))
}

// blank returns the form of a command, to be filled in.
func (b *Bot) blank(ctx context.Context, r request) (*stream.Element, error) {
	x := stream.New(nsForm, "x", "type", "form").With(stream.New(nsForm, "title").Says(r.form.title))
	for _, f := range r.form.fields {
		e := field(f.name, f.kind, f.label, f.value)
		options := f.options
		if f.kind == "list-single" && options == nil {
			all, err := b.desk.channels(ctx, r.bare)
			if err != nil {
				return nil, err
			}
			for _, s := range all {
				e.With(option(cut(oneLine(s.Label()), 120), s.URL))
			}
		}
		for _, o := range options {
			e.With(option(o, o))
		}
		x.With(e)
	}
	return x, nil
}

// channels are what an address follows, at most as many as fit into a form.
func (d *desk) channels(ctx context.Context, address string) ([]tidings.Subscription, error) {
	account, err := d.directory.Find(ctx, address)
	if err != nil {
		return nil, tidings.Invalidf("you have no subscriptions yet")
	}
	all, err := d.directory.Channels(ctx, account)
	if err == nil && len(all) == 0 {
		return nil, tidings.Invalidf("you follow nothing")
	}
	return all[:min(len(all), d.limits.Subscriptions)], err
}

func option(label, value string) *stream.Element {
	return stream.New(nsForm, "option", "label", label).With(stream.New(nsForm, "value").Says(value))
}

func field(name, kind, label, value string) *stream.Element {
	e := stream.New(nsForm, "field", "var", name, "type", kind, "label", label)
	if value != "" {
		e.With(stream.New(nsForm, "value").Says(value))
	}
	return e
}

// valueOf returns what was filled into a field, in one line.
func valueOf(x *stream.Element, name string) string {
	if x == nil {
		return ""
	}
	for _, f := range x.Children {
		if f.Local == "field" && f.Get("var") == name {
			if v := f.Child(nsForm, "value"); v != nil {
				return oneLine(v.Text)
			}
		}
	}
	return ""
}

// completed is the end of a command, with a note for people.
func completed(asked *stream.Element, status, text string) *stream.Element {
	e := stream.New(nsCommands, "command", "node", asked.Get("node"), "sessionid", sessionOf(asked), "status", status)
	if text != "" {
		e.With(stream.New(nsCommands, "note", "type", "info").Says(text))
	}
	return e
}

// sessionOf returns the session of a command: the one that the client goes on with, or a new one.
func sessionOf(asked *stream.Element) string {
	if id := asked.Get("sessionid"); id != "" && len(id) <= 100 {
		return id
	}
	return newID()
}
