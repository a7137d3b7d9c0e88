package feedtree

import "tidings/network/engine"

// ofChannel is how many bytes of a topic are the channel's. The others are of the fingerprint.
const ofChannel = len(engine.ID{}) / 2

// TopicOf returns the topic of a channel as it is published with a key. Its first half is that of the channel's ID, so
// the root of its tree lies where the channel's owners lie. Its second half begins the fingerprint. So every node on
// the way can see which key's words belong there. Another key with the same 80 bits would need 2^80 tries; a follower
// compares the whole fingerprint.
func TopicOf(channel engine.ID, f Fingerprint) (topic engine.ID) {
	copy(topic[:ofChannel], channel[:])
	copy(topic[ofChannel:], f[:])
	return topic
}

// belongs reports whether a topic is one of a key's.
func (k Key) belongs(topic engine.ID) bool {
	f := k.Fingerprint()
	return topic == TopicOf(topic, f)
}
