package dataset

// Subscription is a reader's following a feed.
type Subscription struct {
	User, Feed int // arbitrary numbers
	Host       string
}

// hosts are the kinds of host that feeds are at, by their numbers in the table.
var hosts = [...]string{
	"other", "youtube", "feedburner", "wordpress-blogspot", "github", "podcast-host", "reddit", "bridge", "medium", "gitlab",
}

// Subscriptions returns who of 42 readers follows which of 2,930 feeds, and at what kind of host each feed is: "other",
// "youtube", "podcast-host" and the like. They are in the order of User and then of Feed.
func Subscriptions() []Subscription {
	c := table("feedlists")
	users, feeds := sums(c[0]), c[1]
	all := make([]Subscription, len(users))
	for i := range all {
		all[i] = Subscription{User: users[i], Feed: feeds[i], Host: hosts[c[2][i]]}
	}
	return all
}
