package metrics

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"tidings"
	"tidings/view"
)

// fake is a node with one of everything.
type fake struct {
	off bool
	err error
}

const friend = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/12D3KooWFriend"

func (f fake) Status(context.Context) (view.Status, error) {
	s := view.Status{
		Version: "1.2.3", Channels: 7, Subscriptions: 9, Items: 300, StoreBytes: 4096,
		ByHealth: map[tidings.Health]int{tidings.HealthGood: 5, tidings.HealthFailing: 2}, DataDir: "/home/ada/tidings",
		ByOutcome: map[tidings.Outcome]int64{tidings.OutcomeNotModified: 40, tidings.OutcomeChanged: 2},
		Coop: view.CoopStatus{All: view.PollCounts{Own: 70, ForOthers: 31, ByOthers: 620},
			Detection:    tidings.Detection{Changes: 3, Median: 1500 * time.Millisecond},
			Republishers: view.RepublisherCounts{Waited: 9, Seen: 7}},
		Bytes: 12345, Updates: 2, PollingNow: 1, Overdue: 3,
		Slots:       view.Slots{All: 256, Overran: 5, Hanging: 4, Waited: 90 * time.Second},
		OriginClock: view.Clock{Offset: -1500, Others: 4},
	}
	if f.off {
		s.Off = true
		return s, f.err
	}
	s.Network = view.Network{
		Nodes: 1200, Neighbours: make([]view.Peer, 16), Reachable: view.ReachPrivate,
		Joins: []view.Join{{Address: friend, State: view.Joined}}, Clock: view.Clock{Offset: 250, Others: 3},
		Traffic: []view.Traffic{{Kind: "pastry.Join", Sent: 3, SentBytes: 300, Received: 1, ReceivedBytes: 99,
			Dropped: 2, Refused: 4}},
	}
	return s, f.err
}

func (f fake) Peers(context.Context) ([]view.Peer, error) {
	return []view.Peer{{ID: "6e1f0a4b", Address: friend, Connected: true}, {}, {}}, nil
}

// scrape asks m as Prometheus would, by HTTP.
func scrape(t *testing.T, m *Metrics, method, accept string) (status int, text string) {
	t.Helper()
	r := httptest.NewRequest(method, Path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestScrape(t *testing.T) {
	m := New(fake{}, nil)
	m.Measured(30 * time.Millisecond)
	m.Measured(2 * time.Minute)
	for _, accept := range []string{"", "text/plain", "application/openmetrics-text;version=1.0.0"} {
		status, text := scrape(t, m, "GET", accept)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", accept, status, text)
		}
		text = strings.ReplaceAll(text, ".0\n", "\n") // OpenMetrics writes 7.0
		for _, want := range []string{
			`tidings_build_info{version="1.2.3"} 1`,
			`tidings_channels 7`,
			`tidings_channels_by_health{health="good"} 5`,
			`tidings_channels_by_health{health="ended"} 0`,
			`tidings_polls_total{outcome="not modified"} 40`,
			`tidings_polls_total{outcome="gone"} 0`,
			`tidings_polls_overdue 3`,
			`tidings_poll_slots 256`,
			`tidings_poll_longest_wait_seconds 90`,
			`tidings_polls_overran_total 5`,
			`tidings_polls_hanging 4`,
			`tidings_origin_received_bytes_total 12345`,
			`tidings_updates_total 2`,
			`tidings_store_bytes 4096`,
			`tidings_origin_clock_offset_seconds -1.5`,
			`tidings_network_peers{connected="yes"} 1`,
			`tidings_network_peers{connected="no"} 2`,
			`tidings_network_neighbours 16`,
			`tidings_network_estimated_nodes 1200`,
			`tidings_network_reachability{reachability="private"} 1`,
			`tidings_network_reachability{reachability="public"} 0`,
			`tidings_network_joins{state="joined"} 1`,
			`tidings_network_joins{state="waiting"} 0`,
			`tidings_network_messages_total{direction="sent",kind="pastry.Join"} 3`,
			`tidings_network_messages_total{direction="received",kind="pastry.Join"} 1`,
			`tidings_network_message_bytes_total{direction="received",kind="pastry.Join"} 99`,
			`tidings_network_dropped_messages_total{kind="pastry.Join"} 2`,
			`tidings_network_refused_messages_total{kind="pastry.Join"} 4`,
			`tidings_network_shared_polls_total{whose="for_others"} 31`,
			`tidings_network_shared_polls_total{whose="by_others"} 620`,
			`tidings_network_doubted_contents_total{what="told"} 9`,
			`tidings_network_doubted_contents_total{what="seen"} 7`,
			`tidings_network_detection_median_seconds 1.5`,
			`tidings_network_clock_offset_seconds 0.25`,
			`tidings_network_duplicate_key 0`,
			`tidings_network_round_trip_seconds_bucket{le="0.025"} 0`,
			`tidings_network_round_trip_seconds_bucket{le="0.05"} 1`,
			`tidings_network_round_trip_seconds_count 2`,
			"# TYPE go_goroutines gauge",
			"# TYPE process_start_time_seconds gauge",
		} {
			if !strings.Contains(text, "\n"+want+"\n") {
				t.Errorf("%s: %q is missing in:\n%s", accept, want, text)
			}
		}
		for _, private := range []string{friend, "12D3KooW", "6e1f0a4b", "/home/ada"} {
			if strings.Contains(text, private) {
				t.Errorf("it tells %q", private)
			}
		}
	}
}

// Prometheus' own judgement of names, units and help texts.
func TestConventions(t *testing.T) {
	m := New(fake{}, nil)
	m.Measured(time.Millisecond)
	_, text := scrape(t, m, "GET", "text/plain")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "tidings_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	if n := strings.Count(text, "# TYPE tidings_"); n != len(ofNode)+len(ofNetwork)+1 {
		t.Errorf("%d metrics are told, not all", n)
	}
}

func TestWhoWorksAloneHasNoNetwork(t *testing.T) {
	status, text := scrape(t, New(fake{off: true}, nil), "GET", "")
	if status != http.StatusOK || !strings.Contains(text, "\ntidings_channels 7\n") ||
		strings.Contains(text, "tidings_network_peers") {
		t.Errorf("%d %s", status, text)
	}
}

func TestReasonsStayInTheLog(t *testing.T) {
	status, text := scrape(t, New(fake{err: errors.New("sqlite: disk I/O error in /home/ada")}, nil), "GET", "")
	if status != http.StatusInternalServerError || strings.Contains(text, "sqlite") ||
		!strings.Contains(text, "could not be asked") {
		t.Errorf("%d %s", status, text)
	}
}

func TestMetricsAreOnlyRead(t *testing.T) {
	if status, text := scrape(t, New(fake{}, nil), "POST", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := scrape(t, New(fake{}, nil), "HEAD", ""); status != http.StatusOK {
		t.Errorf("HEAD: %d", status)
	}
}

// Two nodes in one process have nothing in common.
func TestMetricsOfTwoNodes(t *testing.T) {
	a, b := New(fake{}, nil), New(fake{}, nil)
	a.Measured(time.Millisecond)
	if _, text := scrape(t, b, "GET", ""); !strings.Contains(text, "\ntidings_network_round_trip_seconds_count 0\n") {
		t.Error("one node tells the other's round trips")
	}
}
