package news

import (
	"strings"

	"tidings"
)

// The schemes whose codes are known here, by the aliases that IPTC's catalogs give them.
const (
	schemeMedtop = "medtop" // media topics
	schemeSubj   = "subj"   // subject codes, which media topics have replaced
)

// schemes are other names of these schemes, without "https://" and a last "/".
var schemes = map[string]string{
	"medtop": schemeMedtop, "cv.iptc.org/newscodes/mediatopic": schemeMedtop,
	"subj": schemeSubj, "cv.iptc.org/newscodes/subjectcode": schemeSubj,
}

// canonicalScheme returns the alias of a scheme that is known here, and every other scheme as it stands.
func canonicalScheme(scheme string) string {
	plain := strings.ToLower(strings.TrimSuffix(scheme, "/"))
	plain = strings.TrimPrefix(strings.TrimPrefix(plain, "http://"), "https://")
	if alias, ok := schemes[plain]; ok {
		return alias
	}
	return scheme
}

// canonical returns a subject in the form in which it is compared: the aliases of known schemes, and media topics for
// those subject codes that have the same number there. It is empty if there is neither code nor name.
func (p *parser) canonical(s tidings.Subject) tidings.Subject {
	s = tidings.Subject{Code: p.line(s.Code), Scheme: p.line(s.Scheme), Name: p.line(s.Name)}
	if alias, code, ok := strings.Cut(s.Code, ":"); ok && s.Scheme == "" && schemes[strings.ToLower(alias)] != "" {
		s.Scheme, s.Code = alias, strings.TrimSpace(code)
	}
	if s.Code == "" {
		s.Scheme = ""
		return s
	}
	s.Scheme = canonicalScheme(s.Scheme)
	if s.Scheme == schemeSubj && topMediaTopics[s.Code] != "" {
		s.Scheme = schemeMedtop
	}
	return s
}

// add adds a subject or place to a list, once.
func (p *parser) add(list *[]tidings.Subject, s tidings.Subject) {
	if s = p.canonical(s); s == (tidings.Subject{}) {
		return
	}
	for i, have := range *list {
		if have.Code != s.Code || have.Scheme != s.Scheme || s.Code == "" && !strings.EqualFold(have.Name, s.Name) {
			continue
		}
		if have.Name == "" {
			(*list)[i].Name = s.Name
		}
		return
	}
	if len(*list) >= p.cfg.MaxSubjects {
		p.note("has more than %d subjects or places: the rest is left out", p.cfg.MaxSubjects)
		return
	}
	*list = append(*list, s)
}

// fromURI splits the URI of a concept into scheme and code. literal is the code as the document states it besides, ""
// if it does not: then the code is what follows the last "/" or "#", else the first ":".
func fromURI(uri, literal string) (scheme, code string) {
	uri, literal = strings.TrimSpace(uri), strings.TrimSpace(literal)
	rest, found := strings.CutSuffix(uri, literal)
	switch {
	case uri == "":
		return "", literal
	case literal != "" && found && rest != "":
		if strings.Contains(rest, "://") {
			return rest, literal
		}
		return strings.TrimSuffix(rest, ":"), literal
	case strings.Contains(uri, "://"):
		uri = strings.TrimRight(uri, "/#")
		if i := strings.LastIndexAny(uri, "/#"); i >= 2 && uri[i-2:i+1] != "://" {
			return uri[:i+1], uri[i+1:]
		}
		return "", uri // a host alone
	}
	if scheme, code, ok := strings.Cut(uri, ":"); ok && code != "" {
		return scheme, code
	}
	return "", uri
}

// toURI writes scheme and code so that fromURI, given the code as literal, splits them again.
func toURI(scheme, code string) string {
	switch {
	case scheme == schemeMedtop:
		return "http://cv.iptc.org/newscodes/mediatopic/" + code
	case scheme == schemeSubj:
		return "http://cv.iptc.org/newscodes/subjectcode/" + code
	case scheme == "" || strings.Contains(scheme, "://"):
		return scheme + code
	}
	return scheme + ":" + code
}

// refnum returns the scheme of an 8-digit code as NITF has it, where subject codes and media topics share a field.
// Media topics below the top have numbers from 20000000, which no subject code has.
func refnum(code string) string {
	if topMediaTopics[code] != "" || strings.HasPrefix(code, "2") {
		return schemeMedtop
	}
	return schemeSubj
}

// is8Digits reports whether code has the form of a subject code or media topic.
func is8Digits(code string) bool { return len(code) == 8 && strings.Trim(code, "0123456789") == "" }
