package web

import (
	"errors"
	"net/http"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// pushText says how a channel is pushed by its publisher, or by a third party.
func pushText(w wording.Words, p tidings.Push) wording.Word {
	before := " " + w.Text("The feed is checked as before.")
	still := " " + w.Text("The feed is checked as before, and what is pushed is still accepted.")
	if p.ThirdParty {
		return thirdPartyText(w, p, before)
	}
	switch p.State {
	case tidings.PushGood:
		return w.Good("Good", "Its publisher sends new items, signed, and the site is seldom asked.")
	case tidings.PushJoining:
		return wording.Idle(w.Text("Not heard yet"),
			w.Text("The feed says that it is pushed. Its publisher was not heard of so far.")+before)
	case tidings.PushOverdue:
		return wording.Wait(w.Text("Overdue"),
			w.Text("Its publisher is silent for longer than the %s that it promised.", w.Soon(p.MaxSilence))+before)
	case tidings.PushEnded:
		return wording.Idle(w.Text("Ended"), w.Text("Its publisher promises nothing any more.")+still)
	case tidings.PushUnreliable:
		return wording.Wait(w.Text("Unreliable"), w.Text("Checks have found %s that its publisher should have pushed.",
			w.Count(int64(p.Missed), "item", "items"))+still)
	case tidings.PushAlarm:
		return wording.Bad(w.Text("Another key"),
			w.Text("The trusted key has not signed the new one. No pushes are taken.")+before)
	case tidings.PushRevoked:
		return wording.Bad(w.Text("Key is void"),
			w.Text("It was declared so with its own signature. No pushes are taken.")+before+" "+
				w.Text("Once it names a new key, you are asked about that."))
	case tidings.PushDoubled:
		return wording.Bad(w.Text("Key used twice"),
			w.Text("Somebody else may have its key, or it tells different readers different things.")+before)
	case tidings.PushUnprotected:
		return wording.Idle(w.Text("Not believed"),
			w.Text("It announces pushes, but over an unprotected connection, where anybody on the way could have put that in.")+before)
	case tidings.PushDistrusted:
		return wording.Idle(w.Text("Not taken"), w.Text("You take no pushes of its publisher.")+before)
	}
	return wording.Idle(wording.Plain(string(p.State), 40), "")
}

// thirdPartyText says how a channel is pushed by a third party; the feed is asked as before in any case.
func thirdPartyText(w wording.Words, p tidings.Push, before string) wording.Word {
	switch p.State {
	case tidings.PushGood:
		return wording.Good(w.Text("Good"),
			w.Text("A third party whose key you trust sends new items, signed; the feed does not name its key.")+before+
				" "+w.Text("Where the two differ, the feed holds."))
	case tidings.PushJoining:
		return wording.Idle(w.Text("Not heard yet"),
			w.Text("You trust the key of a third party, which the feed does not name. It was not heard of so far.")+
				before)
	case tidings.PushOverdue:
		return wording.Wait(w.Text("Overdue"), w.Text("The third party is silent for longer than it promised.")+before)
	case tidings.PushEnded:
		return wording.Idle(w.Text("Ended"),
			w.Text("The third party promises nothing any more; what it pushes is taken still.")+before)
	case tidings.PushRevoked:
		return wording.Bad(w.Text("Key is void"),
			w.Text("The third party’s key was declared void with its own signature. No pushes are taken.")+before)
	case tidings.PushDoubled:
		return wording.Bad(w.Text("Key used twice"),
			w.Text("Somebody else may have the third party’s key, or it tells different readers different things.")+
				before)
	case tidings.PushDistrusted:
		return wording.Idle(w.Text("Not taken"), w.Text("You take no pushes of the third party.")+before)
	}
	return wording.Idle(wording.Plain(string(p.State), 40), "")
}

// pusher names the sender of a channel's pushes.
func pusher(w wording.Words, p tidings.Push) string {
	if p.ThirdParty {
		return w.Text("a third party")
	}
	return w.Text("its publisher")
}

// alarmTitle says what is wrong with a publisher's key; "" if nothing is.
func alarmTitle(w wording.Words, p tidings.Push) string {
	switch p.State {
	case tidings.PushRevoked, tidings.PushDoubled:
		if p.ThirdParty {
			return w.Text("The third party’s key for this feed is not to be relied on.")
		}
	}
	switch p.State {
	case tidings.PushAlarm:
		return w.Text("This feed now names another publisher’s key.")
	case tidings.PushRevoked:
		return w.Text("The key of this feed’s publisher is void.")
	case tidings.PushDoubled:
		return w.Text("This feed’s publisher has signed two different items for one number.")
	}
	return ""
}

// decide does what a person has decided about the key of a channel's publisher.
func (s *site) decide(w http.ResponseWriter, r shell.Request, address string) error {
	if _, err := s.store.Channel(r.Context(), r.Account, address); err != nil {
		return err
	}
	done := "distrusted"
	var err error
	if r.FormValue("do") == "trust" {
		done, err = "trusted", s.node.Trust(r.Context(), address, r.Field("fingerprint"), false)
	} else {
		err = s.node.Distrust(r.Context(), address)
	}
	if errors.Is(err, tidings.ErrNotFound) {
		err = tidings.Invalidf("the feed names no publisher’s key any more")
	}
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, shell.ChannelPath(address)+"&said="+done)
}

// hubText says how a channel's hub announces to this node what is new.
func hubText(w wording.Words, p tidings.HubPush) wording.Word {
	before := " " + w.Text("The site is checked as before.")
	switch p.State {
	case tidings.HubGood:
		return w.Good("Good", "It announces what is new, and the site is seldom asked beside that.")
	case tidings.HubActive:
		return wording.Idle(w.Text("Subscribed"), w.Text("It was not seen to announce anything new so far.")+before)
	case tidings.HubWanted, tidings.HubAsked:
		return wording.Idle(w.Text("Asked"), w.Text("It has not confirmed the subscription so far.")+before)
	case tidings.HubUnreliable:
		return wording.Wait(w.Text("Unreliable"), w.Text("Checks have found what it should have announced.")+before)
	case tidings.HubDenied:
		return wording.Idle(w.Text("Denied"), w.Text("It wants no subscription of this node.")+before)
	case tidings.HubFailed:
		return wording.Wait(w.Text("Failed"), w.Text("There is no subscription; the request is repeated.")+before)
	}
	return wording.Idle(wording.Plain(string(p.State), 40), "")
}
