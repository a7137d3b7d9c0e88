package demo

// paper is a made-up feed. Its stories put one beginning and one end together, so that there is
// always another one.
type paper struct {
	name, title, folder string
	begins, ends        []string // of titles
	texts               []string
	author              string
}

// sheet is a made-up page. In each line that has several readings, one of them stands.
type sheet struct {
	name, title, folder, lead string
	lines                     []line
}

// line is a line of a sheet, and what it says in turn.
type line struct {
	label string
	says  []string
}

var papers = []paper{
	{
		name: "harbour-gazette", title: "The Harbour Gazette", folder: "Town", author: "Mara Lind",
		begins: []string{"The old lighthouse", "The open-air pool", "The night ferry", "The fish market",
			"The harbour choir", "Pier seven"},
		ends: []string{"is back after the winter", "draws a crowd on Sunday", "gets a coat of fresh paint",
			"will be looked after by pupils", "has a new keeper"},
		texts: []string{
			"People came with flasks of tea and stayed until the lamps were lit. The harbour office says that all " +
				"is in good order.",
			"The council has found the money after all, and work begins on Monday. Boats are asked to keep to the " +
				"eastern side meanwhile.",
			"Nobody can remember when this happened last. Our photographer was there before sunrise, and tells " +
				"what she saw.",
		},
	},
	{
		name: "slow-kitchen", title: "The Slow Kitchen", folder: "Reading", author: "Tomás Reyes",
		begins: []string{"Lentils with lemon", "A loaf of rye", "Plum jam", "Barley soup", "Roasted roots"},
		ends: []string{"for a long evening", "with five ingredients", "as my grandmother made it",
			"when the cupboard is bare"},
		texts: []string{
			"Put it on before you read the paper, and it is ready when you have finished. Salt comes last.",
			"The trick is patience: low heat, a heavy pot, and nobody who lifts the lid. It is better still on " +
				"the next day.",
		},
	},
	{
		name: "night-sky", title: "Night Sky Tonight", folder: "Reading", author: "Ines Aalto",
		begins: []string{"Saturn", "The Pleiades", "A faint comet", "The young moon", "Jupiter's four moons"},
		ends: []string{"after sunset in the west", "through ordinary binoculars", "all night long",
			"an hour before dawn"},
		texts: []string{
			"Give your eyes twenty minutes in the dark. Then look two fists above the horizon, a little to the " +
				"left of the tall pine.",
			"Clouds leave before midnight, the forecast says. Dress warmly, and bring somebody who has never seen it.",
		},
	},
	{
		name: "small-gardens", title: "Small Gardens", folder: "Reading", author: "Wei Zhang",
		begins: []string{"Tomatoes", "A fern", "Climbing beans", "Three kinds of mint", "A fig tree"},
		ends: []string{"on a balcony to the north", "in an old sink", "without a drop of tap water",
			"for those who forget to water"},
		texts: []string{
			"Start with good soil and a pot that is larger than you think. Everything else is waiting, and a " +
				"little pruning in June.",
			"I lost two before I understood what it wanted: less of everything. Now the neighbours ask for cuttings.",
		},
	},
	{
		name: "long-trail", title: "The Long Trail", folder: "Reading", author: "Jonas Berg",
		begins: []string{"Over the pass", "Two days along the river", "The path of the millers", "From hut to hut"},
		ends: []string{"in early snow", "with a child of six", "by the last bus", "on an empty stomach",
			"and back by boat"},
		texts: []string{
			"Leave early, for the second half is steeper than the map admits. There is water at the chapel, and " +
				"cake on the other side.",
			"The bridge is mended, so that the detour by the quarry is not needed any more. Waymarks are yellow, " +
				"then blue.",
		},
	},
	{
		name: "bits-and-bolts", title: "Bits and Bolts", folder: "Work", author: "Priya Nair",
		begins: []string{"An old radio", "The village's printing press", "A clock with one hand", "My bicycle lamp",
			"The weather station"},
		ends: []string{"works again", "taken apart in forty pictures", "and what I learnt from it",
			"for the price of a coffee"},
		texts: []string{
			"It was the capacitor. It is always the capacitor. But on the way there I found a note that somebody " +
				"had left in 1961.",
			"All parts can still be had, and most of them from your drawer. The drawings are below, with the " +
				"mistakes that I made.",
		},
	},
	{
		name: "quiet-orchestra", title: "The Quiet Orchestra", folder: "Town", author: "Elif Demir",
		begins: []string{"Our Thursday rehearsal", "The spring concert", "A second bassoon", "The open evening"},
		ends: []string{"moves to the church hall", "needs eight more chairs", "is sold out but for the gallery",
			"begins half an hour earlier", "with music by nobody you know"},
		texts: []string{
			"Please bring a pencil and your own stand. Those who come for the first time sit beside somebody who " +
				"has come for years.",
			"We play it twice: once as it is written, and once as it should have been. There is soup afterwards.",
		},
	},
	{
		name: "open-bench", title: "Open Bench", folder: "Work", author: "Sam Okafor",
		begins: []string{"Release 4", "The tape archive", "A smaller parser", "The spell checker", "Our test farm"},
		ends: []string{"is ready to be tried", "in half the memory", "speaks eleven languages",
			"without a single global"},
		texts: []string{
			"Thanks to everybody who sent reports, above all to the one who sent the failing file. It is a test now.",
			"We measured before and after, on the same machine, and were wrong about the cause. The change is " +
				"forty lines shorter than the bug.",
		},
	},
}

