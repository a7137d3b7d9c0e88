package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

// pageFlags say how a page is read.
type pageFlags struct {
	Select []string `help:"Watch only what this finds: a CSS selector or an XPath (from / on) in a page, a JSONPath (from $$ on) in a JSON document; may be repeated." placeholder:"CSS|XPATH|JSONPATH" sep:"none"`
	Ignore []string `help:"Of a page, ignore what this CSS selector finds, or lines that this regular expression matches; may be repeated." placeholder:"CSS|REGEX" sep:"none"`
	Keep   []string `help:"Of a page, watch this even where it is ignored by default; may be repeated." placeholder:"CSS|REGEX" sep:"none"`
	Page   bool     `help:"Watch the page itself even if it offers feeds."`

	Prices   bool     `help:"Of a shop's page, watch the prices and the stock that it states for programs (schema.org); with --select those parts as well."`
	NotifyIf []string `name:"notify-if" help:"Of a page, notify only of changes that meet this condition, such as 'below 20', 'appears in stock' or 'changes 5%'; may be repeated, and one of several is enough. See docs/pages.md." placeholder:"CONDITION" sep:"none"`

	Entries bool `help:"Read a page as a feed of the entries that it marks up by microformats (h-feed), even if it offers feeds."`
}

// accessFlags say what an origin is sent of a channel's own, and by which proxy.
type accessFlags struct {
	Header []string `help:"Send the origin this header, and no other origin; may be repeated. 'NAME:' removes it from a channel that you follow. See docs/feeds.md." placeholder:"NAME: VALUE" sep:"none"`
	Cookie []string `help:"Send the origin this cookie, and no other origin; may be repeated. 'NAME=' removes it from a channel that you follow." placeholder:"NAME=VALUE" sep:"none"`
	Proxy  string   `help:"Fetch the channel by this proxy, http://, https:// or socks5://, with USER:PASSWORD@ if it asks for them; 'none' removes it from a channel that you follow." placeholder:"URL"`
}

func (f accessFlags) change() tidings.AccessChange {
	c := tidings.AccessChange{Headers: f.Header, Cookies: f.Cookie}
	switch f.Proxy {
	case "":
	case "none":
		c.Proxy = new("")
	default:
		c.Proxy = &f.Proxy
	}
	return c
}

func (f pageFlags) order(url address) tidings.SubscribeRequest {
	return tidings.SubscribeRequest{
		URL: string(url),
		Options: tidings.PageOptions{Select: f.Select, Ignore: f.Ignore, Keep: f.Keep, Prices: f.Prices,
			NotifyIf: f.NotifyIf, Entries: f.Entries},
		AsPage: f.Page,
	}
}

type subscribeCmd struct {
	URL         address `arg:"" optional:"" help:"Address of a feed, of a page that offers one, or of any page; or zone:/eu/de, for what nodes send to that zone: the node has to be in it."`
	Query       string  `help:"Instead of an address: follow all items of public channels that match this condition; see tidings query." placeholder:"CONDITION"`
	pageFlags   `embed:""`
	accessFlags `embed:""`
	Name        string   `help:"Your name for the channel."`
	Folder      string   `help:"Folder to put it into; nested ones with / between, and a slash within a name as %2F." placeholder:"PATH"`
	Tag         []string `help:"Give the channel this tag, beside its folder; may be repeated. Of a channel that you follow, too." placeholder:"TAG" sep:","`
	Untag       []string `help:"Of a channel that you follow, remove this tag; may be repeated." placeholder:"TAG" sep:","`
	Edits       *bool    `name:"edits-as-items" negatable:"" help:"Show an edited item to feed readers on phones as a new item. See docs/phones.md."`
	FullText    *bool    `name:"full-text" negatable:"" help:"Read the page of each new item once, and show you the longer text; of channels that you follow, too."`
	Pictures    string   `help:"Whether you are shown the pictures of its items, whatever a browser is set to: always or never." enum:",always,never" default:"" placeholder:"WHEN"`
	Privacy     string   `help:"public, unlisted or credentialed; only a public channel may be named to other nodes. By default as the address suggests." enum:",public,unlisted,credentialed" default:"" placeholder:"CLASS"`
}

