package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"tidings"
	"tidings/view"
)

// facts is what one scrape found.
type facts struct {
	view.Status
	peers []view.Peer
}

// metric is one metric: its name and meaning, and its values in what a scrape found.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	tell func(f facts, value func(v float64, labels ...string))
}

func gauge(name, help string, value func(facts) float64) metric {
	return metric{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue,
		func(f facts, tell func(float64, ...string)) { tell(value(f)) }}
}

func counter(name, help string, value func(facts) float64) metric {
	m := gauge(name, help, value)
	m.kind = prometheus.CounterValue
	return m
}

func labelled(kind prometheus.ValueType, name, help string, labels []string,
	tell func(facts, func(float64, ...string))) metric {
	return metric{prometheus.NewDesc(name, help, labels, nil), kind, tell}
}

// ofNode are the metrics of a node by itself. The process collector reports the process's memory and processor time
// (process_resident_memory_bytes, process_cpu_seconds_total).
var ofNode = []metric{
	labelled(prometheus.GaugeValue, "tidings_build_info", "Which Tidings this is; always 1.", []string{"version"},
		func(f facts, tell func(float64, ...string)) { tell(1, f.Version) }),
	gauge("tidings_channels", "Channels that somebody here follows.", func(f facts) float64 {
		return float64(f.Channels)
	}),
	labelled(prometheus.GaugeValue, "tidings_channels_by_health", "Channels by how their checks go.",
		[]string{"health"},
		func(f facts, tell func(float64, ...string)) {
			for _, h := range healths {
				tell(float64(f.ByHealth[h]), string(h))
			}
		}),
	gauge("tidings_subscriptions", "Subscriptions of all accounts.", func(f facts) float64 {
		return float64(f.Subscriptions)
	}),
	gauge("tidings_items", "Items in the store.", func(f facts) float64 { return float64(f.Items) }),
	gauge("tidings_problems",
		"Things that keep the node from keeping or reading what it should, a full disk for example.",
		func(f facts) float64 { return float64(len(f.Problems)) }),
	gauge("tidings_store_bytes", "Size of the store on the disk.", func(f facts) float64 {
		return float64(f.StoreBytes)
	}),
	labelled(prometheus.CounterValue, "tidings_polls_total", "Polls of origins, by how they ended.",
		[]string{"outcome"},
		func(f facts, tell func(float64, ...string)) {
			for _, o := range outcomes {
				tell(float64(f.ByOutcome[o]), string(o))
			}
		}),
	gauge("tidings_polls_running", "Polls under way.", func(f facts) float64 { return float64(f.PollingNow) }),
	gauge("tidings_polls_overdue", "Polls that are due and wait for their turn.",
		func(f facts) float64 { return float64(f.Overdue) }),
	gauge("tidings_poll_slots", "Polls that may be under way at a time.",
		func(f facts) float64 { return float64(f.Slots.All) }),
	gauge("tidings_poll_longest_wait_seconds", "How long a channel followed here has waited for its turn, at most.",
		func(f facts) float64 { return f.Slots.Waited.Seconds() }),
	counter("tidings_polls_overran_total", "Polls that did not end in time and were given up.",
		func(f facts) float64 { return float64(f.Slots.Overran) }),
	gauge("tidings_polls_hanging", "Polls that were given up and have not come back.",
		func(f facts) float64 { return float64(f.Slots.Hanging) }),
	counter("tidings_origin_received_bytes_total", "Bytes of documents received from origins.",
		func(f facts) float64 { return float64(f.Bytes) }),
	counter("tidings_updates_total", "Updates found.", func(f facts) float64 { return float64(f.Updates) }),
	gauge("tidings_origin_clock_offset_seconds", "This machine's clock less the median of origins'.",
		func(f facts) float64 { return f.OriginClock.Offset / 1000 }),
}

// Every value of a label is reported from the start, so that a first event shows as a rise.
var (
	healths = []tidings.Health{tidings.HealthNew, tidings.HealthGood, tidings.HealthFailing, tidings.HealthLimited,
		tidings.HealthChallenged, tidings.HealthNoisy, tidings.HealthEnded}
	outcomes = []tidings.Outcome{tidings.OutcomeChanged, tidings.OutcomeUnchanged, tidings.OutcomeNotModified,
		tidings.OutcomeLimited,
		tidings.OutcomeChallenged, tidings.OutcomeMissing, tidings.OutcomeGone, tidings.OutcomeRefused,
		tidings.OutcomeUnreadable, tidings.OutcomeFailed}
	reaches    = []view.Reach{view.ReachUnknown, view.ReachPublic, view.ReachPrivate}
	joinStates = []view.JoinState{view.Joining, view.Joined, view.Waiting}
)

