package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// ErrNoisy says that two fetches differ too much, or too wildly, to learn from them.
var ErrNoisy = errors.New("the page differs too much from one fetch to the next")

const (
	maxGap       = 40  // lines that one gap drops
	maxContext   = 2   // lines on each side that a gap is known by
	maxTemplate  = 400 // bytes of a template's parts
	maxWildcards = 16
	minLetters   = 3 // that a template leaves visible: with less it is no better than its path
	maxTries     = 4 * MaxRules
	maxPassed    = 8_000_000 // lines, in a round; only pages of tens of thousands have less than maxTries by it
	gapPasses    = 20        // what trying a gap costs, in passes over the page
	maxPairs     = 10_000    // of lines that are compared in a round; what is learned of them holds for the others too
	rounds       = 3         // how often what still differs is learned from
)

// Learn returns what to mask so that a and b, two fetches of one page made close together, give the same lines. Both
// must come from Extract with the same options and the same noise. What is learned can then be merged with that noise.
//
// No rule touches a line that both fetches have, so that no change elsewhere is hidden. If that cannot be done with
// MaxRules rules, or if more than half of the text would be hidden, the error is ErrNoisy.
func Learn(a, b Document) (Noise, error) {
	var learned Noise
	var stable []line
	old, new := a.lines, b.lines
	for round := range rounds {
		if sameText(old, new) {
			break
		}
		found := difference{old: old, new: new, onlyGaps: round == rounds-1}
		found.learn()
		if round == 0 {
			stable = found.stable
		}
		learned = Noise{rules: append(learned.rules, found.rules...)}
		if len(learned.rules) > MaxRules {
			return Noise{}, fmt.Errorf("learning noise: %w: more than %d places", ErrNoisy, MaxRules)
		}
		old, new = found.masked()
	}
	if !sameText(old, new) || !holdsAll(old, stable) {
		return Noise{}, fmt.Errorf("learning noise: %w", ErrNoisy)
	}
	if 2*lineText(old) < lineText(a.lines) || 2*lineText(new) < lineText(b.lines) {
		return Noise{}, fmt.Errorf("learning noise: %w: more than half of its text", ErrNoisy)
	}
	return learned, nil
}

func sameText(a, b []line) bool {
	return slices.EqualFunc(a, b, func(x, y line) bool { return x.text == y.text })
}

// difference is what two fetches do not share.
type difference struct {
	old, new []line
	onlyGaps bool

	regions []lcs.Diff
	stable  []line // those of old that new has too
	rules   []rule
	tried   int // rules, each of which costs a pass over the page
	passed  int // lines, by all of them
	pairs   int // of lines, compared

	maskedOld, maskedNew []line // old and new as the rules so far leave them
	gaps                 bool   // among the rules
}

func (d *difference) learn() {
	d.regions = lcs.DiffLines(keys(d.old, exactKey), keys(d.new, exactKey))
	at := 0
	for _, r := range d.regions {
		d.stable = append(d.stable, d.old[at:r.Start]...)
		at = r.End
	}
	d.stable = append(d.stable, d.old[at:]...)
	var unexplained []int
	for i, r := range d.regions {
		if d.onlyGaps || !d.learnPairs(r) {
			unexplained = append(unexplained, i)
		}
		if len(d.rules) > MaxRules {
			return // too many already
		}
	}
	d.maskedOld, d.maskedNew = Noise{d.rules}.mask(d.old), Noise{d.rules}.mask(d.new)
	for _, i := range unexplained {
		d.learnGap(i)
	}
}

// masked returns old and new without what the rules mask.
func (d *difference) masked() (old, new []line) {
	if !d.gaps {
		return d.maskedOld, d.maskedNew
	}
	return Noise{d.rules}.mask(d.old), Noise{d.rules}.mask(d.new)
}

// keys are what lines are compared by.
func keys(lines []line, key func(line) string) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		list[i] = key(l)
	}
	return list
}

func exactKey(l line) string { return l.text }

// shapeKey makes lines equal that stand at the same place and differ in digits only.
func shapeKey(l line) string {
	shape := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == ',' || r == '.' || r == ':' {
			return -1
		}
		return r
	}, l.text)
	var key []byte
	for _, block := range l.path {
		key = binary.LittleEndian.AppendUint32(key, block)
	}
	return string(key) + shape
}

// learnPairs explains what it can of a region by lines that correspond: those that
// differ in digits only, and those between them in turn. The rest is for the next
// round, when these are masked. It reports whether it could explain anything.
func (d *difference) learnPairs(r lcs.Diff) bool {
	known := len(d.rules)
	old, new := d.old[r.Start:r.End], d.new[r.ReplStart:r.ReplEnd]
	alike := lcs.DiffLines(keys(old, shapeKey), keys(new, shapeKey))
	i, j := 0, 0
	for _, s := range append(alike, lcs.Diff{Start: len(old), End: len(old), ReplStart: len(new), ReplEnd: len(new)}) {
		d.learnEach(old[i:s.Start], new[j:s.ReplStart])
		d.learnEach(old[s.Start:s.End], new[s.ReplStart:s.ReplEnd])
		i, j = s.End, s.ReplEnd
	}
	return len(d.rules) > known
}

