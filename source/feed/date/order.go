package date

import "strings"

// Order is in which order 05/06/2024 has day and month, as far as that is known: bits of what dates show.
type Order uint8

const (
	DayFirst   Order = 1 << iota // as in 25/06/2024
	MonthFirst                   // as in 06/25/2024
)

// dayFirstLanguages are those whose short dates begin with the day, in Unicode's CLDR. English is not among them: it
// depends on the country.
var dayFirstLanguages = set("bg ca cs da de el es et fi fr ga gl hr id is it lv mt nb nl nn no pl pt ro ru sk sl sr tr uk vi")

// dayFirstCountries are those in which English dates begin with the day.
var dayFirstCountries = set("gb ie au nz in mt sg hk")

// monthFirstCountries write the month first whatever their language.
var monthFirstCountries = set("us pr ph gu")

// OrderOf returns the order in which a language, as a feed declares it, writes short dates; 0 if that is open.
func OrderOf(language string) Order {
	parts := strings.FieldsFunc(strings.ToLower(language), func(r rune) bool { return r == '-' || r == '_' })
	for i, part := range parts {
		switch {
		case i > 0 && monthFirstCountries[part]:
			return MonthFirst
		case i > 0 && parts[0] == "en" && dayFirstCountries[part]:
			return DayFirst
		}
	}
	if len(parts) > 0 && dayFirstLanguages[parts[0]] {
		return DayFirst
	}
	return 0
}

// set returns the words of a text.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}
