// Package known holds in memory what the items of recently used feeds are known by, and compares such identities.
//
// Package tidings/store/content keeps them in the file. To compare one item, or one version, a caller need not read
// those of all that the feed ever had: [Cache] holds the feeds that were requested last. The writer applies every
// change to it after the commit, so that the cache is as the file is then.
//
// [Parts] finds identities that have something in common, which is how a poll finds an item again.
//
// Bounds: 100,000 items of all feeds together, which are about 6 MiB. The feed requested longest ago goes first.
package known
