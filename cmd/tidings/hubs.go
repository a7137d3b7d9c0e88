package main

import (
	"tidings"
	"tidings/cmd/console"
)

// hubState is the state of a subscription at a channel's hub as a table shows it.
func hubState(out *console.Console, p *tidings.HubPush) console.Cell {
	if p == nil {
		return console.Cell{}
	}
	switch p.State {
	case tidings.HubGood:
		return console.Cell{Text: "hub, " + out.Relative(p.LastPush), Style: console.Green}
	case tidings.HubActive:
		return console.Cell{Text: "hub, not proved yet", Style: console.Blue}
	case tidings.HubWanted, tidings.HubAsked:
		return console.Cell{Text: "hub asked", Style: console.Blue}
	case tidings.HubDenied:
		return console.Cell{Text: "hub denies", Style: console.Dim}
	}
	return console.Cell{Text: "hub " + console.Neutral(string(p.State)), Style: console.Yellow}
}

// hubWords says how a channel's hub announces what is new.
func hubWords(out *console.Console, p *tidings.HubPush) string {
	if p == nil {
		return ""
	}
	hub := "its hub " + console.Neutral(p.Hub)
	tally := " (" + console.Of(p.Pushes, "announcement") + ", " + console.Count(p.Brought) + " with something new, " +
		console.Count(p.Missed) + " missed)"
	problem := ""
	if p.Problem != "" {
		problem = ": " + console.Neutral(p.Problem)
	}
	switch p.State {
	case tidings.HubGood:
		return "announced by " + hub + ", last " + out.Relative(p.LastPush) + tally
	case tidings.HubActive:
		return "subscribed at " + hub + ", which has announced nothing new so far" + tally + "; checked as before"
	case tidings.HubWanted, tidings.HubAsked:
		return hub + " was asked for a subscription, and has not confirmed it; checked as before"
	case tidings.HubUnreliable:
		return hub + " did not announce what checks have found" + tally + "; checked as before"
	case tidings.HubDenied:
		return hub + " wants no subscription" + problem + "; checked as before"
	}
	return "no subscription at " + hub + problem + "; checked as before, and it is asked again"
}

// hubStatusWords says what the node's own hub does; empty: it has none.
func hubStatusWords(s tidings.HubStatus) string {
	if s.Mode == "" {
		return ""
	}
	words := s.Mode + " at " + s.URL + ", " +
		console.Of(s.Subscriptions, "subscription") + " to " + console.Of(s.Topics, "topic")
	if s.Failing > 0 {
		words += ", " + console.Count(s.Failing) + " of them failing"
	}
	if s.Suspended > 0 {
		words += ", " + console.Count(s.Suspended) + " gone"
	}
	return words
}
