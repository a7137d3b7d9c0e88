package dataset

import "testing"

func TestSubscriptions(t *testing.T) {
	all := Subscriptions()
	users, feeds := make(map[int]bool), make(map[int]string)
	for i, s := range all {
		if host, known := feeds[s.Feed]; known && host != s.Host {
			t.Errorf("feed %d is at %s and at %s", s.Feed, host, s.Host)
		}
		users[s.User], feeds[s.Feed] = true, s.Host
		if i > 0 && (s.User < all[i-1].User || s.User == all[i-1].User && s.Feed <= all[i-1].Feed) {
			t.Errorf("%+v comes after %+v", s, all[i-1])
		}
	}
	if len(all) != 3111 || len(users) != 42 || len(feeds) != 2930 {
		t.Errorf("%d subscriptions of %d users to %d feeds", len(all), len(users), len(feeds))
	}
}
