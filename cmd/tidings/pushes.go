package main

import (
	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

// shortFingerprint is as much of a key's fingerprint as people need to distinguish keys. A person that decides about a
// key is shown all of it.
func shortFingerprint(fingerprint string) string { return shortID(fingerprint) + "…" }

// pushState is the state of pushes as a table shows it.
func pushState(out *console.Console, p *tidings.Push) console.Cell {
	if p == nil {
		return console.Cell{}
	}
	switch p.State {
	case tidings.PushGood:
		return console.Cell{Text: "heard " + out.Relative(p.Heard), Style: console.Green}
	case tidings.PushJoining:
		return console.Cell{Text: "not heard yet", Style: console.Blue}
	case tidings.PushAlarm:
		return console.Cell{Text: "ALARM: another key", Style: console.Red}
	case tidings.PushRevoked:
		return console.Cell{Text: "ALARM: key is void", Style: console.Red}
	case tidings.PushDoubled:
		return console.Cell{Text: "ALARM: key used twice", Style: console.Red}
	case tidings.PushDistrusted:
		return console.Cell{Text: "not taken", Style: console.Dim}
	case tidings.PushUnprotected:
		return console.Cell{Text: "not believed", Style: console.Dim}
	}
	return console.Cell{Text: console.Neutral(string(p.State)), Style: console.Yellow}
}

// pushStyle colours the words about pushes.
func pushStyle(p *tidings.Push) console.Style {
	switch {
	case p.State.Alarming():
		return console.Red
	case p.State == tidings.PushOverdue, p.State == tidings.PushUnreliable:
		return console.Yellow
	}
	return console.Dim
}

// pushWords says how a channel is pushed.
func pushWords(out *console.Console, p tidings.Push) string {
	if p.ThirdParty {
		return thirdPartyWords(out, p)
	}
	key := "key " + shortFingerprint(p.Fingerprint)
	if p.Replaced != "" {
		key += ", which the feed has come to name (so the third party's key that you trusted, " +
			shortFingerprint(p.Replaced) + ", is not used any more)"
	}
	pushed := "pushed by its publisher, " + key + ", last heard " + out.Relative(p.Heard)
	switch p.State {
	case tidings.PushGood:
		return pushed
	case tidings.PushJoining:
		return "to be pushed by its publisher, " + key + ", which was not heard of yet; checked as before"
	case tidings.PushOverdue:
		return pushed + ", silent for longer than the " + console.Span(p.MaxSilence) +
			" that it promised; checked as before"
	case tidings.PushEnded:
		return pushed + ", promises nothing any more; checked as before, and what it pushes is taken still"
	case tidings.PushUnreliable:
		return pushed + ", but checks have found " + console.Of(p.Missed, "item") +
			" that it should have pushed; checked as before, and what it pushes is taken still"
	case tidings.PushAlarm:
		return "the feed now names another key, " + shortFingerprint(p.Offered) + "; the trusted one, " +
			shortFingerprint(p.Fingerprint) +
			", has not signed it; checked as before"
	case tidings.PushRevoked:
		return "its publisher's key " + shortFingerprint(p.Fingerprint) +
			" was declared void, so no pushes are taken; checked as before"
	case tidings.PushDoubled:
		return "its publisher has signed two different items for one number with " + key +
			", so pushes are not relied on; checked as before"
	case tidings.PushDistrusted:
		return "pushes of its publisher, " + key + ", are not taken, as you wish; checked as before"
	case tidings.PushUnprotected:
		return "announces pushes, but over an unprotected connection: not believed; checked as before"
	}
	return console.Neutral(string(p.State)) + ", " + key
}

// thirdPartyWords says how a channel is pushed by a third party.
func thirdPartyWords(out *console.Console, p tidings.Push) string {
	key := "key " + shortFingerprint(p.Fingerprint) + " of a third party: the feed does not name it"
	if p.Offered != "" {
		key += ", but " + shortFingerprint(p.Offered)
	}
	how := "pushed with the " + key + "; "
	switch p.State {
	case tidings.PushJoining:
		how = "to be pushed with the " + key + "; not heard of yet"
	case tidings.PushOverdue:
		how += "silent since " + out.Relative(p.Heard)
	case tidings.PushRevoked:
		how = "the " + key + "; it was declared void, so no pushes are taken"
	case tidings.PushDoubled:
		how += "two different items were signed for one number, so somebody else may have it"
	case tidings.PushDistrusted:
		how = "the " + key + "; its pushes are not taken, as you wish"
	default:
		how += "last heard " + out.Relative(p.Heard)
	}
	return how + "; checked as before"
}

// pushAdvice is what a person can do about it.
func pushAdvice(f tidings.Subscription) (all []string) {
	p, url := f.Push, console.Neutral(f.URL)
	trust := func(fingerprint string) string { return "tidings trust " + url + " " + console.Neutral(fingerprint) }
	if p.Replaced != "" {
		all = append(all, trust(p.Fingerprint)+" to be told of that no more", trust(p.Replaced)+
			" --third-party to take the third party's pushes instead")
	}
	if p.Offered != "" {
		all = append(all, trust(p.Offered)+" to take the key that the feed names now")
	}
	if p.Offered != "" && !p.ThirdParty {
		// the trusted key is not to be had before that is decided
	} else if p.State == tidings.PushDistrusted {
		all = append(all, trust(p.Fingerprint)+" to take its pushes again")
	} else if p.State == tidings.PushDoubled {
		all = append(all, trust(p.Fingerprint)+
			" to rely on it again: only if its publisher can say how that came, for somebody else may have the key")
	}
	if p.State.Alarming() {
		all = append(all, "tidings distrust "+url+" to take no pushes")
	}
	return all
}

// printPushNotes prints how channels are pushed that a person should know about: those with an alarm, or another key
// than before. Where the table has no room for it, it prints all.
func printPushNotes(out *console.Console, all []tidings.Subscription, complete bool) {
	for _, f := range all {
		if f.Push == nil || complete && !f.Push.State.Alarming() && f.Push.Replaced == "" {
			continue
		}
		out.Printf("\n%s\n", out.Paint(console.Bold, console.Neutral(f.Label())))
		printPush(out, f)
	}
}

// printPush prints how a channel is pushed, and what to do about it.
func printPush(out *console.Console, f tidings.Subscription) {
	for _, line := range console.Wrap(pushWords(out, *f.Push), min(max(out.Width-2, 0), 100)) {
		out.Printf("  %s\n", out.Paint(pushStyle(f.Push), line))
	}
	p := f.Push
	for _, key := range []struct{ what, fingerprint string }{{"trusted ", p.Fingerprint}, {"named   ", p.Offered},
		{"replaced", p.Replaced}} {
		if key.fingerprint != "" && (p.Offered != "" || p.Replaced != "" || p.ThirdParty) {
			out.Printf("    %s %s\n", key.what, console.Neutral(key.fingerprint))
		}
	}
	for _, advice := range pushAdvice(f) { // whole, so that they can be copied
		out.Printf("    %s\n", advice)
	}
}

// pushingWords counts what publishers push.
func pushingWords(s view.PushCounts) string {
	who := console.Of(s.Channels, "channel") + " with a publisher's key, " + console.Count(s.Good) +
		" of them pushed well; "
	if s.ThirdParties > 0 {
		who += console.Count(s.ThirdParties) + " with a third party's; "
	} else if s.Channels == 0 {
		return "no channel followed here is pushed by its publisher"
	}
	return who + console.Of(s.Pushed, "item") + " pushed, " + console.Count(s.Missed) + " missed, " +
		console.Count(s.Refused) + " refused"
}

// alarmWords counts what a person should decide.
func alarmWords(s view.PushCounts) string {
	if s.Alarms == 1 {
		return "1 publisher's key to decide about; see: tidings list"
	}
	return console.Count(s.Alarms) + " publishers' keys to decide about; see: tidings list"
}
