package news

import (
	"sort"

	"tidings"
)

// topMediaTopics are the top-level media topics by code, with their names in English. Subject codes, the older
// vocabulary, have the same 17 at the top under the same numbers.
//
// Source: IPTC media topics (https://cv.iptc.org/newscodes/mediatopic/), CC BY 4.0.
var topMediaTopics = map[string]string{
	"01000000": "arts, culture, entertainment and media",
	"02000000": "crime, law and justice",
	"03000000": "disaster, accident and emergency incident",
	"04000000": "economy, business and finance",
	"05000000": "education",
	"06000000": "environment",
	"07000000": "health",
	"08000000": "human interest",
	"09000000": "labour",
	"10000000": "lifestyle and leisure",
	"11000000": "politics",
	"12000000": "religion",
	"13000000": "science and technology",
	"14000000": "society",
	"15000000": "sport",
	"16000000": "conflict, war and peace",
	"17000000": "weather",
}

// block is a run of media topics that stand under one top-level topic.
type block struct{ first, last, top string }

// blocks are the media topics of the first edition, which were numbered in the order of the tree. Topics that were
// moved to another branch since are between the blocks, and topics added since are not in it: of those it is not said
// here under which topic they stand.
var blocks = []block{
	{"20000002", "20000051", "01000000"},
	{"20000053", "20000080", "16000000"},
	{"20000082", "20000119", "02000000"},
	{"20000121", "20000137", "02000000"},
	{"20000139", "20000168", "03000000"},
	{"20000170", "20000338", "04000000"},
	{"20000340", "20000344", "04000000"},
	{"20000346", "20000396", "04000000"},
	{"20000398", "20000416", "05000000"},
	{"20000418", "20000422", "06000000"},
	{"20000424", "20000444", "06000000"},
	{"20000446", "20000478", "07000000"},
	{"20000480", "20000495", "07000000"},
	{"20000498", "20000507", "08000000"},
	{"20000509", "20000536", "09000000"},
	{"20000538", "20000572", "10000000"},
	{"20000574", "20000655", "11000000"},
	{"20000657", "20000708", "12000000"},
	{"20000710", "20000711", "13000000"},
	{"20000715", "20000766", "13000000"},
	{"20000768", "20000820", "14000000"},
	{"20000822", "20000916", "15000000"},
	{"20000918", "20001126", "15000000"},
	{"20001128", "20001131", "17000000"},
}

// Ancestors returns the known subjects that a subject is a part of, the nearest first. For a media topic it is the
// top-level media topic. For a subject code these are its matter and its top-level media topic, by its digits: two for
// the subject, three for the matter, three for the detail. It is empty for everything else.
func Ancestors(s tidings.Subject) []tidings.Subject {
	if !is8Digits(s.Code) {
		return nil
	}
	switch s.Scheme {
	case schemeMedtop:
		i := sort.Search(len(blocks), func(i int) bool { return blocks[i].last >= s.Code })
		if i < len(blocks) && blocks[i].first <= s.Code {
			return []tidings.Subject{topic(blocks[i].top)}
		}
	case schemeSubj:
		return ofSubjectCode(s.Code)
	}
	return nil
}

func ofSubjectCode(code string) (out []tidings.Subject) {
	if matter := code[:5] + "000"; matter != code && matter != code[:2]+"000000" {
		out = append(out, tidings.Subject{Code: matter, Scheme: schemeSubj})
	}
	if top := code[:2] + "000000"; topMediaTopics[top] != "" {
		out = append(out, topic(top))
	}
	return out
}

// topic returns a top-level media topic.
func topic(code string) tidings.Subject {
	return tidings.Subject{Code: code, Scheme: schemeMedtop, Name: topMediaTopics[code]}
}
