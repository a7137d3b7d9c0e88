package stream

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mellium.im/sasl"
	"mellium.im/xmpp/jid"
)

// Bounds on what a server may ask of SCRAM. Without them a server could have the node compute for ever.
const (
	maxIterations = 1_000_000 // servers use 4,096 to 600,000
	maxChallenge  = 4096      // bytes
)

// mechanisms are those that an account authenticates by, the best first.
var mechanisms = []sasl.Mechanism{sasl.ScramSha256Plus, sasl.ScramSha256, sasl.ScramSha1Plus, sasl.ScramSha1}

// choose returns the best mechanism that a server offers. bindings are the types of channel binding that the server
// says it has (XEP-0440); nil: it does not say.
func choose(offered, bindings []string, state tls.ConnectionState) (sasl.Mechanism, error) {
	kind := "tls-exporter"
	if state.Version < tls.VersionTLS13 {
		kind = "tls-unique"
	}
	for _, m := range mechanisms {
		plus := m.Name[len(m.Name)-1] == 'S'
		switch {
		case !slices.Contains(offered, m.Name):
		case plus && bindings != nil && !slices.Contains(bindings, kind):
		case plus && kind == "tls-unique" && len(state.TLSUnique) == 0:
		default:
			return m, nil
		}
	}
	return sasl.Mechanism{},
		&refused{errors.New(
			"the server offers no way to sign in that keeps the password secret: it needs SCRAM-SHA-1 or better")}
}

// authenticate signs in (RFC 6120, section 6).
func (n *negotiation) authenticate(features *Element) error {
	offered := texts(features.Child(nsSASL, "mechanisms"), "mechanism")
	var bindings []string
	if list := features.Child(nsCB, "sasl-channel-binding"); list != nil {
		bindings = make([]string, 0, len(list.Children))
		for _, c := range list.Children {
			bindings = append(bindings, c.Get("type"))
		}
	}
	state := n.secure.ConnectionState()
	mechanism, err := choose(offered, bindings, state)
	if err != nil {
		return err
	}
	n.mechanism = mechanism.Name
	user := jid.MustParse(n.c.Account).Localpart()
	client := sasl.NewClient(mechanism, sasl.TLSState(state), sasl.RemoteMechanisms(offered...),
		sasl.Credentials(func() (username, password, identity []byte) { return []byte(user), []byte(n.c.Secret), nil }))
	_, first, err := client.Step(nil)
	if err != nil {
		return fmt.Errorf("signing in: %w", err)
	}
	e := New(nsSASL, "auth", "mechanism", mechanism.Name).Says(base64.StdEncoding.EncodeToString(first))
	for proven, rounds := false, 0; ; rounds++ {
		if err := n.write(e); err != nil {
			return err
		}
		answer, err := n.reader.next()
		if err != nil {
			return err
		}
		data, err := decode(answer)
		switch {
		case err != nil:
			return err
		case answer.Space != nsSASL || rounds > 3:
			return errors.New("the server does not sign in as it should")
		case answer.Local == "failure":
			return saslFailure(answer)
		case answer.Local == "success" && proven && len(data) == 0:
			return nil
		case answer.Local != "challenge" && answer.Local != "success", proven:
			return errors.New("the server does not sign in as it should")
		}
		if rounds == 0 {
			if answer.Local == "success" {
				return errors.New("the server accepts any password: it is not trusted")
			}
			if err := checkChallenge(data); err != nil {
				return err
			}
		}
		_, response, err := client.Step(data)
		if err != nil && rounds > 0 {
			return &refused{errors.New("the server does not know the password itself: it is not trusted")}
		}
		if err != nil {
			return fmt.Errorf("signing in: %w", err)
		}
		proven = rounds > 0
		if answer.Local == "success" {
			return nil
		}
		e = New(nsSASL, "response").Says(base64.StdEncoding.EncodeToString(response))
	}
}

func decode(e *Element) ([]byte, error) {
	if e.Text == "" || e.Text == "=" {
		return nil, nil
	}
	if len(e.Text) > maxChallenge {
		return nil, errors.New("the server's challenge is too long")
	}
	data, err := base64.StdEncoding.DecodeString(e.Text)
	if err != nil {
		return nil, errors.New("the server's challenge is not in base64")
	}
	return data, nil
}

// checkChallenge reports what is wrong with the first challenge of SCRAM (RFC 5802, section 7), before it is computed
// with.
func checkChallenge(data []byte) error {
	seen := make(map[byte]bool)
	for field := range bytes.SplitSeq(data, []byte(",")) {
		if len(field) < 3 || field[1] != '=' || seen[field[0]] {
			return errors.New("the server's challenge is not one of SCRAM")
		}
		seen[field[0]] = true
		if field[0] != 'i' {
			continue
		}
		if n, err := strconv.Atoi(string(field[2:])); err != nil || n < 1 || n > maxIterations {
			return fmt.Errorf("the server's challenge wants more than %d iterations", maxIterations)
		}
	}
	if !seen['r'] || !seen['s'] || !seen['i'] {
		return errors.New("the server's challenge is not one of SCRAM")
	}
	return nil
}

func saslFailure(e *Element) error {
	condition := "no reason"
	for _, c := range e.Children {
		if c.Local != "text" {
			condition = cut(c.Local, 60)
		}
	}
	switch condition {
	case "not-authorized", "credentials-expired", "account-disabled", "invalid-authzid":
		return &refused{fmt.Errorf("the server did not accept the account's password: %s", condition)}
	}
	return fmt.Errorf("the server did not let the account in: %s", condition)
}

// texts returns the texts of an element's children of a name.
func texts(e *Element, local string) (all []string) {
	if e == nil {
		return nil
	}
	for _, c := range e.Children {
		if c.Local == local {
			all = append(all, c.Text)
		}
	}
	return all
}
