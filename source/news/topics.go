package news

import "tidings"

// MaxTopics is the most topics of an item.
const MaxTopics = 64

// Topics returns the topics by which an item can be found, each once, at most MaxTopics. If an item has more, the
// topics that the fewest queries need are left out. The order is: any, identity, publisher, status, signal, urgency,
// language, genre, the top of what its subjects are a part of, their codes, the codes of places, all names.
func Topics(n tidings.News) []string {
	t := topics{have: make(map[string]bool)}
	status := n.Status
	if status == "" {
		status = tidings.Usable
	}
	t.add(tidings.TopicAny, tidings.TopicOf(tidings.TopicGUID, n.GUID), tidings.TopicOf(tidings.TopicPublisher, n.Publisher),
		tidings.TopicOf(tidings.TopicStatus, string(status)), tidings.TopicOf(tidings.TopicSignal, string(n.Signal)),
		tidings.TopicOfUrgency(n.Urgency))
	t.add(tidings.TopicsOfLanguage(n.Language)...)
	t.add(tidings.TopicOf(tidings.TopicGenre, n.Genre))
	var ancestors []tidings.Subject
	for _, s := range n.Subjects {
		ancestors = append(ancestors, Ancestors(s)...)
	}
	t.codes(tidings.TopicSubject, ancestors)
	t.codes(tidings.TopicSubject, n.Subjects)
	t.codes(tidings.TopicPlace, n.Places)
	t.names(tidings.TopicSubject, ancestors)
	t.names(tidings.TopicSubject, n.Subjects)
	t.names(tidings.TopicPlace, n.Places)
	return t.list
}

// topics gathers topics.
type topics struct {
	list []string
	have map[string]bool
}

func (t *topics) add(list ...string) {
	for _, topic := range list {
		if topic != "" && !t.have[topic] && len(t.list) < MaxTopics {
			t.have[topic] = true
			t.list = append(t.list, topic)
		}
	}
}

func (t *topics) codes(field string, list []tidings.Subject) {
	for _, s := range list {
		t.add(tidings.TopicOfCode(field, s.Scheme, s.Code), tidings.TopicOf(field, s.Code)) // a query may not know the scheme
	}
}

func (t *topics) names(field string, list []tidings.Subject) {
	for _, s := range list {
		t.add(tidings.TopicOf(field, s.Name))
	}
}
