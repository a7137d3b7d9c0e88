package feed

import (
	"strings"
	"time"
)

// dateOrder is in which order 05/06/2024 has day and month, as far as that is known: bits of what dates show.
type dateOrder uint8

const (
	dayFirst   dateOrder = 1 << iota // as in 25/06/2024
	monthFirst                       // as in 06/25/2024
)

// dayFirstLanguages are those whose short dates begin with the day, in Unicode's CLDR. English is not among them: it
// depends on the country.
var dayFirstLanguages = set("bg ca cs da de el es et fi fr ga gl hr id is it lv mt nb nl nn no pl pt ro ru sk sl sr tr uk vi")

// dayFirstCountries are those in which English dates begin with the day.
var dayFirstCountries = set("gb ie au nz in mt sg hk")

// monthFirstCountries write the month first whatever their language.
var monthFirstCountries = set("us pr ph gu")

// orderOf returns the order in which a language, as a feed declares it, writes short dates; 0 if that is open.
func orderOf(language string) dateOrder {
	parts := strings.FieldsFunc(strings.ToLower(language), func(r rune) bool { return r == '-' || r == '_' })
	for i, part := range parts {
		switch {
		case i > 0 && monthFirstCountries[part]:
			return monthFirst
		case i > 0 && parts[0] == "en" && dayFirstCountries[part]:
			return dayFirst
		}
	}
	if len(parts) > 0 && dayFirstLanguages[parts[0]] {
		return dayFirst
	}
	return 0
}

// settleOrder settles the dates that can be 5 June as well as May 6. The order of the feed's other dates decides, else
// that of its language. If neither decides, or dates differ, they are read as Americans write them.
func (d *Document) settleOrder() {
	order := d.order
	if order == 0 {
		order = orderOf(d.Language)
	}
	if order != dayFirst {
		return
	}
	for i := range d.Items {
		it := &d.Items[i]
		for _, at := range []struct {
			date    *time.Time
			swapped time.Time
		}{{&it.Published, it.swapped.published}, {&it.Updated, it.swapped.updated}} {
			if !at.swapped.IsZero() {
				*at.date = at.swapped
			}
		}
	}
}

// swappedDates are an item's dates with day before month, where they can be read so; else zero.
type swappedDates struct{ published, updated time.Time }
