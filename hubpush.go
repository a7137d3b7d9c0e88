package tidings

import "time"

// HubState is how this node's subscription at the hub of a channel is.
type HubState string

// The states of a HubPush. In all but HubGood the channel is polled as if it had no hub.
const (
	HubWanted     HubState = "wanted"     // the hub was not asked so far
	HubAsked      HubState = "asked"      // it was, and has not confirmed the subscription
	HubActive     HubState = "active"     // it has, and no push has brought news so far
	HubGood       HubState = "good"       // pushes bring what is new, and polls are rare
	HubUnreliable HubState = "unreliable" // polls have found what the hub should have pushed
	HubDenied     HubState = "denied"     // the hub wants no subscription
	HubFailed     HubState = "failed"     // the request came to nothing; it is repeated
)

// HubPush is how a channel's hub announces to this node what is new, by WebSub or rssCloud.
type HubPush struct {
	Protocol string    `json:"protocol"` // websub or rsscloud
	Hub      string    `json:"hub"`      // URL
	State    HubState  `json:"state"`
	Since    time.Time `json:"since"`            // when the channel's document named the hub
	Expires  time.Time `json:"expires,omitzero"` // when the subscription ends unless it is renewed
	LastPush time.Time `json:"last_push,omitzero"`
	Pushes   int64     `json:"pushes"`            // that came
	Brought  int64     `json:"brought"`           // of them, after which there was news
	Missed   int64     `json:"missed"`            // changes that polls found and nothing announced
	Problem  string    `json:"problem,omitempty"` // why the last request came to nothing
}
