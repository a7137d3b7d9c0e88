package node

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/store/shared"
	"tidings/view"
)

// together is a ring of whole nodes, and an origin that they poll.
type together struct {
	t      *testing.T
	origin *origin.Origin
	base   string
	nodes  []*restartable
}

// pollTogether starts nodes that know each other. They poll every interval.
func pollTogether(t *testing.T, nodes int, interval time.Duration, more ...func(*Config)) *together {
	t.Helper()
	w := &together{t: t}
	w.origin, w.base = startOrigin(t)
	for i := range nodes {
		change := append([]func(*Config){func(c *Config) { c.Interval, c.Contact = interval, contact(i) }}, more...)
		if i > 0 {
			change = append(change, joiningBy(w.nodes[0].address()))
		}
		w.nodes = append(w.nodes, newRestartable(t, change...))
	}
	await(t, "all are in one ring", func() bool {
		for _, n := range w.nodes {
			if n.view().Nodes < nodes || len(n.view().Neighbours) < nodes-1 {
				return false
			}
		}
		return true
	})
	for _, n := range w.nodes {
		n.awaitRing()
	}
	return w
}

// contact is the address that a node of a together sends to the origin. It distinguishes its polls from those of
// others.
func contact(i int) string { return fmt.Sprintf("https://node-%d.example", i) }

// boundPolls begins to count the polls of a channel. The function that it returns fails the test if there were too many
// polls. Pollers may poll once in an interval each and once more for each change. Others may only poll to make sure
// that the network has missed nothing, once in backupEvery intervals.
func (w *together) boundPolls(name string, interval time.Duration, pollers ...int) func(changes int) {
	w.t.Helper()
	const backupEvery = 48
	began, before := time.Now(), len(w.origin.Requests(name))
	return func(changes int) {
		w.t.Helper()
		polls := w.origin.Requests(name)[before:]
		intervals := int(time.Since(began) / interval)
		var others []string
		for _, p := range polls {
			if !slices.ContainsFunc(pollers, func(i int) bool { return strings.Contains(p.UserAgent, contact(i)) }) {
				others = append(others, p.UserAgent)
			}
		}
		if len(others) > intervals/backupEvery+1 {
			w.t.Errorf("checks by %q", others)
		}
		// Polls may be late, never early. The first of a node may belong to an earlier turn, and each further one to a
		// turn after the previous poll.
		if n, most := len(polls)-len(others), len(pollers)*(intervals+2)+changes; n > most {
			w.t.Errorf("%d checks, want %d at most", n, most)
		}
	}
}

// believing makes nodes show the network's findings without a poll of their own, for tests of how news travels. In so
// small a network each would poll for itself.
func believing(c *Config) { c.Witnesses = 0 }

// ownedBy serves a feed with the given node as its primary.
func (w *together) ownedBy(primary int) (name, url string) {
	w.t.Helper()
	for i := range 1000 {
		name = fmt.Sprint("feed-", i)
		url = w.base + name
		if w.primary(url) == primary {
			if err := w.origin.AddFeed(name, origin.MakeFeed(uint64(i), 5, 4000), origin.Options{}); err != nil {
				w.t.Fatal(err)
			}
			return name, url
		}
	}
	w.t.Fatal("no channel belongs to the node")
	return "", ""
}

func (w *together) primary(url string) (closest int) {
	return w.closestTo(engine.ID(tidings.IDOf(url)))
}

// closestTo returns the node with the ID closest to another, except the nodes in without.
func (w *together) closestTo(key engine.ID, without ...int) (closest int) {
	id := func(i int) engine.ID {
		id, err := engine.ParseID(w.nodes[i].id)
		if err != nil {
			w.t.Fatal(err)
		}
		return id
	}
	closest = -1
	for i := range w.nodes {
		if !slices.Contains(without, i) && (closest < 0 || engine.Closer(key, id(i), id(closest))) {
			closest = i
		}
	}
	return closest
}

func (w *together) client(i int) *api.Client { return w.nodes[i].client }

