// Has the newest unread articles where the node cannot be reached, and keeps what is marked meanwhile until it can.
//
// It answers as the node would, so that the page's script works as ever:
//
//   - Pages come from the node. Only where no answer comes, they are put together of what is kept: an answer of the node is
//     shown whatever it says.
//   - A star or mark that cannot be sent is kept, with its time, and sent in order when the node answers again: the node
//     decides by the times what counts. Each is removed when the node has it; the node does not mind to get one twice.
//   - All that is kept is one person's. The node names the person with each page, and where that is another one, or somebody
//     signs out, everything is removed. Where nobody is signed in any more, the articles are, and marks wait for their person.
//
// The node puts BUILT before this text: the build of its assets, and the paths of those that pages need. What is kept is of one
// build, with the assets of that build, and all of it is replaced at once.
"use strict";
const FORMAT = 1; // of what is kept
const PICTURE_BYTES = 50 << 20; // of all pictures that are kept
const PICTURE_MOST = 5 << 20; // of one
const MARKS = 5000; // that can wait
const BATCH = 20; // articles that are asked for at once
const MARK_BATCH = 200; // marks that are sent at once
const PATIENCE = 3_000; // milliseconds that an answer may take where the node could not be reached just now
const DOUBT = 30_000; // milliseconds for which that holds
const REST = 5 * 60_000; // milliseconds between looks for new articles
const ANSWER = 60_000; // milliseconds that an answer to the worker itself may take
const PERSON = "Tidings-Person";
const ASSETS = (build) => `tidings-assets-${build}`;
const PICTURES = "tidings-pictures";

// --- What is kept: "kept" has one value, "all"; articles go by their entries, marks by the order in which they were made ---

let opened = null;
const database = () => {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("tidings-offline", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("kept");
      request.result.createObjectStore("articles", { keyPath: "entry" });
      request.result.createObjectStore("marks", { keyPath: "id", autoIncrement: true });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => { request.result.close(); opened = null; };
      resolve(request.result);
    };
    request.onerror = () => { opened = null; reject(request.error); };
  });
  return opened;
};
// within runs in one transaction, and returns what its requests came to when that is stored.
const within = async (stores, mode, run) => {
  const transaction = (await database()).transaction(stores, mode);
  const results = [run(...stores.map((name) => transaction.objectStore(name)))].flat();
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("it was not stored"));
  });
  return results.map((request) => request?.result);
};
const keptNow = async () => {
  const [all] = await within(["kept"], "readonly", (kept) => kept.get("all"));
  return all?.format === FORMAT ? all : null;
};
let removals = 0; // what was asked for before one is not stored after it
const removeArticles = async () => {
  removals++;
  await within(["kept", "articles"], "readwrite", (kept, articles) => { kept.clear(); articles.clear(); });
  await caches.delete(PICTURES);
};
const removeAll = async () => {
  await within(["marks"], "readwrite", (marks) => { marks.clear(); });
  await removeArticles();
};
// checkPerson removes what is another person's than the one that an answer is for, and returns how many removals that were.
const checkPerson = async (answer) => {
  const person = answer.headers.get(PERSON);
  if (!person) return 0;
  const [all, [mark]] = await within(["kept", "marks"], "readonly", (kept, marks) => [kept.get("all"), marks.getAll(null, 1)]);
  if ((all && all.person !== person) || (mark && mark.person !== person)) { await removeAll(); return 1; }
  return 0;
};

// one runs what must not run twice at a time: who comes meanwhile waits for the same end.
const one = (run) => {
  let running = null;
  return () => (running ??= run().finally(() => { running = null; }));
};

// --- The network ---

let doubted = 0; // until when the node is not expected to answer
const reach = async (answer) => {
  const limit = navigator.onLine && Date.now() > doubted ? 0 : PATIENCE;
  try {
    const got = await (limit ? Promise.race([answer, new Promise((_, no) => { setTimeout(() => no(new TypeError("no answer")), limit); })]) : answer);
    doubted = 0;
    return got;
  } catch (error) {
    doubted = Date.now() + DOUBT;
    throw error;
  }
};
const ask = (path, options = {}) =>
  fetch(path, {
    ...options, credentials: "same-origin", redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(ANSWER),
    headers: { "X-Requested-With": "tidings", ...options.headers },
  });