var sheets = []sheet{
	{
		name: "ferries", title: "Ferries from the harbour", folder: "Town",
		lead: "Departures of today. Boats do not wait.",
		lines: []line{
			{"09:40 to Lindholm, pier 2:", []string{"on time", "boarding", "left on time"}},
			{"10:15 to Stone Island, pier 7:", []string{"on time", "ten minutes late", "twenty minutes late",
				"boarding"}},
			{"11:00 to Westport, pier 1:", []string{"on time", "from pier 3 today", "from pier 3, five minutes late"}},
			{"12:30 to Lindholm, pier 2:", []string{"on time", "a smaller boat: no bicycles", "bicycles on deck only"}},
			{"13:45 round the lighthouse, pier 4:", []string{"seats left", "few seats left", "sold out",
				"a second boat goes"}},
		},
	},
	{
		name: "market", title: "Prices at the fish market", folder: "Town", lead: "For a kilogram, in crowns.",
		lines: []line{
			{"Herring", []string{"32", "30", "34", "29"}}, {"Mackerel", []string{"58", "61", "55"}},
			{"Cod", []string{"96", "102", "99", "91"}},
			{"Mussels", []string{"40", "38", "sold out", "42"}}, {"Plaice", []string{"77", "74", "80"}},
		},
	},
	{
		name: "lighthouse", title: "Lighthouse weather", folder: "Town",
		lead: "Read by hand, whenever the keeper passes.",
		lines: []line{
			{"Wind:", []string{"west, a light breeze", "south-west, fresh", "west, gusts", "calm"}},
			{"Sea:", []string{"small waves", "white crests", "smooth", "a long swell"}},
			{"Sight:", []string{"to the islands", "to the horizon", "a mile, haze"}},
			{"The keeper says:", []string{"dry until the evening", "bring in the washing", "a fine sunset is likely",
				"fog after midnight"}},
		},
	},
	{
		name: "library", title: "The lending shelf", folder: "Work", lead: "Tools and books that anybody may borrow.",
		lines: []line{
			{"Long ladder:", []string{"here", "lent until Tuesday", "reserved"}},
			{"Soldering iron:", []string{"lent", "here", "being mended"}},
			{"Star atlas:", []string{"here", "lent until Friday"}},
			{"Apple press:", []string{"lent for the season", "reserved by three", "here"}},
			{"Sewing machine:", []string{"here", "lent until Monday", "here, with a new needle"}},
		},
	},
}
