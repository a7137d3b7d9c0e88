package locale

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Template returns the source of an html/template with its texts in this language.
func (l *Locale) Template(source string) string {
	if l == nil || l.texts == nil {
		return source
	}
	return rewrite(source, func(key string) string {
		if own, ok := l.texts[key]; ok {
			return own
		}
		return key
	})
}

// TextsOf returns the texts of a template's source, as keys of files of texts, and what it counts, as "one|many".
func TextsOf(source string) (texts, counted []string) {
	rewrite(source, func(key string) string {
		texts = append(texts, key)
		return key
	})
	for _, t := range scan(source) {
		if t.kind != action && t.kind != tag {
			continue
		}
		for _, m := range pluralCall.FindAllStringSubmatch(t.text, -1) {
			counted = append(counted, unquote(m[1])+"|"+unquote(m[2]))
		}
		for _, m := range textCall.FindAllStringSubmatch(t.text, -1) {
			texts = append(texts, unquote(m[1]))
		}
	}
	return texts, counted
}

var (
	pluralCall = regexp.MustCompile(`\bplural (?:\S+|\([^)]*\)) ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")`)
	textCall   = regexp.MustCompile(`\bt ("(?:[^"\\]|\\.)*")`)
)

func unquote(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

// kind is what a token of a template is.
type kind int

const (
	words  kind = iota
	action      // {{…}}
	tag         // <…>, with the actions in it
	fixed       // what is left as it is: comments, and elements without text for people
)

type token struct {
	kind kind
	text string
}

// opaque are elements that are left as they are with all that is in them.
var opaque = []string{"script", "style", "code", "kbd", "pre", "textarea"}

// inline are elements that can be part of a sentence.
var inline = []string{"a", "b", "i", "em", "strong", "span", "small", "abbr", "time", "mark", "sub", "sup", "label"}

// scan parts a template into tokens.
func scan(source string) (all []token) {
	add := func(k kind, text string) {
		if text != "" {
			all = append(all, token{k, text})
		}
	}
	start := 0
	for i := 0; i < len(source); {
		end, k := i, words
		switch rest := source[i:]; {
		case strings.HasPrefix(rest, "{{"):
			end, k = i+actionLength(rest), action
		case strings.HasPrefix(rest, "<!--"):
			end, k = i+through(rest, "-->"), fixed
		case len(rest) > 1 && rest[0] == '<' && (rest[1] == '/' || rest[1] == '!' || isLetter(rest[1])):
			end, k = i+tagLength(rest), tag
			if name := tagName(source[i:end]); slices.Contains(opaque, name) && !strings.HasPrefix(rest, "</") {
				end, k = i+through(rest, "</"+name+">"), fixed
			}
		default:
			i++
			continue
		}
		add(words, source[start:i])
		add(k, source[i:end])
		i, start = end, end
	}
	add(words, source[start:])
	return all
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// through returns how long s is up to the end of a mark in it; all of s if it has none.
func through(s, mark string) int {
	if i := strings.Index(s, mark); i >= 0 {
		return i + len(mark)
	}
	return len(s)
}

// actionLength returns the length of the action that s begins with.
func actionLength(s string) int {
	var quote byte
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case strings.HasPrefix(s[i:], "}}"):
			return i + 2
		}
	}
	return len(s)
}

// tagLength returns the length of the tag that s begins with.
func tagLength(s string) int {
	for i := 1; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "{{") {
			i += actionLength(s[i:]) - 1
		} else if s[i] == '>' {
			return i + 1
		}
	}
	return len(s)
}

var tagNames = regexp.MustCompile(`^</?([a-zA-Z][a-zA-Z0-9]*)`)