const isNobody = (answer) => answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403;
const notify = async (message) => {
  for (const page of await self.clients.matchAll({ type: "window" })) page.postMessage(message);
};

// --- Marks ---

const keepMark = async (mark) => {
  const kept = await keptNow();
  if (!kept) return false; // nobody knows whose it is
  const [waiting] = await within(["marks"], "readonly", (marks) => marks.count());
  if (waiting >= MARKS) return false;
  await within(["marks"], "readwrite", (marks) => marks.add({ ...mark, person: kept.person, at: Date.now() }));
  await noteMark(mark);
  self.registration.sync?.register("marks").catch(() => {}); // else they go with the next page that is opened
  await notify({ waiting: waiting + 1 });
  return true;
};
// noteMark has what is kept show a mark.
const noteMark = async (mark) => {
  const put = (articles, article) => {
    if (mark.do === "star" || mark.do === "unstar") article.starred = mark.do === "star";
    else article.read = mark.do !== "unread";
    articles.put(article);
  };
  if (mark.do !== "read-all") {
    const [article] = await within(["articles"], "readonly", (articles) => articles.get(mark.entry));
    if (article) await within(["articles"], "readwrite", (articles) => { put(articles, article); });
    return;
  }
  if (mark.older) return; // the node knows what that is
  const [all] = await within(["articles"], "readonly", (articles) => articles.getAll());
  const marked = all.filter((a) => a.entry <= mark.entry && !mark.folder && (!mark.channel || a.channel === mark.channel));
  await within(["articles"], "readwrite", (articles) => { for (const article of marked) put(articles, article); });
};
// sendMarks sends what waits, in order. It reports whether all is sent.
const sendMarks = one(async () => {
  let sent = 0;
  for (;;) {
    const [marks] = await within(["marks"], "readonly", (store) => store.getAll(null, MARK_BATCH));
    if (marks.length === 0) break;
    const now = Date.now();
    const body = JSON.stringify({
      person: marks[0].person,
      marks: marks.map(({ id, person, at, ...mark }) => ({ ...mark, ago: Math.max(0, now - at) })),
    });
    const answer = await ask("/offline/marks", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    if (answer.status === 409) { await removeAll(); return true; } // another person's
    const refused = answer.status === 400 || answer.status === 422; // it never will be otherwise
    if (!answer.ok && !refused) return false;
    await within(["marks"], "readwrite", (store) => { store.delete(IDBKeyRange.bound(marks[0].id, marks.at(-1).id)); });
    if (!refused) sent += marks.length;
  }
  if (sent) await notify({ sent });
  return true;
});
// markOf reads the form of a star, a mark or of marking all as read.
const markOf = (url, form) => {
  if (url.pathname === "/read") {
    const mark = { do: "read-all", entry: Number(form.get("upto")) };
    for (const name of ["show", "folder", "channel", "older"]) if (form.get(name)) mark[name] = form.get(name);
    return mark;
  }
  return { do: form.get("do"), entry: Number(url.pathname.split("/")[2]) };
};
const postMark = async (request, url) => {
  const text = await request.clone().text();
  const mark = markOf(url, new URLSearchParams(text));
  try {
    await reach(sendMarks()); // earlier ones come first
    const answer = await reach(fetch(request));
    if (answer.ok || answer.type === "opaqueredirect") await noteMark(mark);
    return answer;
  } catch (error) {
    if (!(await keepMark(mark))) throw error;
    if (request.mode === "navigate") return Response.redirect(new URLSearchParams(text).get("back") || "/", 303);
    return new Response(null, { status: 204 });
  }
};

// --- What to keep ---

// renew asks for what is to be kept, and stores it when all of it is here, unless all was removed meanwhile: somebody has signed out.
const renew = one(async () => {
  if (!(await sendMarks())) return;
  let before = removals;
  const kept = await keptNow();
  const answer = await ask("/offline/list", { headers: kept?.etag ? { "If-None-Match": kept.etag } : {} });
  if (isNobody(answer)) { await removeArticles(); return; }
  before += await checkPerson(answer);
  if (answer.status === 304) {
    if (removals !== before) return;
    kept.checked = Date.now();
    await within(["kept"], "readwrite", (store) => store.put(kept, "all"));
    await keepPictures();
    return;
  }
  if (!answer.ok) return;
  const list = await answer.json();
  if (!list.build.startsWith(BUILT.build + "-")) { // the node is another version: so will this worker be
    await self.registration.update();
    return;
  }
  const same = kept && kept.person === list.person && kept.build === list.build;
  const tags = new Map((list.articles ?? []).map(({ entry, tag }) => [entry, tag]));
  const [old] = same ? await within(["articles"], "readonly", (store) => store.getAll()) : [[]];
  const have = new Set(old.filter((a) => tags.get(a.entry) === a.tag).map((a) => a.entry));
  const fresh = [];
  for (let lacking = [...tags.keys()].filter((entry) => !have.has(entry)); lacking.length > 0;) {
    const batch = lacking.slice(0, BATCH);
    const got = await ask(`/offline/articles?entries=${batch.join(",")}`);
    if (!got.ok || got.headers.get(PERSON) !== list.person) return;
    const articles = await got.json() ?? [];
    for (const article of articles) fresh.push({ ...article, tag: tags.get(article.entry) });
    // What an answer had no room for comes with the next one. What is gone is in none.
    const last = articles.length ? batch.indexOf(articles.at(-1).entry) : batch.length - 1;
    lacking = lacking.slice(last + 1);
  }
  const page = await ask("/offline/shell");
  if (!page.ok || page.headers.get(PERSON) !== list.person) return;
  const shell = await page.text();
  await keepAssets();
  const here = new Set([...have, ...fresh.map((a) => a.entry)]);
  const all = {
    format: FORMAT, person: list.person, build: list.build, etag: answer.headers.get("ETag"), checked: Date.now(), shell,
    headers: [...page.headers].filter(([name]) => !["content-length", "content-encoding", "date"].includes(name)),
    order: [...tags.keys()].filter((entry) => here.has(entry)),
  };
  if (removals !== before) return;
  await within(["kept", "articles"], "readwrite", (store, articles) => {
    for (const { entry } of old) if (!have.has(entry)) articles.delete(entry);
    if (!same) articles.clear();
    for (const article of fresh) articles.put(article);
    store.put(all, "all");
  });
  await notify({ articles: all.order.length });
  for (const name of await caches.keys()) if (name.startsWith(ASSETS("")) && name !== ASSETS(BUILT.build)) await caches.delete(name);
  await keepPictures();
});
const keepAssets = async () => {
  const cache = await caches.open(ASSETS(BUILT.build));
  for (const path of BUILT.assets) if (!(await cache.match(path))) await cache.add(path);
};
// keepPictures keeps the pictures of the newest articles, one after the other and as far as there is room. It asks for none where
// the browser saves data.
const keepPictures = async () => {
  if (navigator.connection?.saveData) return;
  const kept = await keptNow();
  if (!kept) return;
  const [articles] = await within(["articles"], "readonly", (store) => store.getAll());
  const byEntry = new Map(articles.map((article) => [article.entry, article]));
  const paths = new Set(kept.order.flatMap((entry) => byEntry.get(entry)?.pictures ?? []));
  const cache = await caches.open(PICTURES);
  for (const { url } of await cache.keys()) if (!paths.has(new URL(url).pathname)) await cache.delete(url);
  let bytes = 0;
  for (const path of paths) {
    let picture = await cache.match(path);
    if (!picture) {
      let got;
      try { got = await ask(path); } catch { return; }
      if (isNobody(got)) return;
      if (!got.ok) continue; // there is none: the article does without
      const body = await got.blob();
      if (body.size > PICTURE_MOST || bytes + body.size > PICTURE_BYTES) continue;
      if ((await keptNow())?.person !== kept.person) return; // somebody has signed out meanwhile
      picture = new Response(body, { headers: { "Content-Type": body.type, "Content-Length": String(body.size), "X-Content-Type-Options": "nosniff" } });
      try { await cache.put(path, picture.clone()); } catch { return; } // no room in this browser
    }
    bytes += Number(picture.headers.get("Content-Length"));
    if (bytes >= PICTURE_BYTES) return;
  }
};

// --- Pages without a network ---

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const unescape = (text) =>
  text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
// wordsIn returns what says things in the language of the page that is kept, which has the texts.
const wordsIn = (shell) => {
  const texts = JSON.parse(unescape(/ data-texts="([^"]*)"/.exec(shell)?.[1] ?? "{}"));
  const numerals = new Intl.PluralRules(/<html lang="([^"]+)"/.exec(shell)?.[1] ?? "en");
  const t = (text) => texts[text] ?? text;
  const plural = (n, one, many) => `${n} ${texts[`${one}|${many}`]?.[numerals.select(n)] ?? (n === 1 ? one : many)}`;
  const ago = (time) => {
    const minutes = Math.floor((Date.now() - time) / 60_000);
    if (minutes < 1) return t("just now");
    const span = minutes < 60 ? plural(minutes, "minute", "minutes") :
      minutes < 48 * 60 ? plural(Math.floor(minutes / 60), "hour", "hours") : plural(Math.floor(minutes / 1440), "day", "days");
    return t("%s ago").replace("%s", span);
  };
  return { t, plural, ago };
};
const makePage = async (url) => {
  const kept = await keptNow();
  if (!kept) return null;
  const [all, waiting] = await within(["articles", "marks"], "readonly", (articles, marks) => [articles.getAll(), marks.count()]);
  const byEntry = new Map(all.map((article) => [article.entry, article]));
  const articles = kept.order.map((entry) => byEntry.get(entry)).filter(Boolean);
  const path = /^\/entry\/(\d+)$/.exec(url.pathname);
  const here = path && byEntry.get(Number(path[1]));
  if (here?.text) {
    if (!here.read && (await keepMark({ do: "read", entry: here.entry }))) here.read = true;
    return page(kept, here.title, articlePage(kept, articles, here), [here]);
  }
  const isRiver = url.pathname === "/" && !url.searchParams.get("folder") && url.searchParams.get("show") !== "starred" && !url.searchParams.has("before");
  const channel = url.pathname === "/channel" ? url.searchParams.get("url") : null;
  const some = channel ? articles.filter((a) => a.channel === channel) : articles;
  return page(kept, wordsIn(kept.shell).t("No network"), listPage(kept, some, articles.length, waiting, isRiver, channel), some);
};
const listPage = (kept, some, all, waiting, isRiver, channel) => {
  const { t, plural, ago } = wordsIn(kept.shell);
  const newest = Math.max(0, ...some.map((a) => a.entry));
  const form = some.some((a) => !a.read) ? `<form method="post" action="/read" class="read-all"><input type="hidden" name="upto" value="${newest}">${
    channel ? `<input type="hidden" name="channel" value="${escape(channel)}">` : ""}<button class="quiet">${t("Mark all as read")}</button></form>` : "";
  const missing = isRiver ? "" : `<p>${channel ? t("These are the unread articles of this channel.") :
    t("The page that you opened is not kept on this device. These are the unread articles.")}</p>`;
  const waits = waiting ? ` ${plural(waiting, "mark waits", "marks wait")}.` : "";
  return `<div class="head"><h1>${t("No network")}: ${plural(all, "article is here", "articles are here")}</h1>
    <div class="inline-form">${form}<a class="button quiet" href="" data-again>${t("Try again")}</a></div></div>
    ${missing}<p class="muted">${t("The node was last reached %s.").replace("%s", ago(kept.checked))} ${
      t("You can read, and what you mark or star is sent later. Search, channels and settings need the network.")}${waits}</p>
    <h2 class="hidden">${t("Entries")}</h2>
    <ol class="lines">${some.map((a) => a.line).join("")}</ol>
    ${some.length ? "" : `<div class="empty"><p class="big">${t("Nothing is kept.")}</p><p>${t("All was read when the node was last reached.")}</p></div>`}`;
};
const articlePage = (kept, articles, here) => {
  const { t } = wordsIn(kept.shell);
  const at = articles.indexOf(here);
  const link = (article, rel, text) => article?.text ? `<a class="button quiet" rel="${rel}" href="/entry/${article.entry}">${text}</a>` : "<span></span>";
  const way = `<nav class="way" aria-label="${t("Articles")}">${link(articles[at - 1], "prev", t("Previous"))}<a href="/" rel="up">${t("No network")}</a>${
    link(articles[at + 1], "next", t("Next"))}</nav>`;
  return here.text.replace(/<\/article>\s*$/, () => `${way}</article>`);
};
// page puts markup into the shell. What was marked since it was rendered goes along for the script.
const page = (kept, title, markup, articles) => {
  const marks = {};
  for (const { entry, read, starred } of articles) {
    if (read !== undefined || starred !== undefined) marks[entry] = { read, starred };
  }
  const html = kept.shell
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escape(title)} · Tidings</title>`)
    .replace('<div id="kept"></div>', () => `<div id="kept" data-marks="${escape(JSON.stringify(marks))}">${markup}</div>`);
  return new Response(html, { headers: kept.headers });
};
const openPage = async (event, url) => {
  try {
    const answer = await reach((async () => (await event.preloadResponse) ?? fetch(event.request))());
    event.waitUntil((async () => {
      await checkPerson(answer);
      const path = /^\/entry\/(\d+)$/.exec(url.pathname);
      if (path && answer.ok) await noteMark({ do: "read", entry: Number(path[1]) });
    })());
    return answer;
  } catch (error) {
    const made = await makePage(url);
    if (!made) throw error;
    return made;
  }
};
const signOut = async (request) => {
  const answer = await fetch(request);
  if (answer.ok || answer.type === "opaqueredirect") await removeAll();
  return answer;
};
const fromCache = async (request, name) => (await (await caches.open(name)).match(request)) ?? fetch(request);

// --- Events ---

self.addEventListener("install", (event) => event.waitUntil(keepAssets().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
})()));
self.addEventListener("sync", (event) => {
  if (event.tag === "marks") event.waitUntil(sendMarks().then((all) => { if (!all) throw new Error("marks wait"); })); // the browser tries again
});
self.addEventListener("message", (event) => event.waitUntil((async () => {
  switch (event.data?.do) {
    case "renew": {
      const kept = await keptNow();
      if (!kept || event.data.now || Date.now() - kept.checked > REST) await renew();
      else await sendMarks();
      break;
    }
    case "remove":
      await removeAll();
      break;
    case "nobody":
      await removeArticles();
      break;
  }
  const kept = await keptNow();
  const [waiting] = await within(["marks"], "readonly", (marks) => marks.count());
  event.ports[0]?.postMessage({ articles: kept?.order.length ?? 0, checked: kept?.checked ?? 0, waiting });
})().catch((error) => { // it is tried again with the next page
  event.ports[0]?.postMessage({ problem: error.message });
})));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  const isScript = request.headers.get("X-Requested-With") === "tidings";
  if (request.method === "POST") {
    if (url.pathname === "/logout") event.respondWith(signOut(request));
    else if (url.pathname === "/read" || /^\/entry\/\d+$/.test(url.pathname)) event.respondWith(postMark(request, url));
    return;
  }
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(openPage(event, url));
  else if (url.pathname.startsWith("/assets/") && url.search) event.respondWith(assetOf(request));
  else if (url.pathname.startsWith("/media/")) event.respondWith(fromCache(request, PICTURES));
  else if (isScript && /^\/entry\/\d+$/.test(url.pathname)) event.respondWith(openPart(event, url));
});
// An asset of another build can be needed by what is kept, as long as that is of that build.
const assetOf = async (request) => (await caches.match(request)) ?? fetch(request);
// openPart answers the script, which opens an article in place. Without a network it has the page of that article opened.
const openPart = async (event, url) => {
  const answer = await reach(fetch(event.request));
  if (answer.ok) event.waitUntil(noteMark({ do: "read", entry: Number(url.pathname.split("/")[2]) }));
  return answer;
};
