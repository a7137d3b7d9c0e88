package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"tidings/network/engine"
)

// letter is a message as others are, with a field of each kind.
type letter struct {
	Number uint64
	Late   bool
	At     int64
	Text   string
	From   engine.Peer
	Pages  [][]byte
	Parts  []part2
	Inner  engine.Message
	Seal   [4]byte
}

type part2 struct{ Weight float64 }

func (*letter) Kind() engine.Kind { return 0 }

func newLetter(text string) *letter {
	return &letter{
		Number: 1, At: 5, Text: text, From: NewPeer("a1"), Pages: [][]byte{[]byte(text)}, Parts: []part2{{1}, {2}},
		Inner: &letter{Text: text}, Seal: [4]byte{1, 2, 3, 4},
	}
}

// failures counts what a test has failed by.
type failures struct {
	testing.TB
	list []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, a ...any) {
	f.list = append(f.list, fmt.Sprintf(format, a...))
}

// CheckProof finds every field that a receiver does not look at, each field that is wrongly said not to be looked at,
// and what is not filled in. The valid message is left as it is.
func TestCheckProof(t *testing.T) {
	fields := []string{
		"Number", "Late", "At", "Text", "From.ID", "From.Address", "Pages", "Parts", "Parts.Weight", "Inner",
		"Inner.Text", "Seal",
	}
	valid := newLetter("one")
	valid.Inner.(*letter).Inner, valid.Inner.(*letter).Pages = &letter{}, [][]byte{{1}}
	text := func(m *letter) string { return fmt.Sprintf("%#v %#v %#v", *m, m.Inner, m.Seal) }
	before := text(valid)
	deaf := map[string]string{"Inner": "too deep for this test"}
	for _, field := range fields {
		// A receiver that looks at everything but this field.
		careless := func(m *letter) bool {
			for _, d := range Damages(valid, newLetter("two")) {
				if d.Field != field && !strings.HasPrefix(d.Field, "Inner.") && text(d.Message) == text(m) &&
					d.Field != "Pages" && d.Field != "Parts" {
					return false
				}
			}
			return true
		}
		f := &failures{TB: t}
		CheckProof(f, valid, newLetter("two"), deaf, careless)
		if found := strings.Join(f.list, "\n"); field != "Inner" && !strings.Contains(found, "though "+field+" is ") &&
			!strings.HasPrefix(field, "Inner") {
			t.Errorf("that %s is not looked at is not found: %q", field, f.list)
		}
	}
	f := &failures{TB: t}
	CheckProof(f, &letter{}, newLetter("two"), map[string]string{"Number": "nobody looks"},
		func(m *letter) bool { return text(m) == text(&letter{}) })
	if found := strings.Join(f.list, "\n"); !strings.Contains(found, "Number is said") ||
		!strings.Contains(found, "Pages is empty") || !strings.Contains(found, "Inner is empty") {
		t.Errorf("found only %q", f.list)
	}
	if text(valid) != before {
		t.Error("the valid message was changed")
	}
}