func tagName(s string) string {
	if m := tagNames.FindStringSubmatch(s); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// node is a part of a template as a tree.
type node struct {
	token
	blocks []branch // of an if, range, with, define or block: what each of its branches holds
	end    string   // its {{end}}
}

// branch is an action that opens a branch of a block, with what follows it.
type branch struct {
	open string
	body []node
}

var controls = regexp.MustCompile(`^\{\{-?\s*(if|range|with|define|block|else|end|break|continue|/\*)\b?`)

func control(s string) string {
	if m := controls.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// tree puts tokens together up to the end of the present branch. It returns what is left, beginning with {{else}} or
// {{end}}.
func tree(all []token) (nodes []node, left []token) {
	for len(all) > 0 {
		t := all[0]
		word := ""
		if t.kind == action {
			word = control(t.text)
		}
		switch word {
		case "else", "end":
			return nodes, all
		case "if", "range", "with", "define", "block":
			n := node{token: t}
			for {
				open := all[0].text
				var body []node
				body, all = tree(all[1:])
				n.blocks = append(n.blocks, branch{open, body})
				if len(all) == 0 || control(all[0].text) == "end" {
					break
				}
			}
			if len(all) > 0 {
				n.end, all = all[0].text, all[1:]
			}
			nodes = append(nodes, n)
		default:
			nodes, all = append(nodes, node{token: t}), all[1:]
		}
	}
	return nodes, nil
}

// rewrite returns a template's source with each text replaced by what own returns for it.
func rewrite(source string, own func(key string) string) string {
	nodes, left := tree(scan(source))
	if len(left) > 0 { // too many ends: the parser of templates says so
		return source
	}
	return writer{own}.all(nodes)
}

// writer writes nodes as a source.
type writer struct{ own func(key string) string }

// all writes nodes that stand one after the other.
func (w writer) all(nodes []node) string {
	var out strings.Builder
	var run []node
	flush := func() {
		out.WriteString(w.run(run))
		run = nil
	}
	for _, n := range nodes {
		if partOfSentence(n) {
			run = append(run, n)
			continue
		}
		flush()
		out.WriteString(w.one(n))
	}
	flush()
	return out.String()
}

// partOfSentence reports whether a node can stand within a sentence.
func partOfSentence(n node) bool {
	switch {
	case n.blocks != nil:
		if word := control(n.text); word == "define" || word == "block" {
			return false
		}
		for _, b := range n.blocks {
			for _, inner := range b.body {
				if !partOfSentence(inner) {
					return false
				}
			}
		}
		return true
	case n.kind == action:
		return control(n.text) == "" && !assignment.MatchString(n.text)
	case n.kind == tag:
		return slices.Contains(inline, tagName(n.text))
	case n.kind == fixed:
		name := tagName(n.text)
		return name == "code" || name == "kbd"
	}
	return true
}

var assignment = regexp.MustCompile(`^\{\{-?\s*\$\w*\s*:?=`)

// one writes a node that is part of no sentence.
func (w writer) one(n node) string {
	switch {
	case n.blocks != nil:
		var out strings.Builder
		for _, b := range n.blocks {
			out.WriteString(b.open)
			out.WriteString(w.all(b.body))
		}
		return out.String() + n.end
	case n.kind == tag:
		return w.tag(n.text)
	}
	return n.text
}

var attributes = regexp.MustCompile(`\s(title|aria-label|placeholder|alt|label)="`)

// tag writes a tag with those of its attributes that people read.
func (w writer) tag(text string) string {
	var out strings.Builder
	for {
		at := attributes.FindStringIndex(text)
		if at == nil {
			return out.String() + text
		}
		out.WriteString(text[:at[1]])
		text = text[at[1]:]
		end := 0
		for end < len(text) && text[end] != '"' {
			if strings.HasPrefix(text[end:], "{{") {
				end += actionLength(text[end:])
			} else {
				end++
			}
		}
		var inside []token
		for _, t := range scan(text[:end]) {
			if t.kind != action {
				t.kind = words
			}
			inside = append(inside, t)
		}
		if nodes, left := tree(inside); len(left) == 0 {
			out.WriteString(strings.ReplaceAll(w.all(nodes), "\x00", ""))
		} else {
			out.WriteString(text[:end])
		}
		text = text[end:]
	}
}

// run writes what can be a sentence. Markup divides it if its other half is not in the run, and so does markup around
// several texts with no text between them. Such texts are no sentence but a row of things.
func (w writer) run(nodes []node) string {
	pair := pairs(nodes)
	for i, n := range nodes {
		if _, ok := pair[i]; n.kind == tag && n.blocks == nil && !ok {
			return w.run(nodes[:i]) + w.one(n) + w.run(nodes[i+1:])
		}
	}
	if from, to := trim(nodes, pair); from > 0 || to < len(nodes) {
		if from >= to {
			return w.each(nodes, pair)
		}
		return w.each(nodes[:from], pairs(nodes[:from])) + w.run(nodes[from:to]) + w.each(nodes[to:], pairs(nodes[to:]))
	}
	if !isSentence(nodes, pair) {
		return w.each(nodes, pair)
	}
	return w.sentence(nodes, pair)
}

// pairs returns of each tag in a run where its other half is.
func pairs(nodes []node) map[int]int {
	pair := make(map[int]int)
	var open []int
	for i, n := range nodes {
		if n.kind != tag || n.blocks != nil {
			continue
		}
		if !strings.HasPrefix(n.text, "</") {
			open = append(open, i)
			continue
		}
		if last := len(open) - 1; last >= 0 && tagName(nodes[open[last]].text) == tagName(n.text) {
			pair[open[last]], pair[i] = i, open[last]
			open = open[:last]
		}
	}
	return pair
}

// trim returns the part of a run that begins and ends with what belongs to its sentence: not with blanks, icons, or
// markup around nothing or around all of it.
func trim(nodes []node, pair map[int]int) (from, to int) {
	from, to = 0, len(nodes)
	for from < to {
		switch n := nodes[from]; {
		case n.kind == words && !hasLetters(n.text) && strings.TrimSpace(n.text) == "", isIcon(n), n.blocks != nil &&
			from+1 < to && !sentenceGoesOn(nodes[from+1]):
			from++
		case n.kind == tag && n.blocks == nil && pair[from] == to-1:
			from, to = from+1, to-1
		case n.kind == tag && n.blocks == nil && !lettersIn(nodes[from:pair[from]+1]):
			from = pair[from] + 1
		default:
			goto end
		}
	}
end:
	for to > from {
		switch n := nodes[to-1]; {
		case n.kind == words && strings.TrimSpace(n.text) == "", isIcon(n):
			to--
		case n.kind == tag && n.blocks == nil && pair[to-1] >= from && !lettersIn(nodes[pair[to-1]:to]):
			to = pair[to-1]
		default:
			return from, to
		}
	}
	return from, to
}

// sentenceGoesOn reports whether what follows a block at the beginning of a run is in its sentence: small letters or
// punctuation.
func sentenceGoesOn(n node) bool {
	if n.kind != words {
		return n.kind == action
	}
	text := strings.TrimLeftFunc(n.text, unicode.IsSpace)
	return text == "" || !unicode.IsUpper([]rune(text)[0])
}

func isIcon(n node) bool {
	return n.kind == action && n.blocks == nil && strings.HasPrefix(n.text, `{{icon `)
}

func hasLetters(text string) bool {
	return strings.IndexFunc(entities.ReplaceAllString(text, ""), unicode.IsLetter) >= 0
}

var entities = regexp.MustCompile(`&#?\w+;`)

func lettersIn(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool { return n.kind == words && hasLetters(n.text) })
}

// isSentence reports whether a run has words outside of its markup.
func isSentence(nodes []node, pair map[int]int) bool {
	for i := 0; i < len(nodes); i++ {
		if j, ok := pair[i]; ok {
			i = j
			continue
		}
		if nodes[i].kind == words && hasLetters(nodes[i].text) {
			return true
		}
	}
	return false
}

// each writes the nodes of a run that is no sentence; what is within markup may be one.
func (w writer) each(nodes []node, pair map[int]int) string {
	var out strings.Builder
	for i := 0; i < len(nodes); i++ {
		if j, ok := pair[i]; ok && j > i {
			out.WriteString(w.one(nodes[i]))
			out.WriteString(w.run(nodes[i+1 : j]))
			out.WriteString(w.one(nodes[j]))
			i = j
			continue
		}
		out.WriteString(w.one(nodes[i]))
	}
	return out.String()
}

// sentence writes a run with its text in another language.
func (w writer) sentence(nodes []node, pair map[int]int) string {
	var key strings.Builder
	parts := make(map[string]string) // sources, by placeholders
	name := func(stem string) string {
		for n := 1; ; n++ {
			name := stem
			if n > 1 {
				name += strconv.Itoa(n)
			}
			if _, taken := parts["{"+name+"}"]; taken {
				continue
			}
			if _, taken := parts["<"+name+">"]; !taken {
				return name
			}
		}
	}
	tags := make(map[int]string)
	for i, n := range nodes {
		switch {
		case n.kind == tag && n.blocks == nil && pair[i] > i:
			s := name(tagName(n.text))
			tags[pair[i]] = s
			parts["<"+s+">"], parts["</"+s+">"] = w.tag(n.text), nodes[pair[i]].text
			key.WriteString("<" + s + ">")
		case n.kind == tag && n.blocks == nil:
			key.WriteString("</" + tags[i] + ">")
		case n.kind == words:
			key.WriteString(n.text)
		default:
			s := name(stem(n))
			parts["{"+s+"}"] = w.one(n)
			key.WriteString("{" + s + "}")
		}
	}
	text := key.String()
	before := text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace))]
	after := text[len(strings.TrimRightFunc(text, unicode.IsSpace)):]
	own := w.own(strings.Join(strings.Fields(text), " "))
	return before + placeholders.ReplaceAllStringFunc(own, func(p string) string {
		if source, ok := parts[p]; ok {
			return source
		}
		return p
	}) + after
}

var placeholders = regexp.MustCompile(`\{[A-Za-z]\w*\}|</?[a-z]+[0-9]*>`)

var fields = regexp.MustCompile(`\.([A-Z]\w*)`)

// stem returns what a placeholder is named after: the last field in its action, or the element.
func stem(n node) string {
	if n.kind == fixed {
		return tagName(n.text)
	}
	if all := fields.FindAllStringSubmatch(n.text, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	return "it"
}

// verbs are those of package fmt, with the argument that one may name.
var verbs = regexp.MustCompile(`%(?:\[\d\])?([a-z%])`)

// partsOf returns what a translation has as its key has it: placeholders, and verbs whatever argument they name.
func partsOf(text string) []string {
	parts := placeholders.FindAllString(text, -1)
	for _, m := range verbs.FindAllStringSubmatch(text, -1) {
		parts = append(parts, "%"+m[1])
	}
	return parts
}

// sameParts says what is wrong with a translation that has not the same placeholders and verbs as its key.
func sameParts(key, text string) error {
	want, got := partsOf(key), partsOf(text)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("it has the placeholders %q, where %q are wanted", got, want)
	}
	return nil
}
