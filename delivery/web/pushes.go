package web

import (
	"errors"
	"net/http"
	"strings"

	"tidings"
)

// pushText says how a channel is pushed by its publisher, or by a third party.
func pushText(p tidings.Push) word {
	const before = " The feed is checked as before"
	if p.ThirdParty {
		return thirdPartyText(p, before+".")
	}
	switch p.State {
	case tidings.PushGood:
		return word{"Good", "good", "Its publisher sends new items, signed, and the site is seldom asked."}
	case tidings.PushJoining:
		return word{"Not heard yet", "idle", "The feed says that it is pushed. Its publisher was not heard of so far." + before + "."}
	case tidings.PushOverdue:
		return word{"Overdue", "wait", "Its publisher is silent for longer than the " + soonText(p.MaxSilence) + " that it promised." + before + "."}
	case tidings.PushEnded:
		return word{"Ended", "idle", "Its publisher promises nothing any more." + before + ", and what is pushed is taken still."}
	case tidings.PushUnreliable:
		return word{"Unreliable", "wait", "Checks have found " + count(p.Missed, "item", "items") + " that its publisher should have pushed." + before + ", and what is pushed is taken still."}
	case tidings.PushAlarm:
		return word{"Another key", "bad", "The trusted key has not signed the new one. No pushes are taken." + before + "."}
	case tidings.PushRevoked:
		return word{"Key is void", "bad", "It was declared so with its own signature. No pushes are taken." + before + ". Once it names a new key, you are asked about that."}
	case tidings.PushDoubled:
		return word{"Key used twice", "bad", "Somebody else may have its key, or it tells different readers different things." + before + "."}
	case tidings.PushUnprotected:
		return word{"Not believed", "idle", "It announces pushes, but over an unprotected connection, where anybody on the way could have put that in." + before + "."}
	case tidings.PushDistrusted:
		return word{"Not taken", "idle", "You take no pushes of its publisher." + before + "."}
	}
	return word{plain(string(p.State), 40), "idle", ""}
}

// thirdPartyText says how a channel is pushed by a third party; the feed is asked as before in any case.
func thirdPartyText(p tidings.Push, before string) word {
	switch p.State {
	case tidings.PushGood:
		return word{"Good", "good", "A third party whose key you trust sends new items, signed; the feed does not name its key." + before + " Where the two differ, the feed holds."}
	case tidings.PushJoining:
		return word{"Not heard yet", "idle", "You trust the key of a third party, which the feed does not name. It was not heard of so far." + before}
	case tidings.PushOverdue:
		return word{"Overdue", "wait", "The third party is silent for longer than it promised." + before}
	case tidings.PushEnded:
		return word{"Ended", "idle", "The third party promises nothing any more; what it pushes is taken still." + before}
	case tidings.PushRevoked:
		return word{"Key is void", "bad", "The third party’s key was declared void with its own signature. No pushes are taken." + before}
	case tidings.PushDoubled:
		return word{"Key used twice", "bad", "Somebody else may have the third party’s key, or it tells different readers different things." + before}
	case tidings.PushDistrusted:
		return word{"Not taken", "idle", "You take no pushes of the third party." + before}
	}
	return word{plain(string(p.State), 40), "idle", ""}
}

// pusher names who pushes a channel.
func pusher(p tidings.Push) string {
	if p.ThirdParty {
		return "a third party"
	}
	return "its publisher"
}

// alarmTitle says what is wrong with a publisher's key; "" if nothing is.
func alarmTitle(p tidings.Push) string {
	switch p.State {
	case tidings.PushRevoked, tidings.PushDoubled:
		if p.ThirdParty {
			return "The third party’s key for this feed is not to be relied on."
		}
	}
	switch p.State {
	case tidings.PushAlarm:
		return "This feed now names another publisher’s key."
	case tidings.PushRevoked:
		return "The key of this feed’s publisher is void."
	case tidings.PushDoubled:
		return "This feed’s publisher has signed two different items for one number."
	}
	return ""
}

// grouped returns a fingerprint in groups of four digits, as people compare it.
func grouped(fingerprint string) string {
	digits := cut(fingerprint, 64)
	var b strings.Builder
	for i, c := range []rune(digits) {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// decide does what a person has decided about the key of a channel's publisher.
func (s *site) decide(w http.ResponseWriter, r request, address string) error {
	if _, err := s.store.Channel(r.Context(), r.account, address); err != nil {
		return err
	}
	done := "distrusted"
	var err error
	if r.FormValue("do") == "trust" {
		done, err = "trusted", s.node.Trust(r.Context(), address, r.field("fingerprint"), false)
	} else {
		err = s.node.Distrust(r.Context(), address)
	}
	if errors.Is(err, tidings.ErrNotFound) {
		err = tidings.Invalidf("the feed names no publisher’s key any more")
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, channelPath(address)+"&said="+done)
}
