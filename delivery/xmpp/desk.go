package xmpp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidings"
)

// desk does what commands ask for. Its methods may be called by many goroutines at once, one at a time for an address.
type desk struct {
	directory Directory
	limits    Limits
	newcomers *gate // new addresses, by domain
}

const helpText = `Subscribe to feeds and pages, and get what is new here.

subscribe URL: a feed, or a page that has one
unsubscribe URL, or its number in the list
list: your channels
latest URL: the latest items of one
pause 8h, pause 2d, resume: no messages for a while
digest daily, digest 7:30, digest off: one message a day
quiet 22:00-7:00, quiet off: none at night
zone Europe/Berlin: your time zone
forget me: end all, and keep nothing
help: this`

// do does what a command of an address asks for, and returns the answer.
func (d *desk) do(ctx context.Context, address string, c command) (string, error) {
	switch c.verb {
	case help:
		return helpText, nil
	case subscribe:
		return d.subscribe(ctx, address, c.url)
	}
	account, err := d.directory.Find(ctx, address)
	if errors.Is(err, tidings.ErrNotFound) {
		return "You have no subscriptions yet. Write subscribe and the URL of a feed or a page.", nil
	}
	if err != nil {
		return "", err
	}
	if err := d.directory.Resume(ctx, account); err != nil {
		return "", err
	}
	switch c.verb {
	case unsubscribe:
		return d.unsubscribe(ctx, account, c)
	case list:
		return d.list(ctx, account)
	case latest:
		return d.latest(ctx, account, c)
	case forget:
		if err := d.directory.Forget(ctx, account); err != nil {
			return "", err
		}
		return "All of your subscriptions have ended, and nothing is kept of you.", nil
	}
	return d.reschedule(ctx, account, c)
}

// explain returns the reason for a failure, for the sender of the command.
func (d *desk) explain(err error) string {
	switch {
	case errors.Is(err, tidings.ErrInvalid):
		text := tidings.Reason(err)
		if hint := tidings.HintOf(err); hint != "" {
			text += ": " + hint
		}
		return strings.ToUpper(text[:1]) + text[1:] + "."
	case errors.Is(err, tidings.ErrNotFollowed):
		return "You do not follow that. Write list for what you follow."
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "That took too long. Try again in a while."
	}
	return "Something is wrong at this node, and that was not done. Try again in a while."
}

func (d *desk) subscribe(ctx context.Context, address, url string) (string, error) {
	account, err := d.directory.Find(ctx, address)
	known := err == nil
	switch domain := domainOf(address); {
	case known:
		err = d.directory.Resume(ctx, account)
	case errors.Is(err, tidings.ErrNotFound) && d.newcomers.open(domain, time.Now()):
		err = nil
	case errors.Is(err, tidings.ErrNotFound):
		return "Too many new addresses subscribe here at the moment. Try again in an hour.", nil
	}
	if err != nil {
		return "", err
	}
	s, err := d.directory.Subscribe(ctx, address, url, d.limits.Subscriptions)
	if err != nil {
		return "", err
	}
	if !known {
		d.newcomers.pass(domainOf(address), time.Now())
	}
	return "You follow " + s.URL +
		" now. What is new there comes here, from the next change on. To end that: unsubscribe " + s.URL, nil
}

// named returns the URL that a command means.
func (d *desk) named(ctx context.Context, account tidings.AccountID, c command) (string, error) {
	if c.number == 0 {
		return c.url, nil
	}
	all, err := d.directory.Channels(ctx, account)
	if err != nil {
		return "", err
	}
	if c.number > len(all) {
		return "", tidings.Invalidf("your list has no channel %d", c.number)
	}
	return all[c.number-1].URL, nil
}

func (d *desk) unsubscribe(ctx context.Context, account tidings.AccountID, c command) (string, error) {
	url, err := d.named(ctx, account, c)
	if err != nil {
		return "", err
	}
	if err := d.directory.Unsubscribe(ctx, account, url); err != nil {
		return "", err
	}
	return "You do not follow " + url + " any more.", nil
}

func (d *desk) list(ctx context.Context, account tidings.AccountID) (string, error) {
	all, err := d.directory.Channels(ctx, account)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "You follow nothing. Write subscribe and the URL of a feed or a page.", nil
	}
	s, err := d.directory.Schedule(ctx, account)
	if err != nil {
		return "", err
	}
	lines := make([]string, 0, len(all)+1)
	size := 0
	for i, f := range all {
		line := fmt.Sprintf("%d. %s", i+1, cut(oneLine(f.Label()), 120))
		if f.URL != f.Label() {
			line += "\n    " + f.URL
		}
		if f.Health == tidings.HealthFailing || f.Health == tidings.HealthEnded {
			line += "\n    cannot be read at present"
		}
		if size += len(line) + 1; size > MaxBody-300 {
			lines = append(lines, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		lines = append(lines, line)
	}
	if text := describe(s, time.Now()); text != "" {
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), nil
}

func (d *desk) latest(ctx context.Context, account tidings.AccountID, c command) (string, error) {
	url, err := d.named(ctx, account, c)
	if err != nil {
		return "", err
	}
	entries, err := d.directory.Latest(ctx, account, url, c.count)
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "Nothing has been found there yet. It may take a few minutes after the subscription.", nil
	}
	var lines []string
	size := 0
	for _, e := range entries {
		title := cut(oneLine(e.Content.Title), 250)
		if title == "" {
			title = cut(oneLine(e.Label), 250)
		}
		if e.Content.URL != "" {
			title += "\n" + e.Content.URL
		}
		if size += len(title) + 1; size > MaxBody-100 {
			break
		}
		lines = append(lines, title)
	}
	return strings.Join(lines, "\n"), nil
}

func (d *desk) reschedule(ctx context.Context, account tidings.AccountID, c command) (string, error) {
	s, err := d.directory.Schedule(ctx, account)
	if err != nil {
		return "", err
	}
	now := time.Now()
	if c.zone != "" {
		s.Zone = c.zone
	}
	switch c.verb {
	case pause:
		s.Paused = now.Add(withoutEnd)
		if c.pause != 0 {
			s.Paused = now.Add(c.pause)
		}
	case resume:
		s.Paused = time.Time{}
	case digest:
		s.Digest = c.at
	case quiet:
		s.Quiet = c.hours
	}
	if err := d.directory.Reschedule(ctx, account, s); err != nil {
		return "", err
	}
	if text := describe(s, now); text != "" {
		return text, nil
	}
	return "Everything that is new comes at once.", nil
}

// describe says when messages come; "" if that is at once.
func describe(s tidings.Schedule, now time.Time) string {
	where, err := time.LoadLocation(s.Zone)
	if err != nil {
		where = time.UTC
	}
	name := s.Zone
	if name == "" {
		name = "UTC"
	}
	var all []string
	switch {
	case s.Paused.After(now.Add(maxPause)):
		all = append(all, "Nothing comes until you write resume.")
	case s.Paused.After(now):
		all = append(all, "Nothing comes until "+s.Paused.In(where).Format("2 January, 15:04")+" ("+name+").")
	}
	if s.Digest != nil {
		all = append(all, "What is new comes once a day, at "+s.Digest.String()+" ("+name+").")
	}
	if s.Quiet != nil {
		all = append(all, "It is quiet from "+s.Quiet.From.String()+" to "+s.Quiet.To.String()+" ("+name+").")
	}
	return strings.Join(all, " ")
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
