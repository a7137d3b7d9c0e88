package machine

import "tidings/network/engine"

// Signature is by the key of a node that is named beside it.
type Signature [engine.SignatureLength]byte

// Sign returns this node's signature, or nil if nothing is signed.
func (b *Base) Sign(words []byte) []byte {
	if b.Keys == nil {
		return nil
	}
	return b.Keys.Sign(words)
}

// Signed is a claim that a node has signed Words. Nil Words need no check.
type Signed struct {
	By        engine.Peer
	Words     []byte
	Signature []byte
}

func (s *Signed) valid(k engine.Keys) bool {
	return s.Words == nil || len(s.Signature) == engine.SignatureLength && k.Signed(s.By, s.Words, s.Signature)
}

// checkedAtOnce is how many signatures are checked in the loop of protocols, in about a millisecond. More are checked
// outside it.
const checkedAtOnce = 16

// CheckSigned calls then with which of the claims are valid: at once for at most checkedAtOnce signatures. If too many
// checks are under way, then is not called: the sender will repeat its message.
func (b *Base) CheckSigned(list []Signed, then func(valid []bool)) {
	valid := make([]bool, len(list))
	all := func() {
		for i := range list {
			valid[i] = list[i].valid(b.Keys)
		}
	}
	work := 0
	for i := range list {
		if list[i].Words != nil {
			work++
		}
	}
	switch {
	case work <= checkedAtOnce:
		all()
		then(valid)
	case !b.Env.Work(all, func() { then(valid) }):
		b.LimitHit("Work", engine.MaxWork)
	}
}
