package markup

import "strings"

// counting are parameters of addresses that do nothing but count readers or name a session, on whatever site.
var counting = map[string]bool{
	"fbclid": true, "gclid": true, "gclsrc": true, "dclid": true, "wbraid": true, "gbraid": true, "msclkid": true,
	"yclid":  true,
	"twclid": true, "ttclid": true, "igshid": true, "mc_cid": true, "mc_eid": true, "mkt_tok": true,
	"oly_anon_id": true,
	"oly_enc_id":  true, "vero_id": true, "_hsenc": true, "_hsmi": true, "phpsessid": true, "jsessionid": true,
	"aspsessionid": true,
}

// IsCounting reports whether a parameter of an address does nothing but count readers or name a session.
func IsCounting(param string) bool {
	name, _, _ := strings.Cut(param, "=")
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "pk_") ||
		counting[name]
}

// maxParams bounds the parameters of an address that are looked at; one with more is kept with all of them.
const maxParams = 100

// KeptParams returns a query, as it stands behind an address, without the parameters that are noise.
func KeptParams(query string, noise func(param string) bool) string {
	if strings.Count(query, "&") >= maxParams {
		return query
	}
	var kept []string
	for param := range strings.SplitSeq(query, "&") {
		if param != "" && !noise(param) {
			kept = append(kept, param)
		}
	}
	return strings.Join(kept, "&")
}

// Uncounted returns a query without the parameters that [IsCounting] finds; as it is if it has none of them.
func Uncounted(query string) string {
	for param := range strings.SplitSeq(query, "&") {
		if IsCounting(param) {
			return KeptParams(query, IsCounting)
		}
	}
	return query
}
