package web

import (
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/wording"
)

const (
	maxFact     = 120 // characters of what a news item says of itself in one of its fields
	maxNote     = 500
	maxSubjects = 12 // named; the others are counted
)

// newsFacts returns what a news item says of itself, each fact a phrase in plain words; nil if it is none.
func newsFacts(w wording.Words, n *tidings.News, now time.Time) (facts []string) {
	if n == nil {
		return nil
	}
	add := func(format, text string) {
		if text = wording.Plain(text, maxFact); text != "" {
			facts = append(facts, fmt.Sprintf(format, text))
		}
	}
	add(w.Text("From %s"), n.Publisher)
	facts = append(facts, urgencyText(w, n.Urgency))
	switch n.Status {
	case tidings.Canceled:
		facts = append(facts, w.Text("canceled"))
	case tidings.Withheld:
		facts = append(facts, w.Text("withheld"))
	}
	add(w.Text("slugline %s"), n.Slugline)
	add(w.Text("genre %s"), n.Genre)
	add(w.Text("about %s"), subjectNames(w, n.Subjects))
	add(w.Text("place %s"), subjectNames(w, n.Places))
	facts = append(facts, w.Text("version %d", n.Version))
	if !n.Embargo.IsZero() {
		facts = append(facts, w.Text("under embargo until %s", w.MomentAt(n.Embargo, now).Exact))
	}
	if !n.Expires.IsZero() {
		expires := w.MomentAt(n.Expires, now).Exact
		if now.Before(n.Expires) {
			facts = append(facts, w.Text("expires %s", expires))
		} else {
			facts = append(facts, w.Text("expired %s", expires))
		}
	}
	return facts
}

// newsNote says what a new version corrects or updates; "" if the item does not say.
func newsNote(w wording.Words, n *tidings.News) string {
	if n == nil {
		return ""
	}
	note := wording.Plain(n.Note, maxNote)
	switch {
	case n.Signal == tidings.Corrected && note != "":
		return w.Text("Correction: %s", note)
	case n.Signal == tidings.Corrected:
		return w.Text("This is a correction of an earlier version.")
	case note != "":
		return w.Text("Editor’s note: %s", note)
	}
	return ""
}

// newsTag is what a line says of a news item beside its title; "" if nothing.
func newsTag(w wording.Words, n *tidings.News) string {
	switch {
	case n.Withdrawn():
		return w.Text("withdrawn")
	case n != nil && n.Signal == tidings.Corrected:
		return w.Text("correction")
	}
	return ""
}

func urgencyText(w wording.Words, n int) string {
	switch {
	case n <= 1:
		return w.Text("most urgent (1 of 9)")
	case n < tidings.DefaultUrgency:
		return w.Text("urgent (%d of 9)", n)
	case n == tidings.DefaultUrgency:
		return w.Text("of normal urgency")
	}
	return w.Text("not urgent (%d of 9)", n)
}

func subjectNames(w wording.Words, list []tidings.Subject) string {
	var names []string
	for _, s := range list[:min(len(list), maxSubjects)] {
		names = append(names, wording.Fallback(s.Name, s.Code))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, w.Text("%d more", more))
	}
	return strings.Join(names, ", ")
}
