// Package levels chooses polling levels by the paper's settings: how many nodes poll each channel, such that detection
// is the soonest that a bound on load allows, or load the least that a target for detection allows. It is the solver,
// Honeycomb, of Ramasubramanian, Peterson and Sirer, "Corona: A High Performance Publish-Subscribe System for the World
// Wide Web" (NSDI 2006), sections 3.1, 3.2 and 4. Nodes that ship have sets of any size instead: see
// network/corona/plan.
//
// There are four layers.
//
//   - [Problem] and [Solution]: minimise Σ f_i(l_i) subject to Σ g_i(l_i) <= T for any f and g.
//   - [Model], [Wedges]: what f, g and T are for a policy and a channel's factors (Table 1, package honeycomb).
//   - [Plan]: what an owner solves each maintenance interval, its own channels one by one and those of others by an
//     [Aggregate] of clusters.
//   - [Optimizer]: it puts all that into network/corona. [Clusters] travel between nodes.
//
// # What is promised
//
// A Solution keeps its limit, for the exact sum of the loads. It is the lower of two brackets that differ in one step
// of one channel, stand on both sides of the limit, and are each optimal for the load they come to. So it costs at most
// that one step more than the optimum, which is NP-hard to find. Of each channel only the points on the lower convex
// hull of (g, f) count, so that this holds for any f and g. A cluster is split: some of its channels come to the next
// level, the others stay. Where even the least load breaks the limit the Solution says so, and is the one of least
// load.
//
// The result depends on the channels and their order alone. Time is proportional to the number of channels times that
// of levels. Steps are put into buckets by λ and only the bucket in which the limit is passed is searched, instead of
// sorting all M·K of them as the paper does. A million channels of 11 levels, each with wedges of its own, need about a
// second on one core of 2 GHz, two thirds of it to add them and a third to solve. Sorting their ten million λ would
// need three to four by itself. Memory is 17 bytes for each point of a hull.
//
// # Units
//
// Load is in bytes per polling interval, or polls if Model.Polls. Delay is in units of the detection time with one
// poller, half an interval, so that costs are those of Table 1: a cost under Lite, times half an interval, divided by
// the subscribers, is the average detection time. For Fast cost and load change places, and load is in seconds, summed
// over subscribers.
//
// # What is different from the paper
//
//   - The limit of Lite and the Fair policies is Σ q·s, as their load is Σ s·n. The paper's Table 1 has Σ q, which is
//     the same where sizes are 1.
//   - Wedges have the sizes that were counted, not N/b^l ([Model.Counted]), and levels can be single bits. On the
//     paper's workload the first brings the average detection time from 50 s to 34 s at the same load, the second to 17
//     s.
//   - A wedge has at least one node: the primary owner polls at every level.
//   - Delay is that of even phases or of random ones ([Phases]); the paper reckons with even ones and draws them at
//     random.
//   - Sizes have a least value, and unknown factors a stated one. Without it all nodes would poll a channel of size 0.
//   - Trade-off bins are not fixed ranges of f/g. They are as fine as 16 of them can be for the channels of a level
//     ([Bins]). A bin is solved as channels spread over its range.
//   - Fair-Log uses logarithms of seconds, which the paper does not say.
//
// # What clusters cannot know
//
// An owner knows the wedges of its own channels, and of others only what wedges are like on average ([Model.Expected]).
// Owners that plan with 16 bins a level come to within 4 % of the load of one solver with all knowledge, with 1,024
// nodes, and within 7 % with 60. The error is the same every time, and [Plan.SolveFor] corrects it, to about 1 %, in
// three or four rounds.
package levels
