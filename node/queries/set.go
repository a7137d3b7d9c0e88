package queries

import (
	"context"
	"log/slog"
	"slices"

	"tidings"
	"tidings/source/news"
	"tidings/source/query"
)

// set is all queries and zones that are followed here, each by the channel that it has.
type set struct {
	queries []followed
}

type followed struct {
	channel string       // URL
	query   *query.Query // nil: the channel is that of a zone, and has all items sent to that
}

// selects reports whether an item is for the channel. It ends with ctx.
func (f followed) selects(ctx context.Context, from origin, item *query.Item) (bool, error) {
	if f.query == nil {
		return from.url == f.channel, nil
	}
	return f.query.MatchesIn(ctx, item)
}

// follow makes the set the queries of the given channels. Those that stay are not parsed again.
func (s *set) follow(channels []string, log *slog.Logger) {
	known := make(map[string]*query.Query, len(s.queries))
	for _, f := range s.queries {
		known[f.channel] = f.query
	}
	s.queries = nil
	for _, channel := range channels {
		parsed := known[channel]
		if parsed == nil && tidings.KindOf(channel) == tidings.KindQuery {
			text, _ := tidings.QueryText(channel)
			var err error
			if parsed, err = query.Parse(text); err != nil { // a later Tidings has stored it
				log.Error("a query that is followed cannot be read; it selects nothing", "query", text, "error", err)
				continue
			}
		}
		s.queries = append(s.queries, followed{channel, parsed})
	}
}

// maxTopics is how many topics the network gets at most. Nodes that need more are sent all items.
const maxTopics = 4096

// topics returns topics such that each wanted item has one, sorted. Wanted items are those that a query selects, those
// that report a withdrawal, and those sent to a zone.
func (s *set) topics() []string {
	var all []string
	for _, f := range s.queries {
		if f.query == nil {
			path, _ := tidings.ZonePath(f.channel)
			all = append(all, news.TopicOf(news.TopicZone, path))
			continue
		}
		all = append(all, news.TopicOf(news.TopicStatus, string(tidings.Canceled)),
			news.TopicOf(news.TopicStatus, string(tidings.Withheld)))
		all = append(all, f.query.Topics()...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if slices.Contains(all, news.TopicAny) || len(all) > maxTopics {
		return []string{news.TopicAny}
	}
	return all
}
