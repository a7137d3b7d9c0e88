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
	t.add(TopicAny, TopicOf(TopicGUID, n.GUID), TopicOf(TopicPublisher, n.Publisher),
		TopicOf(TopicStatus, string(status)), TopicOf(TopicSignal, string(n.Signal)),
		TopicOfUrgency(n.Urgency))
	t.add(TopicsOfLanguage(n.Language)...)
	t.add(TopicOf(TopicGenre, n.Genre))
	var ancestors []tidings.Subject
	for _, s := range n.Subjects {
		ancestors = append(ancestors, Ancestors(s)...)
	}
	t.codes(TopicSubject, ancestors)
	t.codes(TopicSubject, n.Subjects)
	t.codes(TopicPlace, n.Places)
	t.names(TopicSubject, ancestors)
	t.names(TopicSubject, n.Subjects)
	t.names(TopicPlace, n.Places)
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
		t.add(TopicOfCode(field, s.Scheme, s.Code), TopicOf(field, s.Code)) // a query may not know the scheme
	}
}

func (t *topics) names(field string, list []tidings.Subject) {
	for _, s := range list {
		t.add(TopicOf(field, s.Name))
	}
}
