// Package xmpp is a bot of XMPP, as in section 3.5 of the paper on Corona: people subscribe to channels by chat, and
// receive updates. It also sends to the addresses that people of a node enter (tidings.XMPP).
//
// What it promises:
//
//   - A message counts as delivered once the server has accepted it (package stream). Servers keep messages of type
//     chat for people that are away (XEP-0160).
//   - What strangers can do is bounded: commands a minute by address, by domain and over all, the size of a message,
//     subscriptions of an address, new addresses an hour. Beyond that they get no answer. What is kept of them in
//     memory is bounded too.
//   - It answers people and no other programs: no errors, no rooms, no headlines, and no address that it has not
//     understood several times in a row.
//   - Text of feeds stays text: it is shown without styles (XEP-0393).
//   - An address that refuses messages is suspended with the reason, until its owner writes again.
//   - Nodes that share an account send each message once between them (package share), and answer each command once.
//     What they ask each other is accepted from the account itself alone, and so are copies of messages.
//
// Requests that it answers: service discovery (XEP-0030), ping (XEP-0199), software version (XEP-0092), last activity
// (XEP-0012), time (XEP-0202), vcard-temp (XEP-0054), ad-hoc commands (XEP-0050) with forms (XEP-0004), and receipts
// (XEP-0184).
package xmpp
