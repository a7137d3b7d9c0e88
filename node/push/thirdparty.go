package push

import (
	"time"

	"tidings/source/changeset"
)

// A third party signs what it has found in somebody else's feed, and a person trusts it for that (FeedTree, section 3.2,
// "Incremental FeedTree support"). The origin has the last word: the channel is polled as before, what a poll has found is
// not changed by a third party, and what a third party has told is, once a poll finds something else.

// thirdPartySilence is within what time a third party is expected to speak until its first heartbeat says what it promises:
// no document does. Nothing but what people are told hangs on that.
const thirdPartySilence = time.Hour

// provenPart returns what a third party may tell of an entry: nothing of the channel, and of its items what a poll would
// contradict if it were otherwise. News items are left to polls, for those that were canceled once stay so.
func provenPart(entry *changeset.Set) *changeset.Set {
	part := &changeset.Set{Kind: entry.Kind}
	for i := range entry.Items {
		if entry.Items[i].News == nil {
			part.Items = append(part.Items, entry.Items[i].Proven())
		}
	}
	return part
}
