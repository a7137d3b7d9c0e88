package wording

import (
	"strings"

	"tidings"
)

// Word is a state in words, with the class that colours its dot.
type Word struct {
	Text  string
	Class string // "good", "wait", "bad", "idle"
	More  string // a sentence
}

// Good is a state as it should be.
func Good(text, more string) Word { return Word{text, "good", more} }

// Wait is a state that passes by itself.
func Wait(text, more string) Word { return Word{text, "wait", more} }

// Bad is a state that somebody has to see to.
func Bad(text, more string) Word { return Word{text, "bad", more} }

// Idle is a state in which nothing happens, and needs not.
func Idle(text, more string) Word { return Word{text, "idle", more} }

func (w Words) Health(h tidings.Health) Word {
	switch h {
	case tidings.HealthGood:
		return w.Good("Good", "The latest check read it.")
	case tidings.HealthFailing:
		return w.Bad("Failing", "The latest checks did not read it; it is checked less often until one does.")
	case tidings.HealthLimited:
		return w.Wait("Rate-limited", "The site asked for fewer requests. It is checked again when the site allows it.")
	case tidings.HealthChallenged:
		return w.Bad("Blocked", "The site wants to see a person or a browser before it answers.")
	case tidings.HealthNoisy:
		return w.Wait("Noisy", "It differs at every check. Ignoring the part that changes helps.")
	case tidings.HealthEnded:
		return w.Idle("Ended", "Its site says that it is gone for good. It is not checked any more.")
	default:
		return w.Idle("New", "Not checked yet.")
	}
}

func (w Words) Outcome(o tidings.Outcome) string {
	switch o {
	case tidings.OutcomeNone:
		return w.Text("not checked yet")
	case tidings.OutcomeChanged:
		return w.Text("found something new")
	case tidings.OutcomeUnchanged:
		return w.Text("nothing new")
	case tidings.OutcomeNotModified:
		return w.Text("nothing new (the site said so)")
	case tidings.OutcomeLimited:
		return w.Text("rate-limited")
	case tidings.OutcomeChallenged:
		return w.Text("blocked by a check for people")
	case tidings.OutcomeMissing:
		return w.Text("not there (404)")
	case tidings.OutcomeGone:
		return w.Text("gone for good (410)")
	case tidings.OutcomeRefused:
		return w.Text("not allowed by this node's rules")
	case tidings.OutcomeUnreadable:
		return w.Text("could not be read")
	default:
		return w.Text("did not answer properly")
	}
}

func (w Words) Privacy(p tidings.Privacy) Word {
	switch p {
	case tidings.Unlisted:
		return w.Idle("Unlisted", "Watched by this node alone: the address looks like one that only you know.")
	case tidings.Credentialed:
		return w.Idle("With credentials",
			"Watched by this node alone, with what you set for it: a password, headers, cookies or a proxy.")
	default:
		return w.Idle("Public", "Anybody can read it, so other nodes may be told that somebody follows it.")
	}
}

func (w Words) Kind(k tidings.Kind) string {
	switch k {
	case tidings.KindFeed:
		return w.Text("Feed")
	case tidings.KindPage:
		return w.Text("Page")
	case tidings.KindQuery:
		return w.Text("Query")
	case tidings.KindZone:
		return w.Text("Zone")
	case tidings.KindPosted:
		return w.Text("Posted items")
	default:
		return w.Text("Not read yet")
	}
}

// Fallback returns the first of texts that is not blank.
func Fallback(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
