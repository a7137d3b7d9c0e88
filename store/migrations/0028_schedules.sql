-- When updates are sent to a target, and until when they are.
ALTER TABLE target ADD COLUMN schedule TEXT;   -- JSON; NULL: at any time, each update at once
ALTER TABLE target ADD COLUMN expires INTEGER; -- from then on nothing is put into its outbox or sent; NULL: never
