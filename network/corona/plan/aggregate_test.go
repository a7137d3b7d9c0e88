package plan

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
)

// While users continue to subscribe, every round of the aggregation brings news. Contacts are asked quickly for a
// while, and then less often, until contacts change.
func TestAggregationIsHastyForSomeTime(t *testing.T) {
	t.Parallel()
	p := newNet(t, 5, 16, testConfig())
	channels := 0
	asked := func(d time.Duration) float64 {
		before := p.sent(new(AggregateRequest))
		for end := p.world.Now() + d; p.world.Now() < end; {
			for range 4 + channels/50 { // more than notable, and seen by all
				p.subscribe(fmt.Sprint("http://feeds.example/", channels), 10)
				channels++
			}
			p.world.Run(30 * time.Second)
		}
		return float64(p.sent(new(AggregateRequest))-before) / d.Minutes()
	}
	asked(10 * time.Minute) // until news has reached all
	quick := asked(20 * time.Minute)
	asked(mostHasty * p.config.AggregateEvery / quickly)
	brisk := asked(20 * time.Minute)
	t.Logf("%.0f contacts a minute are asked, later %.0f", quick, brisk)
	if brisk > quick*1.3*briskly/quickly || brisk < quick*0.7*briskly/quickly {
		t.Errorf("%.0f contacts a minute are asked at first, and %.0f later", quick, brisk)
	}
	p.world.Boot(p.add())
	if again := asked(20 * time.Minute); again < 1.3*brisk {
		t.Errorf("%.0f contacts a minute are asked once there is a new node", again)
	}
}

// sent returns how many messages of a kind were sent so far.
func (p *net) sent(m engine.Message) (count uint64) {
	if k := p.world.Counters().Kinds[m.Kind()]; k != nil {
		count = k.Sent
	}
	return count
}

// Where nobody follows anything, nodes count each other every five minutes, however short the intervals are, and
// confirm nothing. The primary of the first channel does not wait for that time to end.
func TestARingWithoutChannelsRests(t *testing.T) {
	t.Parallel()
	c := testConfig()
	c.Interval, c.Maintenance, c.AggregateEvery = 10*time.Second, 20*time.Second, 3*time.Second
	p := newNet(t, 6, 16, c)
	p.checkCounts()
	asked, confirmed := p.sent(new(AggregateRequest)), p.sent(new(MaintenanceDigest))
	p.world.Run(time.Hour)
	contacts := 0
	for _, n := range p.active() {
		contacts += len(p.member(n).plan.view.contacts)
	}
	if asked = p.sent(new(AggregateRequest)) - asked; asked > uint64(15*contacts) || asked < uint64(11*contacts) {
		t.Errorf("in an hour %d contacts were asked %d times", contacts, asked)
	}
	if confirmed = p.sent(new(MaintenanceDigest)) - confirmed; confirmed != 0 {
		t.Errorf("%d digests of nothing were sent", confirmed)
	}
	feed := p.subscribe("http://feeds.example/first", 40)
	counting := &p.member(p.primary(feed.ID)).plan.counting
	rounds := counting.rounds
	p.world.Run(10 * time.Second)
	if rounds = counting.rounds - rounds; rounds < quickRounds {
		t.Errorf("its primary asked in %d rounds since", rounds)
	}
	p.world.Run(2 * c.Maintenance)
	if got := len(p.pollers(feed.ID)); got < 2 {
		t.Errorf("%d nodes poll the first channel", got)
	}
	p.checkSets()
}