func (w *together) follow(i int, url string) {
	w.t.Helper()
	if _, err := w.client(i).Subscribe(w.t.Context(), tidings.SubscribeRequest{URL: url}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *together) updates(i int) []tidings.Update {
	w.t.Helper()
	all, err := w.client(i).Updates(w.t.Context(), tidings.UpdateQuery{Limit: tidings.MaxLimit})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *together) watching(i int) view.CoopChannels {
	w.t.Helper()
	s, err := w.nodes[i].Status(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return s.CoopChannels
}

func (w *together) step(name string) {
	w.t.Helper()
	if _, err := w.origin.Step(name); err != nil {
		w.t.Fatal(err)
	}
}

// numbered returns the version of the network's that a node has of a channel.
func (w *together) numbered(i int, url string) shared.Version {
	w.t.Helper()
	v, err := w.nodes[i].store.Shared.Version(w.t.Context(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// awaitNumber waits until a node has the network's first version of a channel.
func (w *together) awaitNumber(i int, url string) {
	w.t.Helper()
	await(w.t, "the content has a number", func() bool {
		return w.numbered(i, url).Number > 0
	})
}

// changed changes a feed and waits until a node shows that. It returns the update.
func (w *together) changed(i int, name string) tidings.Update {
	w.t.Helper()
	before := len(w.updates(i))
	w.step(name)
	await(w.t, "the change is shown", func() bool { return len(w.updates(i)) > before })
	got := w.updates(i)
	u := got[len(got)-1]
	if len(got) != before+1 || len(u.Items) != 1 || u.Items[0].Change != tidings.New ||
		u.Items[0].Content+u.Items[0].Summary == "" {
		w.t.Errorf("%d more updates, the last one %+v", len(got)-before, u)
	}
	return u
}

// foundFor changes a feed until one node has found a change for another. It returns how many changes that needed. The
// reader may find one by its backup poll, which it makes once in 48 intervals; no other node may.
func (w *together) foundFor(reader, finder int, name string) (changes int) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		changes++
		switch u := w.changed(reader, name); u.FoundBy {
		case w.nodes[finder].id:
			return changes
		case w.nodes[reader].id:
		default:
			w.t.Errorf("found by %s, want %s", u.FoundBy, w.nodes[finder].id)
			return changes
		}
	}
	w.t.Fatalf("node %d has found all of %d changes by itself", reader, changes)
	return changes
}

// One node follows a channel, and another polls it and finds what is new. The first shows it and names the finder. No
// other node polls. When the channel is not followed any more, none does. The channel is polled by leave of the host's
// owners, which have proof of its followers: over real connections, with real signatures.
func TestAnotherNodeFindsTheChange(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval, believing)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	await(t, "the primary looks for the first node", func() bool {
		return w.watching(1).ForOthers == 1 && w.watching(0).ByOthers == 1
	})
	w.awaitNumber(0, url)
	if got := w.updates(0); len(got) != 1 {
		t.Fatalf("%d updates of what was there when it was subscribed to", len(got))
	}
	bound, finds, changes := w.boundPolls(name, interval, 1), 3, 0
	if testing.Short() {
		finds = 1
	}
	for range finds {
		changes += w.foundFor(0, 1, name)
	}
	bound(changes)
	if all, err := w.client(1).Channels(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("the other node shows %v, %v", all, err)
	}
	await(t, "the first node's next check is a backup", func() bool { // one that is due just now says something else
		f, err := w.client(0).Channel(t.Context(), url)
		return err == nil && f.Last.NextWhy == channels.BackupWhy
	})
	if _, err := w.client(0).Unsubscribe(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	await(t, "nobody checks any more", func() bool { return w.watching(1).ForOthers == 0 })
}

// Where a person has set that hosts have no ceiling, a channel is polled without leave of the host's owners.
func TestPollingWithoutCeilings(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval, func(c *Config) { c.HostCeiling = 0 }, believing)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	await(t, "the primary looks for the first node", func() bool {
		return w.watching(1).ForOthers == 1 && w.watching(0).ByOthers == 1
	})
	w.awaitNumber(0, url)
	bound := w.boundPolls(name, interval, 1)
	bound(w.foundFor(0, 1, name))
}

// All follow it: all poll, each in its turn, and each learns of each change once, from any finder. The requests are no
// more than if each polled alone.
func TestAllPollInTurn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the plan of a network")
	}
	const interval = 2 * time.Second
	w := pollTogether(t, 3, interval, believing)
	name, url := w.ownedBy(1)
	for i := range w.nodes {
		w.follow(i, url)
	}
	// Polls that make sure of changes are load as well. Without an additional reader that is not a node, the plan has
	// no room for them beside all nodes' polls.
	id := engine.ID(tidings.IDOf(url))
	w.nodes[0].coop.InLoop(t.Context(), func() {
		w.nodes[0].coop.Corona().Subscribe(corona.Channel{ID: id, URL: url}, "xmpp:reader@example.org", 4)
	})
	await(t, "all check", func() bool {
		return w.watching(0).Both == 1 && w.watching(1).Both == 1 && w.watching(2).Both == 1
	})
	w.awaitNumber(0, url)
	bound := w.boundPolls(name, interval, 0, 1, 2)
	finders := make(map[string]bool)
	changes := 0
	for deadline := time.Now().Add(patience); changes < 6 ||
		len(finders) < 2 && time.Now().Before(deadline); changes++ {
		finders[w.changed(0, name).FoundBy] = true
	}
	all := len(w.shown(0))
	for i := range w.nodes {
		// A slow node may find two changes in one poll: then they are one update.
		await(t, "all have all", func() bool { return len(w.shown(i)) == all })
	}
	bound(changes)
	if len(finders) < 2 {
		t.Errorf("all was found by %v", finders)
	}
}

