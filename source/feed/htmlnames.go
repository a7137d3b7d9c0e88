package feed

import "strings"

// voidNames are the HTML elements that have no inside and no end tag.
var voidNames = set(`area base basefont bgsound br col embed frame hr img input link
	meta param source track wbr`)

// htmlNames are the elements that published texts are made of.
var htmlNames = set(`a abbr acronym address area article aside audio b bdi bdo big
	blockquote br button canvas caption center cite code col colgroup data dd del
	details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form
	h1 h2 h3 h4 h5 h6 header hr i iframe img input ins kbd label legend li main
	map mark menu meter nav nobr noscript object ol optgroup option output p picture pre progress
	q rp rt ruby s samp script section select small source span strike strong style sub summary
	sup table tbody td textarea tfoot th thead time tr track tt u ul var video wbr`)

// blockNames are the HTML elements that stand in a line of their own, so that words
// on both sides of their tags are different words.
var blockNames = set(`address article aside blockquote br caption center dd details dialog dir div dl dt
	fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol
	option p pre section summary table tbody td tfoot th thead tr ul img video audio iframe`)

// hiddenNames are the HTML elements whose inside is not text for people.
var hiddenNames = set(`script style template noscript iframe object svg math head textarea title noembed noframes xmp`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
