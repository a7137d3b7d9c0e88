package feed

import (
	"strings"
)

// element is what an element of any feed format means here.
type element uint8

const (
	_ element = iota // any other: passed over

	// Containers: what is in them is read element by element.
	elChannel
	elItem
	elImage
	elTextInput
	elSource
	elAuthor
	elContributor
	elSkipHours
	elSkipDays
	elPush
	elMediaGroup // one thing in several renditions

	// Elements that say it all in attributes.
	elEnclosure
	elMediaContent
	elITunesImage
	elChapter
	elChaptersAt // where chapters are
	elAtomLink   // a link with href; a link without is elLink

	// Texts.
	elTitle
	elMediaTitle
	elLink
	elID
	elDescription
	elSummary
	elContent
	elEncoded
	elBody
	elFallback // said in other words: used when there is nothing better
	elPublished
	elUpdated
	elDate // of which nothing says what happened then
	elCreated
	elCategory
	elCreator
	elITunesAuthor
	elOrigLink
	elSubtitle
	elName
	elEmail
	elLanguage
	elTTL
	elHour
	elDay
	elUpdatePeriod
	elUpdateFrequency
	elRotation
	elRevocation
	elNews
	elIcon
	elLogo
	elAddress // of an image

	numElements
)

// elements names the elements that are read; all others are passed over.
var elements = map[string]element{
	"channel": elChannel, "feed": elChannel,
	"item": elItem, "entry": elItem,
	"image": elImage, "textinput": elTextInput, "source": elSource,
	"author": elAuthor, "contributor": elContributor, "dc:contributor": elContributor, "itunes:owner": elContributor,
	"skiphours": elSkipHours, "skipdays": elSkipDays,

	"enclosure": elEnclosure, "media:content": elMediaContent, "media:group": elMediaGroup,

	"title": elTitle, "dc:title": elTitle, "media:title": elMediaTitle, "itunes:title": elMediaTitle,
	"link": elLink,
	"guid": elID, "id": elID,
	"description": elDescription, "dc:description": elFallback, "abstract": elFallback, "dcterms:abstract": elFallback,
	"media:description": elFallback, "itunes:summary": elFallback,
	"summary":         elSummary,
	"content":         elContent,
	"content:encoded": elEncoded, "fullitem": elEncoded,
	"body": elBody, "xhtml:body": elBody,
	"pubdate": elPublished, "published": elPublished, "issued": elPublished, "dcterms:issued": elPublished,
	"updated": elUpdated, "modified": elUpdated, "dcterms:modified": elUpdated, "lastbuilddate": elUpdated,
	"dc:date": elDate, "created": elCreated, "dcterms:created": elCreated,
	"category": elCategory, "dc:subject": elCategory, "media:category": elCategory, "itunes:category": elCategory,
	"keywords":   elCategory,
	"dc:creator": elCreator, "dc:author": elCreator, "itunes:author": elITunesAuthor,
	"feedburner:origlink": elOrigLink, "pheedo:origlink": elOrigLink, "itunes:subtitle": elSubtitle,
	"name": elName, "email": elEmail,
	"language": elLanguage, "dc:language": elLanguage,
	"ttl": elTTL, "hour": elHour, "day": elDay,
	"sy:updateperiod": elUpdatePeriod, "sy:updatefrequency": elUpdateFrequency,
	"tidings:push": elPush, "tidings:rotation": elRotation, "tidings:revocation": elRevocation,
	"news:item":   elNews,
	"psc:chapter": elChapter, "podcast:chapters": elChaptersAt,
	"icon": elIcon, "logo": elLogo, "url": elAddress, "itunes:image": elITunesImage,
}

// isText reports whether the element holds a text or markup of its own.
func (e element) isText() bool { return e >= elTitle }

// endsBefore reports whether the element, which says one thing, ends where another starts: that stands beside it.
func (e element) endsBefore(other element) bool {
	switch other {
	case 0:
		return false
	case elName, elEmail: // of a person: some feeds describe a creator as one
		return e == elName || e == elEmail
	case elHour, elDay:
		return e == other
	}
	return true
}

// keepsMarkup reports whether markup within the element is part of what it says.
func (e element) keepsMarkup() bool {
	switch e {
	case elTitle, elMediaTitle, elDescription, elSummary, elContent, elEncoded, elBody, elFallback, elSubtitle:
		return true
	}
	return false
}

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
