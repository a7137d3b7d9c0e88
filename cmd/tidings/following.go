package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tidings"
	"tidings/cmd/console"
)

// pageFlags say how a page is read.
type pageFlags struct {
	Select []string `help:"Of a page, watch only what this CSS selector finds; may be repeated." placeholder:"CSS" sep:"none"`
	Ignore []string `help:"Of a page, ignore what this CSS selector finds, or lines that this regular expression matches; may be repeated." placeholder:"CSS|REGEX" sep:"none"`
	Keep   []string `help:"Of a page, watch this even where it is ignored by default; may be repeated." placeholder:"CSS|REGEX" sep:"none"`
	Page   bool     `help:"Watch the page itself even if it offers feeds."`
}

func (f pageFlags) order(url address) tidings.SubscribeRequest {
	return tidings.SubscribeRequest{
		URL:     string(url),
		Options: tidings.PageOptions{Select: f.Select, Ignore: f.Ignore, Keep: f.Keep},
		AsPage:  f.Page,
	}
}

type subscribeCmd struct {
	URL       address `arg:"" optional:"" help:"Address of a feed, of a page that offers one, or of any page; or zone:/eu/de, for what nodes send to that zone: the node has to be in it."`
	Query     string  `help:"In the place of an address: follow the items of all public channels that fulfil this condition; see tidings query." placeholder:"CONDITION"`
	pageFlags `embed:""`
	Name      string `help:"A name of your own for the channel."`
	Folder    string `help:"Folder to put it into; nested ones with / between, and a slash within a name as %2F." placeholder:"PATH"`
	Privacy   string `help:"public, unlisted or credentialed; only a public channel may be named to other nodes. By default as the address suggests." enum:",public,unlisted,credentialed" default:"" placeholder:"CLASS"`
}

func (c *subscribeCmd) Run(p *program) error {
	if err := oneOf(c.URL, c.Query); err != nil {
		return err
	}
	if c.Query != "" {
		return c.follow(p)
	}
	order := c.order(c.URL)
	order.Name, order.Folder, order.Privacy = c.Name, c.Folder, tidings.Privacy(c.Privacy)
	choices, err := c.choices(p, order)
	if err != nil {
		return err
	}
	f, err := p.client.Subscribe(p.ctx, order)
	if err != nil {
		return err
	}
	p.out.Printf("Following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())), console.Neutral(f.URL))
	if f.Kind == tidings.KindZone {
		p.out.Printf("  zone; items come as nodes send them\n")
	} else {
		p.out.Printf("  %s, %s; next check %s\n", kindWord(f.Kind), f.Privacy, nextPoll(p.out, f.Last))
	}
	if f.FolderBefore != nil {
		p.out.Printf("  moved from %s to %s\n", inFolder(*f.FolderBefore), inFolder(f.Folder))
	}
	printOthers(p.out, choices, f.URL)
	return nil
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
	others := slices.DeleteFunc(slices.Clone(choices), func(choice tidings.Choice) bool { return choice.URL == followed })
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
	p.out.Printf("No longer following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())), console.Neutral(addressText(f.URL)))
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
	if s, err := p.client.Status(p.ctx); err == nil { // the channels are told whether or not
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
func printNodeProblems(out *console.Console, problems []tidings.Problem) {
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

// why tells why a poll ended as it did, and why the next is when it is.
func why(l tidings.Poll) string {
	if l.Error == "" {
		return console.Neutral(l.NextWhy)
	}
	return console.Neutral(l.Error + "; " + l.NextWhy)
}

// whyPushed is why, after how the channel is pushed.
func whyPushed(out *console.Console, f tidings.Subscription) string {
	if f.Push == nil {
		return why(f.Last)
	}
	return strings.Join(nonEmpty(pushWords(out, *f.Push), why(f.Last)), "; ")
}

var listColumns = []console.Column{
	{Title: "CHANNEL", Least: 16},
	{Title: "FOLDER", Least: 8, Spare: true},
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
			{Text: string(f.Health), Style: healthStyle(f.Health)},
			{Text: strconv.Itoa(f.Unread)},
			{Text: out.Relative(f.LastChange)},
			{Text: nextPollOf(out, f)},
			pushState(out, f.Push),
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
	if !f.Kind.HasOrigin() {
		return "as found"
	}
	return nextPoll(out, f.Last)
}

// nextPoll tells when the origin is asked again.
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