// shown returns how often a node has shown each item. More than once is an error.
func (w *together) shown(i int) map[string]int {
	w.t.Helper()
	shown := make(map[string]int)
	for _, u := range w.updates(i) {
		for _, item := range u.Items {
			shown[item.ID]++
			if shown[item.ID] > 1 {
				w.t.Fatalf("node %d has shown %s %d times", i, item.ID, shown[item.ID])
			}
		}
	}
	return shown
}

// The primary goes, and comes back; the subscriber goes, and has missed something.
func TestAChangeArrivesWhoeverGoes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the ring to mend")
	}
	w := pollTogether(t, 4, 2*time.Second)
	name, url := w.ownedBy(1)
	w.follow(0, url)
	w.awaitNumber(0, url)
	w.changed(0, name)
	w.nodes[1].stop()
	if u := w.changed(0, name); u.FoundBy == w.nodes[1].id {
		t.Error("found by who is not there")
	}
	w.nodes[1].start()
	await(t, "it is back", func() bool { return w.nodes[1].sees(w.nodes[0]) })
	w.changed(0, name)
	before := w.updates(0)
	w.nodes[0].stop()
	w.step(name)
	w.nodes[0].start()
	await(t, "what was missed is shown", func() bool { return len(w.updates(0)) == len(before)+1 })
	w.changed(0, name)
}

// Hostile 32: a node that polls is killed, at any place in the ring. The next change is shown nevertheless, and once.
func TestHostile32AKilledFinderLosesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the ring to mend")
	}
	w := pollTogether(t, 2, leastTogether, believing)
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envNode+"="+dir, envJoin+"="+w.nodes[0].address())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	await(t, "the third node is there", func() bool { return len(w.nodes[0].view().Neighbours) == 2 })
	var victim string
	for _, p := range w.nodes[0].view().Neighbours {
		if p.ID != w.nodes[1].id {
			victim = p.ID
		}
	}
	w.nodes = append(w.nodes, &restartable{Node: &Node{id: victim}})
	name, url := w.ownedBy(2)
	w.follow(0, url)
	w.awaitNumber(0, url)
	w.foundFor(0, 2, name)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if u := w.changed(0, name); u.FoundBy == victim {
			t.Error("found by the dead")
		}
	}
}

// Pages travel as deltas.
func TestAPageIsFoundByAnother(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three nodes")
	}
	w := pollTogether(t, 3, 2*time.Second, believing)
	name, url := w.ownedBy(2)
	if err := w.origin.Add(name, historyOf(pageOf("one", "two"), pageOf("one", "two", "three"),
		pageOf("zero", "one", "three")), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	w.follow(0, url)
	w.awaitNumber(0, url)
	travelled := 0
	for i, want := range []string{"3a4\n> three\n", "1a2\n> zero\n3d3\n< two\n"} {
		w.step(name)
		await(t, "the change is shown", func() bool { return len(w.updates(0)) == i+2 })
		u := w.updates(0)[i+1]
		if u.FoundBy == w.nodes[2].id { // else by the reader's backup poll
			travelled++
		}
		if u.FoundBy == w.nodes[1].id || u.Delta != want {
			t.Errorf("found by %s: %q, want %q", u.FoundBy, u.Delta, want)
		}
	}
	if travelled == 0 {
		t.Error("the reader has found both changes by itself")
	}
}

// A channel that is not public is named to no other node. Other nodes' polls do not make a node poll channels that its
// people follow in their own way.
func TestWhatIsNotPublicIsToldToNobody(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, 2*time.Second)
	name, url := w.ownedBy(1)
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: url, Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
	_, public := w.ownedBy(1)
	if public == url {
		public = w.base + "other"
		if err := w.origin.AddFeed("other", origin.MakeFeed(77, 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	w.follow(0, public)
	w.awaitNumber(0, public)
	if w.nodes[1].coop.Shares(tidings.IDOf(url)) {
		t.Errorf("the other node knows of %s", url)
	}
	if err := w.nodes[0].Change(t.Context(), tidings.Owner, public,
		tidings.ChannelChange{Privacy: new(tidings.Unlisted)}); err != nil {
		t.Fatal(err)
	}
	await(t, "what has become private is forgotten", func() bool {
		return !w.nodes[1].coop.Shares(tidings.IDOf(public))
	})
	if u := w.changed(0, name); u.FoundBy != w.nodes[0].id {
		t.Errorf("found by %s", u.FoundBy)
	}
}

// A node that is alone in its ring polls by itself, in the same way.
func TestANodeAlonePollsByItself(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, 2*time.Second)
	name, url := w.ownedBy(0)
	w.follow(0, url)
	await(t, "it checks", func() bool { return w.watching(0).Both == 1 })
	for range 2 {
		if u := w.changed(0, name); u.FoundBy != w.nodes[0].id {
			t.Errorf("found by %s", u.FoundBy)
		}
	}
}
