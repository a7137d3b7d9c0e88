package corona

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"tidings"
	"tidings/lab/dataset"
	"tidings/lab/livenet"
	"tidings/lab/origin"
	"tidings/source/feed"
)

// liveWork is what the origin serves, and which nodes subscribe to it.
type liveWork struct {
	source    string // a sentence that says where the histories are from
	histories []*liveHistory
	channels  []liveChannel // as those of network
	network   livenet.Workload
}

// liveChannel replays a part of a history, from some moment of it on.
type liveChannel struct {
	history *liveHistory
	first   int       // the snapshot that is there at the beginning
	from    time.Time // that moment
	facts   *liveFacts
}

// liveHistory is how one feed was over time.
type liveHistory struct {
	dataset.History
	docs  []*feed.Document   // by snapshot
	facts map[int]*liveFacts // by the snapshot that readers begin with
}

// liveFacts is what a reader of a feed would be shown that polled each of its states, from some state on.
type liveFacts struct {
	list  []liveFact
	index map[uint64]int32 // by what they say; negative: it is said more than once
}

// liveFact is an item, new or revised, as readers are shown it. Each fact comes once.
type liveFact struct {
	from, to int  // the first and the last snapshot that says it, without a break
	void     bool // it is said again later
}

// The sentences that say where histories are from.
const (
	fromRecords = "The feeds are recorded ones."
	madeUp      = "The recorded documents are not here (set " + dataset.EnvDir +
		"), so the feeds are made up: their changes come when those of " +
		"recorded feeds came, and are as long and as many."
)

// readLiveHistories returns the feeds with documents of at most so many bytes. They are recorded ones, or made-up ones
// where there are no recordings.
func readLiveHistories(most int) (all []*liveHistory, source string, err error) {
	histories, source, err := liveDocuments(most)
	if err != nil {
		return nil, "", err
	}
	for _, h := range histories {
		if len(h.Snapshots) < 2 ||
			slices.ContainsFunc(h.Snapshots, func(s dataset.Snapshot) bool { return len(s.Body) > most }) {
			continue
		}
		lh := &liveHistory{History: h, facts: make(map[int]*liveFacts)}
		if err := lh.read(); err != nil {
			return nil, "", fmt.Errorf("reading history %s: %w", h.Name, err)
		}
		all = append(all, lh)
	}
	if len(all) == 0 {
		return nil, "", fmt.Errorf("no history has documents of at most %d bytes", most)
	}
	return all, source, nil
}

// liveDocuments returns histories of feeds, those left out that are longer on the whole, and says where they are from.
func liveDocuments(most int) (histories []dataset.History, source string, err error) {
	dir, err := dataset.Dir()
	if errors.Is(err, dataset.ErrMissing) {
		return madeDocuments(most), madeUp, nil
	}
	if err == nil {
		histories, err = recordedDocuments(filepath.Join(dir, "feed-histories"), most)
	}
	return histories, fromRecords, err
}

// madeDocuments makes up histories of those feeds with recent documents of at most so many bytes.
func madeDocuments(most int) (histories []dataset.History) {
	for _, f := range dataset.Feeds() {
		recent := f.Updates[len(f.Updates)-f.Recent:]
		if !slices.ContainsFunc(recent, func(u dataset.Update) bool { return u.Bytes > most }) {
			histories = append(histories, origin.MakeHistory(f))
		}
	}
	return histories
}

// recordedDocuments reads the successive states of the feeds in a folder with a median of at most so many bytes.
func recordedDocuments(dir string, most int) (histories []dataset.History, err error) {
	lengths, err := dataset.Lengths(dir)
	if err != nil {
		return nil, err
	}
	files, err := dataset.Histories(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if n := lengths[strings.TrimSuffix(filepath.Base(file), ".tar.bz2")]; n == 0 || n > most {
			continue
		}
		h, err := dataset.ReadHistory(file)
		if err != nil {
			return nil, err
		}
		for len(h.Snapshots) > 0 && h.Snapshots[0].Run != "dense" {
			h.Snapshots = h.Snapshots[1:]
		}
		histories = append(histories, h)
	}
	return histories, nil
}

// read parses all documents.
func (h *liveHistory) read() error {
	for _, s := range h.Snapshots {
		doc, err := feed.Parse(s.Body, "", "http://origin.example/", feed.Default())
		if err != nil {
			return err
		}
		h.docs = append(h.docs, doc)
	}
	return nil
}

