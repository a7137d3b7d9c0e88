package push

import (
	"time"

	"tidings/source/changeset"
)

// A third party signs what it has found in another's feed, and a person trusts it for that (FeedTree, section 3.2,
// "Incremental FeedTree support"). The origin has the last word, and the channel is polled as before. A third party
// does not change what a poll has found. What a third party has reported is changed once a poll finds something else.

// thirdPartySilence is the expected silence of a third party until its first heartbeat promises one: no document does.
// It affects only what people are shown.
const thirdPartySilence = time.Hour

// provenPart returns what a third party may report of an entry: nothing of the channel, and of its items only what a
// poll would otherwise contradict. News items are left to polls, for those that were canceled once stay so.
func provenPart(entry *changeset.Set) *changeset.Set {
	part := &changeset.Set{Kind: entry.Kind}
	for i := range entry.Items {
		if entry.Items[i].News == nil {
			part.Items = append(part.Items, entry.Items[i].Proven())
		}
	}
	return part
}
