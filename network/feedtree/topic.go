package feedtree

import "tidings/network/engine"

// ofChannel is how many bytes of a topic are the channel's. The others are of the fingerprint.
const ofChannel = len(engine.ID{}) / 2

// TopicOf returns the topic of a channel as it is published with a key: the first half of the
// channel's ID, so that the root of its tree lies where the channel's owners lie, and the first half
// of as many bytes of the fingerprint, so that every node on the way can tell whose words belong
// there. Somebody else's key with the same 80 bits would take 2^80 tries; who follows compares the
// whole fingerprint.
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
