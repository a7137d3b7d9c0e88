package markup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Pages keep the address of a picture from the browser in these attributes, until a script of theirs puts it in place.
var (
	lazyAddresses = map[string]bool{"data-src": true, "data-lazy-src": true, "data-lazy": true, "data-lazyload": true,
		"data-original": true, "data-original-src": true, "data-actualsrc": true, "data-echo": true}
	lazySets = map[string]bool{"data-srcset": true, "data-lazy-srcset": true, "data-original-set": true}
)

// Addresses returns at which addresses that is, as published, what an element shows, the best first: where a script
// would load it from, in the attribute src, among pictures of other sizes (srcset). Lazy says how many of them are a
// script's.
func Addresses(attrs []html.Attribute) (addresses []string, lazy int) {
	var lists [4][]string
	for _, a := range attrs {
		switch value := strings.TrimSpace(a.Val); {
		case lazyAddresses[a.Key] && strings.ContainsAny(value, "/."): // else it says how to load it
			lists[0] = append(lists[0], value)
		case lazySets[a.Key]:
			lists[1] = append(lists[1], Candidate(value))
		case a.Key == "src":
			lists[2] = append(lists[2], value)
		case a.Key == "srcset":
			lists[3] = append(lists[3], Candidate(value))
		}
	}
	for i, list := range lists {
		for _, address := range list {
			if address == "" {
				continue
			}
			if addresses = append(addresses, address); i < 2 {
				lazy++
			}
		}
	}
	return addresses, lazy
}

// goodWidth is how wide a picture is, in pixels, that needs no wider one in its place.
const goodWidth = 600

// Candidate returns the picture of a srcset that suits most screens: the first that is wide enough, or is for screens
// of usual density, else the widest; "" if there is none.
// https://html.spec.whatwg.org/multipage/images.html#parse-a-srcset-attribute
func Candidate(srcset string) string {
	best, widest := "", -1.0
	for {
		srcset = strings.TrimLeft(srcset, " \t\r\n\f,")
		if srcset == "" {
			return best
		}
		end := strings.IndexAny(srcset, " \t\r\n\f")
		if end < 0 {
			end = len(srcset)
		}
		address, descriptor := srcset[:end], ""
		srcset = srcset[end:]
		if bare := strings.TrimRight(address, ","); bare != address {
			address = bare
		} else {
			descriptor, srcset, _ = strings.Cut(srcset, ",")
		}
		width := widthOf(strings.TrimSpace(descriptor))
		if width >= goodWidth {
			return address
		}
		if width > widest {
			best, widest = address, width
		}
	}
}

// widthOf returns how wide a picture is by its descriptor. One that has none, or a density, is as wide as it has to be.
func widthOf(descriptor string) float64 {
	for field := range strings.FieldsSeq(descriptor) {
		if digits, ok := strings.CutSuffix(field, "w"); ok {
			width, _ := strconv.ParseFloat(digits, 64)
			return max(0, width)
		}
		if digits, ok := strings.CutSuffix(field, "x"); ok {
			density, _ := strconv.ParseFloat(digits, 64)
			return max(0, density) * goodWidth
		}
	}
	return goodWidth
}
