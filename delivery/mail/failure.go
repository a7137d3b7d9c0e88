package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"strings"

	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/markup"
)

// maxReason is how many characters of a server's reply an error shows.
const maxReason = 200

// enhanced matches an enhanced status code at the start of a reply (RFC 3463).
var enhanced = regexp.MustCompile(`^([245])\.([0-9]{1,3})\.([0-9]{1,3})\b`)

// failure says in plain words why a message was not accepted. It is a *outbox.Refusal where the server's reply says
// that the recipient or the message will never be.
func (s *Sender) failure(ctx context.Context, err error) error {
	at := connecting
	if staged, ok := errors.AsType[*staged](err); ok {
		at = staged.stage
	}
	reply, replied := errors.AsType[*textproto.Error](err)
	if !replied {
		if ctx.Err() != nil {
			return s.ended(ctx)
		}
		return errors.New(s.redact(s.words(at, err)))
	}
	said := fmt.Sprintf("%d %s", reply.Code, markup.Line(s.redact(reply.Msg), maxReason))
	switch at {
	case connecting:
		return fmt.Errorf("the mail server %s does not serve this node: %s", s.host, said)
	case signingIn:
		return fmt.Errorf("the mail server %s does not let this node sign in: %s", s.host, said)
	case sending:
		return fmt.Errorf("the mail server %s does not send mail from %s: %s", s.host, s.from.address, said)
	case naming:
		refused := fmt.Errorf("the mail server does not accept this address: %s", said)
		if reply.Code/100 != 5 {
			return refused
		}
		gone := noMailbox(reply)
		return &outbox.Refusal{Err: refused, Gone: gone, Final: !gone}
	}
	refused := fmt.Errorf("the mail server did not accept the message: %s", said)
	if reply.Code/100 != 5 {
		return refused
	}
	return &outbox.Refusal{Err: refused, Final: true}
}

// noMailbox reports whether a reply to RCPT says that there is no such mailbox, or none any more.
func noMailbox(reply *textproto.Error) bool {
	if code := enhanced.FindStringSubmatch(reply.Msg); code != nil {
		return code[1] == "5" && (code[2] == "1" || code[2] == "2" && code[3] == "1")
	}
	return reply.Code == 550 || reply.Code == 551 || reply.Code == 553
}

// ended says why there is no time left. It is the context's own error if the caller ended that.
func (s *Sender) ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return fmt.Errorf("the mail server %s did not answer within %v", s.host, s.c.Timeout)
	}
	return ctx.Err()
}

func (s *Sender) words(at stage, err error) string {
	switch {
	case errors.Is(err, errEndless):
		return "the mail server " + s.host + " answers without end"
	case errors.Is(err, errNoTLS), errors.Is(err, errNoSignIn):
		return "the mail server " + s.host + " cannot be used: " + err.Error()
	case strings.Contains(err.Error(), "first record does not look like a TLS handshake"):
		return "the mail server " + s.host + " does not speak TLS at that port: try 587 in place of 465"
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return "what is at " + s.c.Server + " is no mail server"
	}
	if at > signingIn {
		return "the mail server " + s.host + " ended the connection before it accepted the message"
	}
	return notify.Words(s.host, err)
}

// redact puts dots in the place of the password, as it is and as it is sent.
func (s *Sender) redact(text string) string {
	if s.c.Password == "" {
		return text
	}
	for _, secret := range []string{
		base64.StdEncoding.EncodeToString([]byte("\x00" + s.c.User + "\x00" + s.c.Password)),
		base64.StdEncoding.EncodeToString([]byte(s.c.Password)), s.c.Password,
	} {
		text = strings.ReplaceAll(text, secret, "•••")
	}
	return text
}
