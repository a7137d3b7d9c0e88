package xmpp

import "tidings/delivery/xmpp/stream"

// readCarbon reads a copy of a message (XEP-0280, sections 7 and 8), which is from the account itself: one that the
// account has received, or one that another of its nodes has sent to a bare address. Any other is neither.
func readCarbon(e *stream.Element, account string) (received, sent *stream.Element, to string) {
	direction := e.Child(nsCarbons, "")
	if direction == nil {
		return nil, nil, ""
	}
	forwarded := direction.Child(nsForward, "forwarded")
	if forwarded == nil {
		return nil, nil, ""
	}
	m := forwarded.Child("", "message")
	if m == nil {
		return nil, nil, ""
	}
	to, err := stream.Bare(m.Get("to"))
	if err != nil {
		return nil, nil, ""
	}
	switch direction.Local {
	case "received":
		if to == account {
			return m, nil, ""
		}
	case "sent":
		if from, err := stream.Bare(m.Get("from")); err == nil && from == account {
			return nil, m, to
		}
	}
	return nil, nil, ""
}
