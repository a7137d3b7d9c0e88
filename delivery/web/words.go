package web

import (
	"strings"

	"tidings"
)

// word is a state in words, with the class that colours its dot.
type word struct {
	Text  string
	Class string // "good", "wait", "bad", "idle"
	More  string // a sentence
}

func healthText(h tidings.Health) word {
	switch h {
	case tidings.HealthGood:
		return word{"Good", "good", "The latest check read it."}
	case tidings.HealthFailing:
		return word{"Failing", "bad", "The latest checks did not read it; it is checked less often until one does."}
	case tidings.HealthLimited:
		return word{"Asked to wait", "wait", "The site asked for patience, and gets it."}
	case tidings.HealthChallenged:
		return word{"Blocked", "bad", "The site wants to see a person or a browser before it answers."}
	case tidings.HealthNoisy:
		return word{"Noisy", "wait", "It differs at every check. Ignoring the part that changes helps."}
	case tidings.HealthEnded:
		return word{"Ended", "idle", "Its site says that it is gone for good. It is not checked any more."}
	default:
		return word{"New", "idle", "It was not checked so far."}
	}
}

func outcomeText(o tidings.Outcome) string {
	switch o {
	case tidings.OutcomeNone:
		return "not checked so far"
	case tidings.OutcomeChanged:
		return "found something new"
	case tidings.OutcomeUnchanged:
		return "nothing new"
	case tidings.OutcomeNotModified:
		return "nothing new (the site said so)"
	case tidings.OutcomeLimited:
		return "asked to wait"
	case tidings.OutcomeChallenged:
		return "blocked by a check for people"
	case tidings.OutcomeMissing:
		return "not there (404)"
	case tidings.OutcomeGone:
		return "gone for good (410)"
	case tidings.OutcomeRefused:
		return "not allowed by this node's rules"
	case tidings.OutcomeUnreadable:
		return "could not be read"
	default:
		return "did not answer properly"
	}
}

func privacyText(p tidings.Privacy) word {
	switch p {
	case tidings.Unlisted:
		return word{"Unlisted", "idle", "Watched by this node alone: the address looks like one that only you know."}
	case tidings.Credentialed:
		return word{"With password", "idle", "Watched by this node alone, with the name and password that you gave."}
	default:
		return word{"Public", "idle", "Anybody can read it, so other nodes may be told that somebody follows it."}
	}
}

func kindText(k tidings.Kind) string {
	switch k {
	case tidings.KindFeed:
		return "Feed"
	case tidings.KindPage:
		return "Page"
	case tidings.KindQuery:
		return "Query"
	case tidings.KindZone:
		return "Zone"
	default:
		return "Not read yet"
	}
}

// fallback returns the first of texts that is not blank.
func fallback(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
