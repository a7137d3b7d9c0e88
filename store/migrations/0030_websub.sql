-- A subscription at this node's WebSub hub is a target of kind websub, with what else is known of it.
CREATE TABLE hub (
	target       INTEGER PRIMARY KEY,
	topic        TEXT NOT NULL,          -- as the subscriber wrote it
	topic_key    TEXT NOT NULL,          -- what topics and callbacks are compared by
	callback_key TEXT NOT NULL,
	domain       TEXT NOT NULL           -- of the callback
) STRICT;
CREATE UNIQUE INDEX hub_key ON hub (topic_key, callback_key);
CREATE INDEX hub_domain ON hub (domain);
CREATE INDEX target_hub ON target (channel) WHERE kind = 'websub';
CREATE INDEX target_expires ON target (expires) WHERE expires IS NOT NULL;

-- A subscription of this node's at the hub of a channel, by WebSub or rssCloud.
CREATE TABLE websub (
	channel INTEGER PRIMARY KEY,
	state   TEXT NOT NULL                -- JSON
) STRICT;
