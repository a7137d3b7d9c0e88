package api

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// parameters are those of each method and path that has any.
var parameters = map[string][]string{
	"DELETE channels": {"url"},
	"GET channel":     {"url"},
	"PATCH channel":   {"url"},
	"POST poll":       {"url"},
	"POST trust":      {"url"},
	"POST distrust":   {"url"},
	"GET updates":     {"since", "after", "limit", "newest", "channel"},
	"GET stream":      {"after", "since"},
	"GET entries": {"channel", "folder", "unread", "starred", "label", "search", "before", "after",
		"limit"},
	"GET state":                {"url", "version"},
	"GET diff":                 {"url", "from", "to"},
	"GET zone":                 {"path"},
	"GET tree":                 {"url"},
	"DELETE joins":             {"address"},
	"GET archive":              {"url", "since", "before", "document", "places", "lacking"},
	"DELETE publications":      {"url"},
	"POST publications/resume": {"url"},
	"GET deliveries":           {"after", "limit"},
	"DELETE deliveries":        {"target", "delivery", "failed"},
	"POST deliveries/retry":    {"target", "delivery", "failed"},
	"GET opml":                 {"proxy"},
	"POST opml":                {"pages"},
}

// checkParameters refuses parameters that a route does not have: one that is spelt wrong would be left out in silence.
func checkParameters(r *http.Request, path string) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, "the parameters cannot be read: "+err.Error(),
			"encode % as %25, ; as %3B and & as %26 in their values")
	}
	known := parameters[method+" "+path]
	for name := range given {
		if !slices.Contains(known, name) {
			return refuse(http.StatusBadRequest, fmt.Sprintf("there is no parameter %q here", name), namesHint(known))
		}
	}
	return nil
}

// namesHint lists the names that there are, where one was given that there is not.
func namesHint(known []string) string {
	if len(known) == 0 {
		return "leave it out: there are none here"
	}
	return "there are: " + strings.Join(known, ", ")
}

// fieldsOf returns the names of the fields that the JSON object for v can have, at any depth.
func fieldsOf(t reflect.Type) (names []string) {
	seen := make(map[reflect.Type]bool)
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			for f := range t.Fields() {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
					names = append(names, name)
				}
				add(f.Type)
			}
		}
	}
	add(t)
	slices.Sort(names)
	return slices.Compact(names)
}
