package query

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"time"

	"tidings"
)

// Bounds of a regular expression.
const (
	MaxExpression = 512      // bytes, as written
	MaxSteps      = 2000     // instructions of its program
	MaxSearched   = 64 << 10 // bytes of a text in which it is looked for: the first
)

// ParseFilter reads the condition of a filter. The error is a [*SyntaxError].
func ParseFilter(text string) (*Query, error) { return parse(text, true) }

// Article is an item with what filters know of it beside the news in it.
type Article struct {
	tidings.News
	Link           string
	Channel, Title string        // address and title of the channel
	Arrived        time.Time     // when the node has stored it
	Body           func() string // plain text; it is called once, if at all
	Size           int           // bytes of what Body makes it of: its work
}

// NewArticle returns an article as an item. It is for one goroutine at a time.
func NewArticle(a Article) *Item {
	it := NewItem(a.News, "")
	it.article, it.body = a, a.Body
	var channel label
	for _, name := range []string{a.Channel, a.Title} {
		if name != "" {
			channel = append(channel, name)
		}
	}
	if channel != nil {
		it.channel = []label{channel}
	}
	return it
}

// age is how many whole days old the article was when it came.
func (it *Item) age() int64 {
	dated := it.news.Created
	if dated.IsZero() {
		dated = it.news.Revised
	}
	if dated.IsZero() || it.article.Arrived.IsZero() {
		return noNumber
	}
	return max(0, int64(it.article.Arrived.Sub(dated)/(24*time.Hour)))
}

var errWork = errors.New("comparing an article takes too much work")

// MatchesFor is Matches for an amount of work, which it counts down: about a byte of text that is compared, and a
// multiple of it that is searched by a regular expression. False is returned as ok where that did not suffice.
func (q *Query) MatchesFor(item *Item, work *int64) (matches, ok bool) {
	e := evaluation{item: item, ctx: context.Background(), work: work}
	matches = q.root.eval(&e) == yes
	return matches && e.err == nil, e.err == nil
}

const (
	leastCost = 64 // of any comparison
	bodyCost  = 8  // of a byte of which the text is made
	// byteCost is for each byte that a regular expression searches. stepCost is for each of these and each step of its
	// program.
	byteCost, stepCost = 8, 2
)

// cost is the work of comparing a text of so many bytes.
func (c *comparison) cost(length int) int64 {
	if c.op != matching {
		return leastCost + int64(length)
	}
	return leastCost + int64(min(length, MaxSearched))*int64(byteCost+stepCost*c.regexp.steps)
}

// expression is a regular expression.
type expression struct {
	*regexp.Regexp
	steps int // instructions of its program, which bound the time for each byte of a text
}

// matches reports whether it is found in the first bytes of a text.
func (x *expression) matches(text string) bool {
	return x.MatchString(text[:min(len(text), MaxSearched)])
}

// stepsOf is about how many instructions the program of an expression has; more than MaxSteps are not counted.
func stepsOf(x *syntax.Regexp) int {
	steps := 1
	if x.Op == syntax.OpLiteral {
		steps = len(x.Rune)
	}
	for _, part := range x.Sub {
		steps = min(steps+stepsOf(part), MaxSteps+1)
	}
	if x.Op == syntax.OpRepeat {
		steps *= max(x.Min, x.Max, 1)
	}
	return min(steps, MaxSteps+1)
}

// expression reads the regular expression of a REGEXP.
func (p *parser) expression(n *comparison) error {
	at := p.peek()
	if n.Type != Text {
		return p.fail(at, n.Name+" is a "+string(n.Type)+", and REGEXP searches texts", "use <, > or BETWEEN")
	}
	if err := p.value(n); err != nil {
		return err
	}
	text := n.values[0].text
	if len(text) > MaxExpression {
		return p.fail(at, fmt.Sprintf("the regular expression has %d bytes, and at most %d are allowed", len(text),
			MaxExpression), "use two, with OR")
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return p.fail(at, "this is no regular expression: "+wrong.Code.String()+": "+clip(wrong.Expr),
			"a \\ before a sign makes it stand for itself")
	} else if err != nil {
		return p.fail(at, "this is no regular expression", "")
	}
	const large, smaller = "the regular expression is too large", "repeat less: {1000} writes a thousand copies"
	if stepsOf(parsed) > MaxSteps { // before memory is allocated for a program
		return p.fail(at, large, smaller)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > MaxSteps {
		return p.fail(at, large, smaller)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return p.fail(at, "this is no regular expression", "")
	}
	n.regexp = &expression{compiled, len(program.Inst)}
	return nil
}