func (c *subscribeCmd) Run(p *program) error {
	if err := oneOf(c.URL, c.Query); err != nil {
		return err
	}
	if c.Query != "" {
		return c.follow(p)
	}
	order := c.order(c.URL)
	order.Name, order.Folder, order.Tags, order.EditsAsItems, order.Privacy = c.Name, c.Folder, c.Tag, c.Edits,
		tidings.Privacy(c.Privacy)
	order.FullText, order.Access = c.FullText, c.change()
	if c.Pictures != "" {
		order.Pictures = new(tidings.PicturesWish(c.Pictures))
	}
	choices, err := c.choices(p, order)
	if err != nil {
		return err
	}
	f, err := p.client.Subscribe(p.ctx, order)
	if err == nil {
		f, err = c.untag(p, f)
	}
	if err != nil {
		return err
	}
	p.out.Printf("Following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())), console.Neutral(f.URL))
	if f.Kind == tidings.KindZone {
		p.out.Printf("  zone; items come as nodes send them\n")
	} else {
		p.out.Printf("  %s, %s; next check %s\n", kindWord(f.Kind), f.Privacy, nextPollOf(p.out, f))
	}
	if sent := accessWords(f.Access); sent != "" {
		p.out.Printf("  its origin alone is sent: %s\n", sent)
	}
	if f.Access.Proxy {
		p.out.Printf("  fetched by a proxy\n")
	}
	if f.FolderBefore != nil {
		p.out.Printf("  moved from %s to %s\n", inFolder(*f.FolderBefore), inFolder(f.Folder))
	}
	printTags(p.out, f)
	printOthers(p.out, choices, f.URL)
	return nil
}

// untag removes the tags that the channel is to lose.
func (c *subscribeCmd) untag(p *program, f tidings.Subscription) (tidings.Subscription, error) {
	if len(c.Untag) == 0 {
		return f, nil
	}
	changed, err := p.client.Change(p.ctx, f.URL, tidings.ChannelChange{Tags: &tidings.TagChange{Remove: c.Untag}})
	changed.FolderBefore = f.FolderBefore
	return changed, err
}

// accessWords names what the origin of a channel is sent of its own.
func accessWords(a tidings.AccessNames) string {
	var parts []string
	if a.Password {
		parts = append(parts, "a password")
	}
	for _, name := range a.Headers {
		parts = append(parts, "the header "+console.Neutral(name))
	}
	for _, name := range a.Cookies {
		parts = append(parts, "the cookie "+console.Neutral(name))
	}
	return strings.Join(parts, ", ")
}

func printTags(out *console.Console, f tidings.Subscription) {
	if len(f.Tags) > 0 {
		out.Printf("  tags: %s\n", console.Neutral(tidings.JoinTags(f.Tags)))
	}
}

// inFolder names a folder.
func inFolder(folder string) string {
	if folder == "" {
		return "no folder"
	}
	return "folder " + console.Neutral(tidings.FolderLabel(folder))
}

// choices polls an address that is not followed so far, and returns all feeds that it
// offers. The node keeps what it saw, so that to subscribe then asks nobody again.
func (c *subscribeCmd) choices(p *program, order tidings.SubscribeRequest) ([]tidings.Choice, error) {
	if !tidings.KindOf(order.URL).HasOrigin() {
		return nil, nil
	}
	_, err := p.client.Channel(p.ctx, order.URL)
	if !errors.Is(err, tidings.ErrNotFollowed) {
		return nil, nil // it is followed; what else is wrong the node says when it subscribes
	}
	preview, err := p.client.Preview(p.ctx, order)
	return preview.Choices, err
}

// maxOthers is how many other feeds of a page are named.
const maxOthers = 5

// printOthers names the feeds that a page offers besides the one that is followed.
func printOthers(out *console.Console, choices []tidings.Choice, followed string) {
	others := slices.DeleteFunc(slices.Clone(choices),
		func(choice tidings.Choice) bool { return choice.URL == followed })
	for _, choice := range others[:min(maxOthers, len(others))] {
		text := "also offered: " + strings.TrimSpace(console.Neutral(choice.Title)+" "+console.Neutral(choice.URL))
		out.Printf("  %s\n", out.Paint(console.Dim, text))
	}
	if rest := len(others) - maxOthers; rest > 0 {
		out.Printf("  %s\n", out.Paint(console.Dim, "… and "+console.Of(rest, "more feed")+", see: tidings preview"))
	}
}

type unsubscribeCmd struct {
	queryOr `embed:""`
}

func (c *unsubscribeCmd) Run(p *program) error {
	channel, err := c.channel()
	if err != nil {
		return err
	}
	f, err := p.client.Unsubscribe(p.ctx, channel)
	if err != nil {
		return err
	}
	p.out.Printf("No longer following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())),
		console.Neutral(addressText(f.URL)))
	return nil
}

type listCmd struct {
	JSON bool `name:"json" help:"Print JSON, one channel a line."`
}

func (c *listCmd) Run(p *program) error {
	all, err := p.client.Channels(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if s, err := p.client.Status(p.ctx); err == nil { // the channels are listed whether or not
		printNodeProblems(p.out, s.Problems)
	}
	if len(all) == 0 {
		p.out.Printf("Nothing is followed yet. Begin with: tidings subscribe URL\n")
		return nil
	}
	complete := p.out.Table(listColumns, listRows(p.out, all))
	if !complete {
		printTroubles(p.out, all)
	}
	printPushNotes(p.out, all, complete)
	return nil
}

// printNodeProblems says what is wrong with the node itself.
func printNodeProblems(out *console.Console, problems []view.Problem) {
	for _, problem := range problems {
		out.Printf("%s\n", out.Paint(healthStyle(tidings.HealthFailing), console.Neutral(problem.What)))
		if problem.Hint != "" {
			out.Printf("  %s\n", console.Neutral(problem.Hint))
		}
	}
	if len(problems) > 0 {
		out.Printf("\n")
	}
}

// printTroubles says of every channel that is not well why, where the table has no room for it.
func printTroubles(out *console.Console, all []tidings.Subscription) {
	for _, f := range all {
		if f.Last.Error != "" {
			out.Printf("\n%s\n", out.Paint(healthStyle(f.Health), console.Neutral(f.Label())+": "+string(f.Health)))
			for _, line := range console.Wrap(why(f.Last), max(out.Width-2, 20)) {
				out.Printf("  %s\n", line)
			}
		}
	}
}

// why says why a poll ended as it did, and why the next is when it is.
func why(l tidings.Poll) string {
	if l.Error == "" {
		return console.Neutral(l.NextWhy)
	}
	return console.Neutral(l.Error + "; " + l.NextWhy)
}

// pushedState is how a channel is pushed: by its publisher, else by its hub.
func pushedState(out *console.Console, f tidings.Subscription) console.Cell {
	if f.Push == nil {
		return hubState(out, f.Hub)
	}
	return pushState(out, f.Push)
}

// whyPushed is why, after how the channel is pushed.
func whyPushed(out *console.Console, f tidings.Subscription) string {
	pushed := ""
	if f.Push != nil {
		pushed = pushWords(out, *f.Push)
	}
	return strings.Join(nonEmpty(pushed, hubWords(out, f.Hub), why(f.Last)), "; ")
}

var listColumns = []console.Column{
	{Title: "CHANNEL", Least: 16},
	{Title: "FOLDER", Least: 8, Spare: true},
	{Title: "TAGS", Spare: true},
	{Title: "HEALTH"},
	{Title: "UNREAD", Right: true},
	{Title: "CHANGED"},
	{Title: "NEXT CHECK"},
	{Title: "PUSHED", Spare: true},
	{Title: "NODES", Right: true, Spare: true},
	{Title: "EVERY", Spare: true},
	{Title: "EXPECTED", Spare: true},
	{Title: "MEASURED", Spare: true},
	{Title: "READERS", Right: true, Spare: true},
	{Title: "ADDRESS", Least: 24, Spare: true},
	{Title: "WHY", Least: 16, Spare: true},
}

func listRows(out *console.Console, all []tidings.Subscription) [][]console.Cell {
	rows := make([][]console.Cell, len(all))
	for i, f := range all {
		rows[i] = []console.Cell{
			{Text: console.Neutral(f.Label()), Style: console.Bold},
			{Text: console.Neutral(tidings.FolderLabel(f.Folder))},
			{Text: console.Neutral(tidings.JoinTags(f.Tags))},
			{Text: string(f.Health), Style: healthStyle(f.Health)},
			{Text: strconv.Itoa(f.Unread)},
			{Text: out.Relative(f.LastChange)},
			{Text: nextPollOf(out, f)},
			pushedState(out, f),
			{Text: nodes(f.Polling)},
			{Text: every(f.Polling)},
			{Text: expected(f.Polling)},
			{Text: measured(f.Detected)},
			{Text: readers(f.Polling)},
			{Text: console.Neutral(addressText(f.URL)), Style: console.Dim},
			{Text: whyPushed(out, f), Style: console.Dim},
		}
	}
	return rows
}

func healthStyle(h tidings.Health) console.Style {
	switch h {
	case tidings.HealthGood:
		return console.Green
	case tidings.HealthNew:
		return console.Blue
	case tidings.HealthFailing, tidings.HealthEnded:
		return console.Red
	}
	return console.Yellow
}

// nextPollOf is nextPoll for a channel that may have no origin.
func nextPollOf(out *console.Console, f tidings.Subscription) string {
	if f.Kind == tidings.KindPosted {
		return "as posted"
	}
	if !f.Kind.HasOrigin() {
		return "as found"
	}
	// where several people use the node, it answers before it plans
	if f.Health == tidings.HealthNew && f.Last.Next.IsZero() {
		return "due"
	}
	return nextPoll(out, f.Last)
}

// nextPoll says when the origin is polled again.
func nextPoll(out *console.Console, l tidings.Poll) string {
	if l.Next.IsZero() {
		return "none planned"
	}
	if l.Next.Before(out.Now()) {
		return "due"
	}
	return out.Relative(l.Next)
}

func kindWord(k tidings.Kind) string {
	if k == tidings.KindUnknown {
		return "not read so far"
	}
	return string(k)
}

// printLines prints JSON Lines.
func printLines[T any](out *console.Console, all []T) error {
	for _, v := range all {
		if err := out.JSON(v); err != nil {
			return err
		}
	}
	return nil
}
