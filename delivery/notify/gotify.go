package notify

// gotifyPriority is normal: the app shows messages of lower ones without a sound or not at all.
const gotifyPriority = 5

var gotify = protocol{
	label:       "Gotify",
	url:         "the address of the server",
	example:     "https://gotify.example.org",
	secret:      "token of an application",
	needsSecret: true,
	check:       noQuery,
	build: func(j job) (*request, error) {
		type object = map[string]any
		extras := object{"client::display": object{"contentType": "text/plain"}}
		if j.note.link != "" {
			extras["client::notification"] = object{"click": object{"url": j.note.link}}
		}
		r, err := postJSON(baseOf(j.url)+"/message", object{
			"title": j.note.title, "message": j.note.text, "priority": gotifyPriority, "extras": extras})
		if err != nil {
			return nil, err
		}
		r.header.Set("X-Gotify-Key", j.target.Secret)
		return r, nil
	},
}
