-- How soon changes were detected, where the origin said when it changed, is read from this index alone.
CREATE INDEX version_detected ON version (channel, version, found, origin_changed)
	WHERE origin_changed IS NOT NULL AND version > 1;