// factsFrom returns the facts that a reader is shown that polls each state from the first on, for the duration.
func (h *liveHistory) factsFrom(first int, during time.Duration) *liveFacts {
	if facts := h.facts[first]; facts != nil {
		return facts
	}
	facts := &liveFacts{index: make(map[uint64]int32)}
	h.facts[first] = facts
	end := h.Snapshots[min(first+1, len(h.Snapshots)-1)].Time.Add(during)
	var known []tidings.KnownItem
	var says []int32 // by known item: the fact that it is now; negative: none
	for i := first; i < len(h.docs) && (i == first || !h.Snapshots[i].Time.After(end)); i++ {
		found := feed.Match(known, h.docs[i])
		for k := range known {
			known[k].Listed = false
		}
		for _, f := range found {
			row := int(f.Row) - 1
			if row < 0 {
				row = len(known)
				known, says = append(known, tidings.KnownItem{Row: int64(row + 1)}), append(says, -1)
			}
			known[row].ItemIdentity, known[row].Listed = f.Mark, true
			if f.Change != "" {
				says[row] = facts.add(i, livenet.SaidBy(&f.Item))
			} else if at := says[row]; at >= 0 && facts.list[at].to == i-1 {
				facts.list[at].to = i
			}
		}
	}
	return facts
}

// add stores what a state says, and returns the fact. It is negative if the item was there before, and so is no fact.
func (f *liveFacts) add(state int, key uint64) int32 {
	if at, known := f.index[key]; known {
		if at >= 0 {
			f.list[at].void = true
		}
		f.index[key] = -1
		return -1
	}
	f.index[key] = int32(len(f.list))
	f.list = append(f.list, liveFact{from: state, to: state})
	return int32(len(f.list) - 1)
}

// newLiveWork draws what channels replay, and which nodes subscribe. Popularity follows Zipf's law, but no channel has
// more readers than there are nodes.
func newLiveWork(seed uint64, s liveSizes) (*liveWork, error) {
	histories, source, err := readLiveHistories(s.MaxBytes)
	if err != nil {
		return nil, err
	}
	w := &liveWork{source: source, histories: histories, network: livenet.Workload{
		Seed: seed, Processes: s.Killed, Nodes: s.Nodes - s.Killed, Joining: s.Joined,
		Hosts: s.Hosts, Interval: s.Interval, Polls: livenet.PollsAtATime, Calm: s.Calm, Speed: s.Speed,
	}}
	chance := rand.New(rand.NewPCG(seed, 0x11fe))
	for i, readers := range popularity(s) {
		h := histories[chance.IntN(len(histories))]
		passes := time.Duration(float64(s.For) * s.Speed)
		begin, end := h.Snapshots[0].Time, h.Snapshots[len(h.Snapshots)-1].Time
		from := begin.Add(time.Duration(chance.Float64() * float64(max(end.Sub(begin)-passes, 0))))
		first := sort.Search(len(h.Snapshots), func(k int) bool { return h.Snapshots[k].Time.After(from) }) - 1
		c := liveChannel{history: h, first: first, from: from, facts: h.factsFrom(first, 2*passes)}
		w.channels = append(w.channels, c)
		name := fmt.Sprintf("%s-%d", h.Name, i)
		w.network.Channels = append(w.network.Channels, livenet.Channel{
			Name: name, Readers: chance.Perm(s.Nodes)[:readers], History: c.replayed(name), Facts: c.facts.index,
		})
	}
	for _, h := range histories {
		h.docs = nil
	}
	return w, nil
}

// popularity returns how many nodes subscribe to each channel, the most popular first.
func popularity(s liveSizes) []int {
	readers := func(scale float64) (all []int, sum int) {
		for i := range s.Channels {
			q := min(max(int(math.Round(scale*math.Pow(float64(i+1), -zipf))), 1), s.Nodes)
			all, sum = append(all, q), sum+q
		}
		return all, sum
	}
	low, high := 0., float64(s.Nodes)*math.Sqrt(float64(s.Channels))
	for range 60 {
		if _, sum := readers((low + high) / 2); sum < s.Subscriptions {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	all, _ := readers(high)
	return all
}

// replayed is the history as the channel's origin replays it.
func (c *liveChannel) replayed(name string) dataset.History {
	h := dataset.History{Name: name, Snapshots: append([]dataset.Snapshot(nil), c.history.Snapshots[c.first:]...)}
	h.Snapshots[0].Time = c.from
	return h
}
