package web

import (
	"fmt"
	"strings"
	"time"

	"tidings"
)

const (
	maxFact     = 120 // characters of what a news item says of itself in one of its fields
	maxNote     = 500
	maxSubjects = 12 // named; the others are counted
)

// newsFacts tells what a news item says of itself, each fact a phrase in plain words; nil if it is none.
func newsFacts(n *tidings.News, now time.Time) (facts []string) {
	if n == nil {
		return nil
	}
	add := func(format, text string) {
		if text = plain(text, maxFact); text != "" {
			facts = append(facts, fmt.Sprintf(format, text))
		}
	}
	add("From %s", n.Publisher)
	facts = append(facts, urgencyText(n.Urgency))
	switch n.Status {
	case tidings.Canceled:
		facts = append(facts, "canceled")
	case tidings.Withheld:
		facts = append(facts, "withheld")
	}
	add("slugline %s", n.Slugline)
	add("genre %s", n.Genre)
	add("about %s", subjectNames(n.Subjects))
	add("place %s", subjectNames(n.Places))
	facts = append(facts, fmt.Sprintf("version %d", n.Version))
	if !n.Embargo.IsZero() {
		facts = append(facts, "under embargo until "+momentAt(n.Embargo, now).Exact)
	}
	if !n.Expires.IsZero() {
		word := "expires "
		if !now.Before(n.Expires) {
			word = "expired "
		}
		facts = append(facts, word+momentAt(n.Expires, now).Exact)
	}
	return facts
}

// newsNote tells what a new version corrects or updates; "" if nothing is said of it.
func newsNote(n *tidings.News) string {
	if n == nil {
		return ""
	}
	note := plain(n.Note, maxNote)
	switch {
	case n.Signal == tidings.Corrected && note != "":
		return "Correction: " + note
	case n.Signal == tidings.Corrected:
		return "This is a correction of an earlier version."
	case note != "":
		return "Editor’s note: " + note
	}
	return ""
}

// newsTag is what a line says of a news item beside its title; "" if nothing.
func newsTag(n *tidings.News) string {
	switch {
	case n.Withdrawn():
		return "withdrawn"
	case n != nil && n.Signal == tidings.Corrected:
		return "correction"
	}
	return ""
}

func urgencyText(n int) string {
	switch {
	case n <= 1:
		return "most urgent (1 of 9)"
	case n < tidings.DefaultUrgency:
		return fmt.Sprintf("urgent (%d of 9)", n)
	case n == tidings.DefaultUrgency:
		return "of normal urgency"
	}
	return fmt.Sprintf("not urgent (%d of 9)", n)
}

func subjectNames(list []tidings.Subject) string {
	var names []string
	for _, s := range list[:min(len(list), maxSubjects)] {
		names = append(names, fallback(s.Name, s.Code))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
