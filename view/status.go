package view

import (
	"time"

	"tidings"
)

// Status says how a node is, and how it stands among the others. Its ID is known even if
// the node works alone.
type Status struct {
	Network

	Version       string    `json:"version"`
	Started       time.Time `json:"started"`
	DataDir       string    `json:"data_dir"`
	Page          string    `json:"page"` // address of the web page
	Interval      string    `json:"interval"`
	Channels      int       `json:"channels"`
	Subscriptions int       `json:"subscriptions"`
	Items         int64     `json:"items"`
	LatestUpdate  int64     `json:"latest_update"`
	StoreBytes    int64     `json:"store_bytes"`

	ByHealth map[tidings.Health]int `json:"by_health"`
	NextPoll time.Time              `json:"next_poll,omitzero"`
	// Since the node started:
	Polls       int64                     `json:"polls"`
	ByOutcome   map[tidings.Outcome]int64 `json:"by_outcome"`
	Bytes       int64                     `json:"bytes"`        // received from origins
	Updates     int64                     `json:"updates"`      // found
	PollingNow  int                       `json:"polling_now"`  // requests under way
	Overdue     int                       `json:"overdue"`      // polls that are due and wait for their turn
	MemoryBytes uint64                    `json:"memory_bytes"` // of the whole process, from the operating system
	// Slots reports whether channels are polled in time.
	Slots Slots `json:"slots"`

	// CoopChannels says how channels are watched together with other nodes.
	CoopChannels CoopChannels `json:"coop_channels"`
	Coop         CoopStatus   `json:"coop"`

	// Archive says what is kept for the network's archive of published items.
	Archive StorageUse `json:"archive"`
	// Files says what is kept of larger files: what readers here wanted, and what was published here.
	Files StorageUse `json:"files"`

	// Hub is what the node's WebSub hub does; zero: it has none.
	Hub tidings.HubStatus `json:"hub,omitzero"`

	// Problems are what keeps the node from keeping or reading what it should; each ends by itself when its
	// cause has, but that repairs are shown until the next start.
	Problems []Problem `json:"problems,omitempty"`

	// OriginClock compares this machine's clock with those of the origins that were asked last.
	OriginClock Clock `json:"origin_clock,omitzero"`

	// Connections counts those to the page, the API and the proxy by TCP.
	Connections Connections `json:"connections"`

	// NoPassword says that everybody that can connect to the page is the owner: any program on this machine.
	NoPassword bool `json:"no_password,omitempty"`
}

// Problem is something that is wrong with a node, in plain words.
type Problem struct {
	What string `json:"what"`
	Hint string `json:"hint,omitempty"` // what to do about it
}

// Connections says how many connections there are, and whether those were too many.
type Connections struct {
	Open  int `json:"open"`
	Limit int `json:"limit"` // more are never open; one client has a quarter of it
	// Since the node started:
	Closed  uint64 `json:"closed"`  // to make room for others
	Refused uint64 `json:"refused"` // as no other could make room

	Full      time.Time `json:"full,omitzero"`      // when a new one last found no room
	Exhausted time.Time `json:"exhausted,omitzero"` // when the system last had no descriptor for one
}

// Slots counts the polls that may be under way at a time, and of those that did not end in time.
type Slots struct {
	All     int   `json:"all"`
	Overran int64 `json:"overran,omitempty"` // polls given up since the node started
	Hanging int   `json:"hanging,omitempty"` // of them have not come back so far
	// nanoseconds that a channel followed here has waited for its turn, at most
	Waited time.Duration `json:"waited,omitempty"`
}

// CoopChannels counts channels that nodes watch together. What a node follows is among them if it is
// public and the network knows of it.
type CoopChannels struct {
	ForOthers int `json:"for_others"` // polled here, followed by other nodes alone
	Both      int `json:"both"`       // followed here, and polled here, perhaps by others too
	ByOthers  int `json:"by_others"`  // followed here, and polled by others
}

// StorageUse says what a node keeps of what was published, for itself and for others.
type StorageUse struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
	Quota int64 `json:"quota"` // bytes at most; 0: nothing is kept
}
