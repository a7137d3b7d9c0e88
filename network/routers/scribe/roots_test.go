package scribe_test

import (
	"slices"
	"testing"
	"time"

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

// Of the nodes that answers name as roots, those stay that are nearest to the topic, on either side of it, in whatever
// order they are named. So an event that goes over the ring in vain is offered to the nearest three.
func TestTheNearestRootsStay(t *testing.T) {
	l := newLone()
	l.far = true
	l.Join(loneTopic)
	group := scribe.NameOf(loneTopic, loneTopic)
	for _, answer := range [][]string{{"90", "83", "88"}, {"a0", "70", "7f"}, {"98", "7c", "7e", "60"}, {"b0", "88"}} {
		m := &scribe.Roots{Group: group}
		for _, digits := range answer {
			m.Roots = append(m.Roots, enginetest.NewPeer(digits))
		}
		l.Receive(l.roots[1], m)
	}
	l.publish(1)
	var offered []string
	for over := l.over; l.over == over; {
		l.env.Advance(100 * time.Millisecond)
		for _, s := range l.env.Sent() {
			if _, ok := s.Message.(*scribe.Publish); ok {
				offered = append(offered, s.To.ID.Short()[:2])
			}
		}
	}
	if want := []string{"7f", "7e", "83"}; !slices.Equal(offered, want) {
		t.Errorf("it is offered to %v, want %v", offered, want)
	}
}
