package tidings

import "time"

// HubSubscriber is the name of the account that follows the topics of this node's WebSub hub.
const HubSubscriber = "websub:"

// HubSubscription is a subscription to a topic at this node's WebSub hub. There is one of a topic and a callback, as
// they are after escapes of unreserved characters are decoded.
type HubSubscription struct {
	Target   int64 // of its deliveries; 0: it is not stored
	Topic    string
	Callback string
	Channel  string // whose updates are delivered
	Domain   string // registered domain of the callback, or its host where that has none
	Secret   string // by which deliveries are signed; empty: they are not
	Expires  time.Time
}

// HubStatus is what a node's WebSub hub does.
type HubStatus struct {
	Mode          string `json:"mode"`                // listed or open
	URL           string `json:"url"`                 // of the hub
	Topics        int    `json:"topics"`              // channels that somebody subscribes to
	Subscriptions int    `json:"subscriptions"`       // to all of them
	Failing       int    `json:"failing,omitempty"`   // of them, whose last delivery failed
	Suspended     int    `json:"suspended,omitempty"` // of them, whose callbacks said that they are gone
}

// HubBounds bound the subscriptions at a hub.
type HubBounds struct {
	All       int // subscriptions
	PerTopic  int // of one topic
	PerDomain int // whose callbacks are below one registered domain
}
