package diffview

// Fate is what became of a part of a line.
type Fate int

const (
	Kept Fate = iota
	Removed
	Added
)

// Part is a part of a row that is shown as one line.
type Part struct {
	Text string
	Fate Fate
}

// Inline returns the row as one line. Removed text stands before its replacement. All parts but those Added make the
// old line, all parts but those Removed the new one.
func (r Row) Inline() []Part {
	switch {
	case r.Old == nil:
		return []Part{{r.New.Text(), Added}}
	case r.New == nil:
		return []Part{{r.Old.Text(), Removed}}
	}
	var line inline
	old, new := spans(r.Old.Spans), spans(r.New.Spans)
	for len(old) > 0 || len(new) > 0 {
		line.add(old.marked(), Removed)
		line.add(new.marked(), Added)
		n := min(len(old.first()), len(new.first()))
		if n == 0 { // nothing is left of one line; View pairs none where the other goes on unmarked
			line.add(old.cut(len(old.first())), Removed)
			line.add(new.cut(len(new.first())), Added)
			continue
		}
		line.add(old.cut(n), Kept)
		new.cut(n)
	}
	return line
}

// inline gathers the parts of one line.
type inline []Part

func (l *inline) add(text string, fate Fate) {
	switch n := len(*l); {
	case text == "":
	case n > 0 && (*l)[n-1].Fate == fate:
		(*l)[n-1].Text += text
	default:
		*l = append(*l, Part{text, fate})
	}
}

// spans are what is left of a line.
type spans []Span

// marked cuts off what is marked at the head.
func (s *spans) marked() (text string) {
	for len(*s) > 0 && ((*s)[0].Marked || (*s)[0].Text == "") {
		text += (*s)[0].Text
		*s = (*s)[1:]
	}
	return text
}

func (s *spans) first() string {
	if len(*s) == 0 {
		return ""
	}
	return (*s)[0].Text
}

// cut cuts n bytes off the first span.
func (s *spans) cut(n int) (text string) {
	if len(*s) == 0 {
		return ""
	}
	head := (*s)[0]
	if text = head.Text[:n]; n == len(head.Text) {
		*s = (*s)[1:]
	} else {
		*s = append(spans{{Text: head.Text[n:], Marked: head.Marked}}, (*s)[1:]...)
	}
	return text
}
