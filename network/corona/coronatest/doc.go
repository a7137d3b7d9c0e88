// Package coronatest makes small worlds in which nodes poll together: origins whose contents
// change, and nodes with Pastry, Corona, a poller and a library.
//
//	func TestOneUpdate(t *testing.T) {
//		simtest.Run(t, 20, func(t *simtest.T) {
//			w := coronatest.New(t.World(coronatest.SimConfig()), coronatest.Default(50))
//			news := w.Origin.Add("http://example.org/news")
//			w.Subscribe(3, news, 1)
//			w.Run(2 * time.Hour)
//			w.Origin.Change(news.ID, "something new")
//			w.Run(2 * time.Hour)
//			if err := w.Watch.Finish(); err != nil {
//				t.Fatal(err)
//			}
//		})
//	}
//
// Contents are short strings. Polls and what they find are events of the world, each by itself:
// this is for worlds of up to some thousand nodes and some hundred channels.
package coronatest
