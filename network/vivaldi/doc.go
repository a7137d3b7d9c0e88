// Package vivaldi gives every node a network coordinate: a point in a space in which distances are round-trip times, so
// that a node can judge how far others are without measuring it.
//
// The algorithm is Vivaldi (Dabek et al., SIGCOMM 2004) with heights. Nodes ping a few others, learn their coordinates
// with the answers, and move as if springs pulled them to where distances equal round trips. It stands on
// hashicorp/serf's coordinate package, which has the filters of Ledlie et al. (ICDCS 2006; NSDI 2007). It is used as in
// Rappel (section 6.1.4): a coordinate is frozen for a session once it is stable, and may be found from 18 landmarks
// alone.
//
// # What it reaches
//
// On measured matrices, each node measures 32 others once a second in turn. The figures are the median and 90th
// percentile of the relative error over all pairs. In brackets is the median of the best embedding that a long search
// found with the whole matrix at hand:
//
//	PlanetLab, 294 nodes      9 %  49 %  (6 %)
//	WonderProxy, 150 nodes    9 %  41 %  (5 %)
//	Seattle, 59 nodes        12 %  66 %  (9 %)
//
// Half of the nodes are frozen after 160 to 180 s, and after 15 s with landmarks and ten pings a second. A moving node
// sends 60 pings a minute and answers as many. A frozen one sends 2, and so does one that has not frozen after 256
// samples, as where delays vary.
//
// # Lies
//
// A peer can claim any coordinate and can answer late. It cannot answer early, as it must know the ping's number. What
// it gains by that is bounded:
//
//   - A coordinate out of bounds is refused. NaN, infinities and negative errors cannot be written: all fields are
//     whole numbers.
//   - Let m be the median, over all known peers, of how far distances are off round trips. A minority of liars cannot
//     move it out of the range of what honest peers cause. A sample that is off by more than Outlier·m counts nothing.
//     Any other moves the coordinate by no more than CC·Filter·m along the plane, and as much in height: m/2 with
//     Default.
//   - A peer's sample counts at most four times in as many samples as there are known peers, and at most as much as if
//     it were no surer of itself than the median peer.
//   - A frozen coordinate does not move at all. It thaws when half of the known peers find it wrong. One that has
//     settled without freezing is looked for anew then.
//
// Between its samples the honest peers pull the node back. One liar among 32 that knows the victim's filter and pulls
// always the same way holds it 4 ms off on average where chance alone moves it by 2 (PlanetLab, m about 5 ms). Before
// MinPeers peers are known there is nothing to compare with, and nodes believe all claims.
//
// # What differs from the library's use in serf
//
//   - Clipping to a multiple of the median also makes coordinates better: on the same matrices the library alone comes
//     to 11, 9 and 34 %.
//   - No adjustment term (Lee et al.): it was no gain on any of the matrices, and without it distances fulfil the
//     triangle inequality, which Rappel's trees need.
//   - No gravity: frozen nodes keep the space from drifting.
//   - The library draws a direction from a global source of chance when two points are the same. That must not be, as a
//     run of the simulator is a function of its seed. So nodes start at points of Env.Rand, and a node at the point of
//     the peer is moved aside by Env.Rand before the library sees it.
//   - The coordinate is rounded to whole microseconds after each sample. That is for the wire, and so that the last
//     digit of floating-point numbers, in which processors differ, does not grow into another run.
package vivaldi
