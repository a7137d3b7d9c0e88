package query

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidings"
)

// slowPattern is an oracle for pattern: it tries a part at each place of the text.
type slowPattern []slowPart

// part is a piece of a pattern without %: lower-case bytes, and anyRune for each _.
type slowPart struct {
	steps []rune
	runes int // how many characters it matches
}

// compile reads a pattern. The escape is a character, or "" for none. It fails if the pattern ends with its escape.
func slowCompile(text, escape string) (slowPattern, bool) {
	p := slowPattern{{}}
	for i := 0; i < len(text); i++ {
		last := &p[len(p)-1]
		if escape != "" && strings.HasPrefix(text[i:], escape) {
			if i += len(escape); i == len(text) {
				return nil, false
			}
		} else if text[i] == '%' {
			p = append(p, slowPart{})
			continue
		} else if text[i] == '_' {
			last.steps = append(last.steps, anyRune)
			last.runes++
			continue
		}
		last.steps = append(last.steps, rune(lower(text[i])))
		if utf8.RuneStart(text[i]) {
			last.runes++
		}
	}
	return p, true
}

func (p slowPattern) matches(text string) bool {
	at := p[0].match(text, 0)
	if len(p) == 1 {
		return at == len(text)
	}
	for _, middle := range p[1 : len(p)-1] {
		if at == none {
			return false
		}
		at = middle.find(text, at)
	}
	return at != none && p[len(p)-1].ends(text, at)
}

// match returns where a part ends that begins at a place of a text.
func (p *slowPart) match(text string, at int) int {
	for _, step := range p.steps {
		switch {
		case at == len(text):
			return none
		case step == anyRune:
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		case lower(text[at]) == byte(step):
			at++
		default:
			return none
		}
	}
	return at
}

// find returns where the first occurrence of a part ends that begins at a place or behind it.
func (p *slowPart) find(text string, from int) int {
	if len(p.steps) == 0 {
		return from
	}
	first := p.steps[0]
	for at := from; at < len(text); at++ {
		if first == anyRune && utf8.RuneStart(text[at]) || lower(text[at]) == byte(first) {
			if end := p.match(text, at); end != none {
				return end
			}
		}
	}
	return none
}

// ends reports whether a part ends a text and begins at a place or behind it.
func (p *slowPart) ends(text string, from int) bool {
	at := len(text)
	for range p.runes {
		if at == 0 {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at >= from && p.match(text, at) == len(text)
}

// The matcher finds what one finds that tries each place.
func TestLikeAsTheSlowMatcher(t *testing.T) {
	texts := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBé€c")), 0, 40, -1)
	patterns := rapid.StringOfN(rapid.SampledFrom([]rune("aAbé€%%__c")), 0, 12, -1)
	never := func() bool { return false }
	matched := 0
	property := func(t *rapid.T) {
		text, written := texts.Draw(t, "text"), patterns.Draw(t, "pattern")
		fast, _ := compile(written, "c")
		slow, ok := slowCompile(written, "c")
		if !ok {
			return
		}
		got, want := fast.matches(lowerText(text), never), slow.matches(text)
		if got != want {
			t.Errorf("%q LIKE %q is %v", text, written, want)
		}
		if got {
			matched++
		}
	}
	rapid.Check(t, property)
	for range 100 { // with few checks it happens that nothing matches
		if matched > 0 {
			return
		}
		rapid.Check(t, property)
	}
	t.Error("nothing matched")
}

// Parts of more than one word, with characters that are many and few in them.
func TestLongPartsAsTheSlowMatcher(t *testing.T) {
	random := rand.New(rand.NewPCG(78, 1))
	draw := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			r := []rune(alphabet)
			b.WriteRune(r[random.IntN(len(r))])
		}
		return b.String()
	}
	matched := 0
	for range 3000 {
		text := draw("aaaaabé", 300)
		at := []rune(text)[random.IntN(100):]
		cut := at[:1+random.IntN(200)]
		for range random.IntN(8) {
			cut[random.IntN(len(cut))] = '_'
		}
		if random.IntN(4) == 0 {
			cut[random.IntN(len(cut))] = 'b'
		}
		written := "%" + string(cut) + "%" + draw("ab_", 2) + "%"
		fast, _ := compile(written, "")
		slow, _ := slowCompile(written, "")
		got, want := fast.matches(text, func() bool { return false }), slow.matches(text)
		if got != want {
			t.Fatalf("%q LIKE %q is %v", text, written, want)
		}
		if got {
			matched++
		}
	}
	if matched < 300 || matched > 2900 {
		t.Errorf("%d matched", matched)
	}
}

// countdown is a context that ends when it has been asked so often whether it has.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// hostile 78: a comparison ends in the middle of an item, and so does a condition of many.
func TestHostile78EndsWithinAnItem(t *testing.T) {
	item := NewItem(tidings.News{}, strings.Repeat("a", 450_000))
	for name, text := range map[string]string{
		"one pattern":  "text LIKE '%" + strings.Repeat("a_", 1900) + "b%'",
		"many of them": strings.Repeat("text LIKE '%b%' OR ", 200) + "text LIKE '%c%'",
		"negated":      "NOT (" + strings.Repeat("text LIKE '%b%' OR ", 200) + "text LIKE '%c%')",
	} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &countdown{context.Background(), 5}
		if matches, err := q.MatchesIn(ctx, item); !errors.Is(err, context.DeadlineExceeded) || matches {
			t.Errorf("%s: %v, %v", name, matches, err)
		}
		if ctx.left < -1 {
			t.Errorf("%s went on after it had ended", name)
		}
	}
}

// BenchmarkHostile78 compares an item of 450 KB with patterns of 4,000 bytes: the time for each is to be alike.
func BenchmarkHostile78(b *testing.B) {
	item := NewItem(tidings.News{}, strings.Repeat("a", 450_000))
	for name, pattern := range map[string]string{
		"short":  "%ab%",
		"equal":  "%" + strings.Repeat("a", 3900) + "b%",
		"parts":  strings.Repeat("%a", 1900) + "%b",
		"gaps":   "%" + strings.Repeat("a_", 1900) + "b%",
		"gaps64": "%" + strings.Repeat("a_", 30) + "b%",
		"skips":  strings.Repeat("%_", 1900) + "b",
	} {
		b.Run(name, func(b *testing.B) {
			q, err := Parse("text LIKE '" + pattern + "'")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if q.Matches(item) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
