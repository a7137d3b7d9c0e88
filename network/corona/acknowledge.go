package corona

import "tidings/network/engine"

// answers are acknowledgements that go to one node together.
type answers struct {
	to   engine.Peer
	list []Acknowledged
}

// maxAnswers is how many acknowledgements a message takes.
const maxAnswers = 256

// acknowledge notes that a subscription's node is to be answered: by sendAcknowledgements.
func (n *roster) acknowledge(r *receipt) {
	if o := n.Find(r.answer.Channel); o != nil {
		r.answer.Version, r.answer.Routed = o.version, n.node.version.dissemination.routed(o)
	}
	for i := range n.owned.answers {
		if a := &n.owned.answers[i]; a.to == r.to && len(a.list) < maxAnswers {
			a.list = append(a.list, r.answer)
			return
		}
	}
	n.owned.answers = append(n.owned.answers, answers{r.to, []Acknowledged{r.answer}})
}

// sendAcknowledgements sends what acknowledge has noted.
func (n *roster) sendAcknowledgements() {
	for _, a := range n.owned.answers {
		n.Env.Send(a.to, &Subscribed{a.list})
	}
	n.owned.answers = n.owned.answers[:0]
}