// ofNetwork are the metrics of a node among others. One that works alone has none of them.
var ofNetwork = []metric{
	labelled(prometheus.GaugeValue, "tidings_network_peers", "Live nodes that this one knows.", []string{"connected"},
		func(f facts, tell func(float64, ...string)) {
			connected := 0
			for _, p := range f.peers {
				if p.Connected {
					connected++
				}
			}
			tell(float64(connected), "yes")
			tell(float64(len(f.peers)-connected), "no")
		}),
	gauge("tidings_network_neighbours", "Nodes in the leaf set.", func(f facts) float64 {
		return float64(len(f.Neighbours))
	}),
	gauge("tidings_network_estimated_nodes", "Nodes that the ring seems to have, this one included.",
		func(f facts) float64 { return float64(f.Nodes) }),
	labelled(prometheus.GaugeValue, "tidings_network_reachability",
		"Whether others can connect: 1 at what is the case.", []string{"reachability"},
		func(f facts, tell func(float64, ...string)) {
			for _, r := range reaches {
				tell(truth(f.Reachable == r), string(r))
			}
		}),
	labelled(prometheus.GaugeValue, "tidings_network_joins", "Addresses to join by, by how far that has got.",
		[]string{"state"},
		func(f facts, tell func(float64, ...string)) {
			in := map[view.JoinState]int{}
			for _, j := range f.Joins {
				in[j.State]++
			}
			for _, s := range joinStates {
				tell(float64(in[s]), string(s))
			}
		}),
	labelled(prometheus.CounterValue, "tidings_network_messages_total", "Messages sent and received.",
		[]string{"kind", "direction"},
		func(f facts, tell func(float64, ...string)) {
			for _, t := range f.Traffic {
				tell(float64(t.Sent), t.Kind, "sent")
				tell(float64(t.Received), t.Kind, "received")
			}
		}),
	labelled(prometheus.CounterValue, "tidings_network_message_bytes_total",
		"Bytes of encoded messages sent and received.", []string{"kind", "direction"},
		func(f facts, tell func(float64, ...string)) {
			for _, t := range f.Traffic {
				tell(float64(t.SentBytes), t.Kind, "sent")
				tell(float64(t.ReceivedBytes), t.Kind, "received")
			}
		}),
	labelled(prometheus.CounterValue, "tidings_network_dropped_messages_total",
		"Messages not sent: a queue was full or the peer gone.", []string{"kind"},
		func(f facts, tell func(float64, ...string)) {
			for _, t := range f.Traffic {
				tell(float64(t.Dropped), t.Kind)
			}
		}),
	labelled(prometheus.CounterValue, "tidings_network_refused_messages_total",
		"Messages received above what their senders may send.", []string{"kind"},
		func(f facts, tell func(float64, ...string)) {
			for _, t := range f.Traffic {
				tell(float64(t.Refused), t.Kind)
			}
		}),
	labelled(prometheus.CounterValue, "tidings_network_shared_polls_total",
		"Polls of public channels, over all runs: made here at what is followed here (own) and for other nodes alone (for_others), made elsewhere at what is followed here, as reckoned (by_others).",
		[]string{"whose"},
		func(f facts, tell func(float64, ...string)) {
			tell(float64(f.Coop.All.Own), "own")
			tell(float64(f.Coop.All.ForOthers), "for_others")
			tell(float64(f.Coop.All.ByOthers), "by_others")
		}),
	labelled(prometheus.CounterValue, "tidings_network_doubted_contents_total",
		"Contents that distrusted nodes alone have told of since the node started: all (told), and those that a check of this node has seen since (seen).",
		[]string{"what"},
		func(f facts, tell func(float64, ...string)) {
			tell(float64(f.Coop.Republishers.Waited), "told")
			tell(float64(f.Coop.Republishers.Seen), "seen")
		}),
	gauge("tidings_network_detection_median_seconds",
		"Median time from a change, as its origin states it, to the check that saw it, of the changes that are kept.",
		func(f facts) float64 { return f.Coop.Detection.Median.Seconds() }),
	gauge("tidings_network_clock_offset_seconds", "This machine's clock less the median of other nodes'.",
		func(f facts) float64 { return f.Clock.Offset / 1000 }),
	gauge("tidings_network_duplicate_key", "1: another node runs with this one's key.",
		func(f facts) float64 { return truth(f.DuplicateKey) }),
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