// learnEach explains the first of old by the first of new, and so on.
func (d *difference) learnEach(old, new []line) {
	n := min(len(old), len(new))
	for i := range n {
		if d.isSpent() {
			return
		}
		if old[i].text == new[i].text {
			continue
		}
		d.pairs++
		if !d.learnTemplate(old[i], new[i]) {
			d.learnPlace(old[i])
			d.learnPlace(new[i])
		}
	}
	for _, rest := range [][]line{old[n:], new[n:]} {
		for _, l := range rest {
			if d.isSpent() {
				return
			}
			d.pairs++
			d.learnPlace(l)
		}
	}
}

// isSpent reports whether no more lines are to be learned from.
func (d *difference) isSpent() bool {
	return len(d.rules) > MaxRules || d.tried > maxTries || d.passed > maxPassed || d.pairs > maxPairs
}

func (d *difference) learnTemplate(old, new line) bool {
	if old.path != new.path || old.kept || new.kept {
		return false
	}
	t, ok := templateOf(old, new)
	return ok && d.add(rule{Template: &t})
}

func (d *difference) learnPlace(l line) {
	if !l.kept {
		d.add(rule{Place: &l.path})
	}
}

// add accepts a rule unless it would hide something of what both fetches have.
func (d *difference) add(r rule) bool {
	if slices.ContainsFunc(d.rules, r.equal) {
		return true
	}
	if !d.mayTry(1) || r.changes(d.stable) {
		return false
	}
	d.rules = append(d.rules, r)
	return true
}

// mayTry reports whether one more rule may be tried, and counts it.
func (d *difference) mayTry(passes int) bool {
	d.tried++
	d.passed += passes * len(d.old)
	return len(d.rules) <= MaxRules && d.tried <= maxTries && d.passed <= maxPassed
}

// learnGap drops a region between the lines around it that stay, if it is small and
// nothing that stays is dropped with it. One line on each side is better than two,
// which are more likely to change; two are more likely to be alone of their kind.
func (d *difference) learnGap(i int) {
	r := d.regions[i]
	from, to := 0, len(d.old)
	if i > 0 {
		from = d.regions[i-1].End
	}
	if i+1 < len(d.regions) {
		to = d.regions[i+1].Start
	}
	for n := 1; n <= maxContext; n++ {
		before := d.old[max(from, r.Start-n):r.Start]
		after := d.old[r.End:min(to, r.End+n)]
		g := gap{
			Before: context{len(before), hashLines(before)},
			After:  context{len(after), hashLines(after)},
			Most:   max(r.End-r.Start, r.ReplEnd-r.ReplStart),
		}
		if g.Most <= maxGap && d.addGap(g) {
			return
		}
	}
}

// addGap accepts a gap unless, followed after the rules so far, it would hide something of what both fetches have.
func (d *difference) addGap(g gap) bool {
	if !d.mayTry(gapPasses) {
		return false
	}
	old, new := g.mask(d.maskedOld), g.mask(d.maskedNew)
	if !holdsAll(old, d.stable) || !holdsAll(new, d.stable) {
		return false
	}
	d.rules, d.gaps = append(d.rules, rule{Gap: &g}), true
	d.maskedOld, d.maskedNew = old, new
	return true
}

// holdsAll reports whether each of some lines is among lines, as often as it occurs.
func holdsAll(lines, some []line) bool {
	count := make(map[string]int, len(lines))
	for _, l := range lines {
		count[l.text]++
	}
	for _, l := range some {
		if count[l.text]--; count[l.text] < 0 {
			return false
		}
	}
	return true
}

// templateOf returns what two lines have in common, if that is enough to know them by.
func templateOf(old, new line) (template, bool) {
	x, y := chunks(old.text), chunks(new.text)
	if len(x) > maxTemplate || len(y) > maxTemplate {
		return template{}, false
	}
	t := template{Path: old.path}
	kinds := []byte{}
	at, size := 0, 0
	for _, d := range lcs.DiffLines(x, y) {
		part := strings.Join(x[at:d.Start], "")
		kind := byte('#')
		if !numeric(x[d.Start:d.End]) || !numeric(y[d.ReplStart:d.ReplEnd]) {
			kind = '*'
		}
		at = d.End
		if n := len(kinds); n > 0 && strings.TrimSpace(part) == "" {
			// Two parts that differ with nothing to know between them are one.
			kinds[n-1] = '*'
			continue
		}
		t.Parts = append(t.Parts, part)
		kinds = append(kinds, kind)
		size += len(part)
	}
	last := strings.Join(x[at:], "")
	t.Parts = append(t.Parts, last)
	t.Kinds = string(kinds)
	return t, t.valid() && t.letters() >= minLetters && size+len(last) <= maxTemplate
}

func (t template) valid() bool {
	return len(t.Kinds) >= 1 && len(t.Kinds) <= maxWildcards && len(t.Parts) == len(t.Kinds)+1 &&
		strings.Trim(t.Kinds, "#*") == ""
}

func numeric(chunks []string) bool {
	return strings.Trim(strings.Join(chunks, ""), "0123456789.,:") == ""
}

// chunks splits a line into runs of letters and digits, numbers whole ("1,234.5",
// "14:33:37", "2:33 PM", "2026-11-20"), and single other characters.
func chunks(text string) []string {
	var list []string
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case '0' <= r && r <= '9':
			n = len(wholeNumber.FindString(text))
		case isWord(r):
			n = strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
			if n < 0 {
				n = len(text)
			}
		}
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

// wholeNumber matches what belongs to a number that begins here: all of it differs when
// a part does, if not at the next fetch then at a later one.
var wholeNumber = regexp.MustCompile(`^[\pL\d]+(?:[:.,/-]\d[\pL\d]*)*(?: ?[AaPp]\.?[Mm]\b)?`)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
