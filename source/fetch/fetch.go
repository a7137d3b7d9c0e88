// Package fetch watches origins politely. It has two halves.
//
// The client ([Client]) makes one request, with all that a polite and careful client owes to other people's servers:
//
//   - conditional requests and one honest User-Agent;
//   - few connections, and a token bucket for each host ([Config]);
//   - patience with an address, or several of a host, that asked for it (Retry-After);
//   - bounds on time, size and compression ratio;
//   - a guard that refuses private addresses at the moment of connecting. So neither redirects nor name servers can
//     lead it into the network it runs in.
//
// It sends no Referer, and keeps cookies for no longer than one chain of redirects. An answer is whole or it is an
// error: a cut, empty or bombed body never reaches a reader.
//
// The plan ([Plan], [Memory]) decides what to request next and when, without clock, chance or connection of its own. It
// gives every poll an outcome, a next time and a reason in plain words. Freshness (RFC 9111), ttl, skipHours, skipDays
// and sy:updatePeriod are lower bounds on the interval. Failures back off. Permanent redirects are believed after they
// held. 410 ends a channel, 404 only after weeks.
//
// [Classify] gives an address its privacy class, before it is first fetched.
//
// Sources: RFC 9110 (HTTP), 9111 (caching), 6585 (429), 3229 with the "feed" instance manipulation (deltas), 6890 and
// its registries (special addresses), RSS 2.0 and the syndication module (hints).
package fetch
