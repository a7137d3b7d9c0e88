package date

import "regexp"

// clock reads hours, minutes and seconds separated by colons.
func (p *parts) clock(s string) int {
	h, n := digits(s)
	m, mn := digits(s[n+1:])
	n += 1 + mn
	sec := 0
	if n+1 < len(s) && s[n] == ':' && isDigit(s[n+1]) {
		var sn int
		sec, sn = digits(s[n+1:])
		n += 1 + sn
		if n+1 < len(s) && (s[n] == '.' || s[n] == ',' || s[n] == ':') && isDigit(s[n+1]) {
			_, fn := digits(s[n+1:])
			p.nanos = fraction(s[n+1 : n+1+fn])
			n += 1 + fn
		}
	}
	if n = p.setClock(h, m, sec, n); n > 0 {
		n += p.halfOfDay(s[n:])
	}
	return n
}

var (
	// halfAfter is what follows a time in twelve hours, in English, Spanish and Greek.
	halfAfter = regexp.MustCompile(`^( ?(?:([aApP])\.? ?[mM]|([πΠμΜ])\.? ?[μΜ])\.?)(?:[^\pL]|$)`)
	// hourForm is a time without colon: "12h30", "12 h", "14.30 Uhr".
	hourForm = regexp.MustCompile(`^((\d{1,2})(?: ?[hH] ?(\d{2})?|(?:\.(\d{2}))? ?(?i:uhr)))(?:[^\pL\d]|$)`)
)

// halfOfDay reads a.m. or p.m. after a time, and returns its length, 0 if there is none.
func (p *parts) halfOfDay(s string) int {
	m := halfAfter.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	switch m[2] + m[3] {
	case "a", "A", "π", "Π":
		p.am = true
	default:
		p.pm = true
	}
	return len(m[1])
}

// hourAlone reads a time without colon, if what follows shows that it is one.
func (p *parts) hourAlone(s string) int {
	hour, n := digits(s)
	if half := p.halfOfDay(s[n:]); half > 0 { // 3 pm
		return p.setClock(hour, 0, 0, n+half)
	}
	m := hourForm.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	minute, _ := digits(m[3] + m[4])
	return p.setClock(hour, minute, 0, len(m[1]))
}

// fraction returns decimals of a second in nanoseconds.
func fraction(s string) int {
	v := 0
	for i := range 9 {
		v *= 10
		if i < len(s) {
			v += int(s[i] - '0')
		}
	}
	return v
}

func (p *parts) setClock(h, m, s, n int) int {
	if h > 24 || m > 59 || s > 61 || p.hasTime {
		return 0
	}
	p.hour, p.minute, p.second, p.hasTime = h, m, s, true
	return n
}
