package mail

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/mail"
	"strings"
	"sync"
	"tidings/delivery/locale"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"tidings"
)

//go:embed letter.html
var letterHTML string

// letterTemplates are the template of a mail in HTML, by the tags of languages.
var letterTemplates = sync.OnceValue(func() map[string]*template.Template {
	all := make(map[string]*template.Template)
	for _, l := range locale.All() {
		all[l.Tag()] = template.Must(template.New("letter").Parse(l.Template(letterHTML)))
	}
	return all
})

var errTooLarge = errors.New("the mail has more than 2 MiB")

// request is the letter that asks for confirmation.
func (s *Sender) request(say *locale.Locale, t tidings.Target, who string) letter {
	l := letter{Subject: say.Text("Confirm your address"), Asks: true, Code: code(t.Secret), Who: who, say: say}
	if s.public != "" {
		l.Open = s.link(ToConfirm, t)
	}
	return l
}

// page is what the template of a mail in HTML shows.
type page struct {
	letter
	Language     string // its tag
	Stop, Change string // links; "": there are none
}

// links returns what stands at the foot of a letter: where its mails are stopped by one click, and changed.
func (s *Sender) links(t tidings.Target, l letter) (stop, change string) {
	if s.public == "" || l.Asks {
		return "", ""
	}
	return s.link(ToStop, t), s.public + "/notifications"
}

func (s *Sender) link(p Purpose, t tidings.Target) string {
	return s.public + p.path() + "?t=" + Token(p, t)
}

// write returns a letter as it is sent.
func (s *Sender) write(t tidings.Target, to string, l letter, id string) ([]byte, error) {
	plain, err := s.plain(t, l)
	if err != nil {
		return nil, err
	}
	stop, change := s.links(t, l)
	var marked strings.Builder
	if err := letterTemplates()[l.say.Tag()].Execute(&marked, page{l, l.say.Tag(), stop, change}); err != nil {
		return nil, fmt.Errorf("writing a mail as HTML: %w", err)
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: s.from.name, Address: s.from.address})
	m.ToMailAddress(&mail.Address{Address: to})
	if strings.Contains(l.Subject, "=?") {
		m.SetGenHeaderPreformatted(gomail.HeaderSubject, encodedWords(l.Subject))
	} else {
		m.Subject(l.Subject)
	}
	m.SetDateWithValue(s.now())
	m.SetMessageIDWithValue(wordOf(id) + "@" + s.from.domain)
	m.SetUserAgent(s.c.UserAgent)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	m.SetGenHeader("List-Id", "<"+s.listOf(l)+">")
	if stop != "" {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+stop+">")
		if strings.HasPrefix(stop, "https:") { // RFC 8058, section 3.1
			m.SetListUnsubscribePost()
		}
	}
	m.SetBodyString(gomail.TypeTextPlain, plain)
	m.AddAlternativeString(gomail.TypeTextHTML, marked.String())
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing a mail: %w", err)
	}
	if b.Len() > MaxMessage {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// encodedWords returns a line as encoded words (RFC 2047, section 2). Libraries encode only text with characters beyond
// ASCII. So a mail reader would decode a title that looks like an encoded word.
func encodedWords(line string) string {
	const most = 45 // bytes of a word's text: in base64, and with what stands around it, 75 characters
	var words []string
	for line != "" {
		end := 0
		for i, c := range line {
			if i+utf8.RuneLen(c) > most {
				break
			}
			end = i + utf8.RuneLen(c)
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(line[:end]))+"?=")
		line = line[end:]
	}
	return strings.Join(words, "\r\n ")
}

// wordOf keeps of an ID what can stand in a Message-ID.
func wordOf(id string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return -1
	}, id)
}

// listOf names what a mail belongs to, by which programs sort mail: one list for each channel, and one for the rest.
func (s *Sender) listOf(l letter) string {
	name := "all"
	if len(l.Sections) == 1 && l.Sections[0].Link != "" {
		sum := sha256.Sum256([]byte(l.Sections[0].Link))
		name = hex.EncodeToString(sum[:6])
	}
	return name + ".tidings." + s.from.domain
}

// plain returns a letter as text.
func (s *Sender) plain(t tidings.Target, l letter) (string, error) {
	var b strings.Builder
	part := func(text string) {
		if text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	if l.Asks {
		part(l.Asker())
		part(l.say.Text("If that is you, confirm it with this code:") + "\n\n    " + l.Code)
		if l.Open != "" {
			part(l.say.Text("or open this page, and press the button there:") + "\n" + l.Open)
		}
		part(l.say.Text("If not, do nothing: no other mail comes."))
		return strings.TrimSuffix(b.String(), "\n"), nil
	}
	for _, sec := range l.Sections {
		if sec.Channel != "" {
			b.WriteString(sec.Channel + "\n\n")
		}
		for _, e := range sec.Entries {
			if e.Title != "" {
				b.WriteString("* " + e.Title + "\n")
			}
			if e.Title != "" && e.Link != "" {
				b.WriteString(e.Link + "\n")
			}
			part(e.Text)
			if e.Text == "" {
				b.WriteString("\n")
			}
		}
	}
	if l.Left > 0 {
		part(l.say.Text("and %d more", l.Left))
	}
	part(l.Link)
	b.WriteString("-- \n")
	if stop, change := s.links(t, l); stop != "" {
		b.WriteString(l.say.Text("Stop these mails") + ": " + stop + "\n" + l.say.Text("Change what comes") + ": " +
			change + "\n")
	} else {
		b.WriteString(l.say.Text("You can stop these mails under Settings, Notifications, at your Tidings node.") +
			"\n")
	}
	return b.String(), nil
}

// Asker says which person has added the address.
func (l letter) Asker() string {
	return l.say.Text("%s wants a Tidings node to send updates to this address.", cmp.Or(l.Who, l.say.Text("Somebody")))
}
