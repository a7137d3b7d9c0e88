// Package experiments holds what the lab tries, an experiment a file.
package experiments

import "tidings/lab"

// All returns the experiments, in the order in which people should meet them.
func All() []lab.Entry {
	return []lab.Entry{Engine, Pastry, Scribe, Feedtree, Rappel, SpiderCast, Astrolabe, NewsWire, Corona, Hot, Volunteer, CoronaLive, FeedtreeLive, RappelLive, SpiderCastLive, NewsWireLive}
}
