package scribe_test

import (
	"slices"
	"testing"

	"tidings/network/engine/enginetest"
	"tidings/network/routers/scribe"
)

// A node that is asked for the roots, and does not see them, routes the question once. If a node on its way does not
// see them either, it does not send the question round the ring again.
func TestQuestionsForRootsEnd(t *testing.T) {
	l := newLone()
	l.far = true
	child := enginetest.NewPeer("20")
	question := scribe.Ask{Group: scribe.NameOf(loneTopic, loneTopic), Asker: child, Start: true}
	l.Receive(child, &question)
	on := question
	on.Start = false
	if !slices.Equal(l.asked, []scribe.Ask{on}) {
		t.Fatalf("routed are %+v", l.asked)
	}
	if l.Receive(child, &on); len(l.asked) != 1 {
		t.Errorf("what was routed is routed again")
	}
	l.far = false
	for _, q := range []scribe.Ask{question, on} {
		l.env.Sent()
		l.Receive(child, &q)
		sent := l.env.Sent()
		if len(sent) != 1 || sent[0].To != child || !slices.Equal(sent[0].Message.(*scribe.Roots).Roots, l.roots) ||
			len(l.asked) != 1 {
			t.Errorf("who sees the roots sends %+v", sent)
		}
	}
}
