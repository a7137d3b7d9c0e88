// The page's only script. Every page works without it; it adds
//
//   - the river's growth by itself, and of the counts beside it,
//   - reading in place, full text and back, and stars and read marks without a new page,
//   - ten seconds in which marking all as read can be undone,
//   - speed, and the place where they were left, of sound and video,
//   - marking as read what is scrolled past, where its reader has chosen that,
//   - the way from article to article by keys and by swipes,
//   - shortcuts by single keys, filtering while one types, and checking all channels between two,
//   - older items of a channel below those that are here,
//   - the view of the network, kept true in place, and buttons that copy,
//   - what a message to an address looks like, below its form,
//   - notifications in this browser, by worker.js, and its time zone in that form.
//
// How the river grows without moving what is being read:
//
//  1. New lines come from the server as markup, by server-sent events.
//  2. Somebody who has scrolled down has them put in above at once, and the page is
//     scrolled by their height in the same frame: what is seen stays where it is.
//  3. Somebody at the top who is doing something (pointer, key, touch within the last
//     while, or an entry open) gets them under a button that says how many there are.
//  4. Somebody at the top who does nothing, or a page in the background, gets them at once.
//
// Markup comes from this page's own server only, through the one policy below.
"use strict";
(() => {
  const IDLE = 30_000; // milliseconds without input after which nobody is disturbed
  const policy = window.trustedTypes
    ? trustedTypes.createPolicy("tidings", {
        createHTML: (text) => text,
        createScriptURL: (path) => {
          if (!path.startsWith("/assets/worker.js?")) throw new TypeError("not this page's worker");
          return path;
        },
      })
    : { createHTML: (text) => text, createScriptURL: (path) => path };

  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const texts = JSON.parse(document.body.dataset.texts || "{}"); // in the page's language, by those of English
  const t = (text) => texts[text] ?? text;
  const numerals = new Intl.PluralRules(document.documentElement.lang || "en");
  const plural = (n, one, many) => `${n} ${texts[`${one}|${many}`]?.[numerals.select(n)] ?? (n === 1 ? one : many)}`;

  const parse = (html) => {
    const template = document.createElement("template");
    template.innerHTML = policy.createHTML(html);
    return template.content;
  };
  const ask = (path, options = {}) =>
    fetch(path, { ...options, headers: { "X-Requested-With": "tidings", ...options.headers } }).then((answer) => {
      if (answer.redirected && new URL(answer.url).pathname === "/login") location.reload();
      if (!answer.ok) throw new Error(answer.statusText);
      return answer;
    });
  // A letter comes back where an icon cannot be loaded. Errors of pictures do not bubble.
  const showLetter = (icon) => {
    const badge = icon.closest?.(".badge.framed");
    if (badge) { badge.classList.remove("framed"); badge.textContent = badge.dataset.letter; }
  };
  document.addEventListener("error", ({ target }) => showLetter(target), true);
  // An icon can have failed before this script ran.
  for (const icon of $$(".badge.framed img")) if (icon.complete && !icon.naturalWidth) showLetter(icon);
  const say = (text) => {
    const place = $("#live") || $("#said");
    if (place) place.textContent = text;
  };

  // --- How much is unread, in the lists beside the page ---

  const countUnread = (line, more) => {
    const hrefs = new Set($$("a.channel", line).map((a) => a.getAttribute("href"))); // an item may stand in several channels
    const channels = $$(".folders a").filter((a) => hrefs.has(a.getAttribute("href")));
    const counted = new Set(channels);
    for (const channel of channels) {
      for (let at = channel.closest(".folder"); at; at = at.parentElement.closest(".folder")) counted.add($(".folder-head a", at));
      for (const tag of (channel.dataset.tags ?? "").split(", ")) counted.add($$(".tag-list a").find((a) => a.dataset.tag === tag));
    }
    for (const link of [$('.main-nav a[href="/?show=unread"]'), ...counted]) {
      const count = link && $(".count", link);
      if (!count) continue;
      const n = Math.max(0, Number($(".n", count).textContent.replaceAll(",", "")) + more);
      $(".n", count).textContent = n.toLocaleString("en");
      count.hidden = n === 0;
    }
    retitle();
  };
  const bareTitle = document.title.replace(/^\([\d,]+\) /, "");
  const retitle = () => {
    const unread = $('.main-nav a[href="/?show=unread"] .n')?.textContent ?? "0";
    document.title = unread === "0" ? bareTitle : `(${unread}) ${bareTitle}`;
  };

  // --- Folders beside the page stay as they were folded ---

  const remembered = () => {
    try { return JSON.parse(localStorage.getItem("tidings-folded") ?? "[]"); } catch { return []; } // the browser keeps nothing
  };
  const remember = (all) => {
    try { localStorage.setItem("tidings-folded", JSON.stringify(all)); } catch { /* then they are folded on this page alone */ }
  };
  const folded = new Set(remembered());
  for (const folder of $$(".folder")) {
    const button = $(".fold", folder);
    const fold = (on) => {
      $("ul", folder).hidden = on;
      button.setAttribute("aria-expanded", String(!on));
    };
    button.hidden = false;
    fold(folded.has(folder.dataset.folder) && !$("[aria-current]", folder));
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-expanded") === "true";
      fold(on);
      if (on) folded.add(folder.dataset.folder);
      else folded.delete(folder.dataset.folder);
      remember([...folded].slice(-200));
    });
  }

  // --- Growth ---

  const river = $("#river[data-events]");
  const pill = $("#pill");
  let held = []; // lines that wait under the button, newest first
  let above = 0; // lines that were put in above what is seen
  let beyond = false; // more arrived than one event holds
  let lastInput = Date.now();
  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"]) {
    addEventListener(kind, () => { lastInput = Date.now(); }, { passive: true, capture: true });
  }

  const showPill = () => {
    const n = held.length + above;
    pill.hidden = n === 0 && !beyond;
    const text = beyond ? t("Many") : String(n);
    $("span", pill).textContent = `${text} new`;
  };
  const sameItem = (line) => line.dataset.count ? [] : $$(`.line[data-item="${line.dataset.item}"]:not([data-count])`, river).filter((other) => other.id !== line.id);
  // putByDate puts a line where its date stands: under the heading of its day, which is made if it is not there.
  const putByDate = (line) => {
    const at = (other) => Number(other.dataset.at);
    const after = $$(".line", river).filter((other) => at(other) > at(line)).at(-1);
    let day = $$(".day", river).find((other) => other.dataset.day === line.dataset.day);
    if (!day) {
      day = document.createElement("section");
      day.className = "day";
      day.dataset.day = line.dataset.day;
      const heading = document.createElement("h2");
      heading.textContent = line.dataset.day;
      const list = document.createElement("ol");
      list.className = "lines";
      day.append(heading, list);
      const before = after?.closest(".day") ?? $(`.day[data-day="${t("Today")}"]`, river);
      if (before) before.after(day);
      else river.append(day);
    }
    const older = $$(".line", day).find((other) => at(other) <= at(line));
    if (older) older.before(line);
    else $(".lines", day).append(line);
  };
  const put = (lines) => {
    const list = $("#fresh");
    const fresh = lines.filter((line) => !document.getElementById(line.id));
    for (const line of fresh) {
      line.classList.add("fresh");
      for (const older of sameItem(line)) if (!older.classList.contains("opened")) older.remove();
    }
    if ("byDate" in river.dataset) fresh.reverse().forEach(putByDate);
    else list.prepend(...fresh);
    $(".empty", river)?.remove();
    for (const form of $$(".read-all")) { // what is marked is what is seen
      form.elements.upto.value = Math.max(form.elements.upto.value, ...fresh.map((line) => Number(line.dataset.id)));
    }
  };
  const putAbove = (lines) => {
    const replaced = new Set(lines.flatMap(sameItem));
    const anchor = $$(".line", river).find((line) => !replaced.has(line) && line.getBoundingClientRect().bottom > 0);
    const before = anchor?.getBoundingClientRect().top ?? 0;
    put(lines);
    if (anchor) scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  };
  const arrive = ({ html, count, more }) => {
    if (more || beyond) { // the page as a whole is what is new: offer it, do not force it
      beyond = true;
      say(t("Many new entries"));
      showPill();
      return;
    }
    const lines = [...parse(html).children];
    for (const line of lines) {
      const known = held.concat(sameItem(line)).some((other) => other.dataset.item === line.dataset.item && !other.classList.contains("read"));
      if (!known && !document.getElementById(line.id) && !line.classList.contains("read")) countUnread(line, Number(line.dataset.count ?? 1));
    }
    say(plural(count, "new entry", "new entries"));
    const top = $("#fresh").getBoundingClientRect().top;
    if (top < 0) {
      putAbove(lines);
      above += lines.length;
    } else if (document.hidden || (Date.now() - lastInput > IDLE && !$(".line.opened", river))) {
      put(lines);
    } else {
      held = [...lines, ...held.filter((old) => old.dataset.count || !lines.some((line) => line.dataset.item === old.dataset.item))];
    }
    showPill();
  };
  const reveal = () => {
    if (beyond) { location.reload(); return; }
    put(held);
    held = [];
    above = 0;
    showPill();
    scrollTo({ top: 0, behavior: "smooth" });
    $(".line .open", river)?.focus({ preventScroll: true });
  };
  if (river) {
    pill.addEventListener("click", reveal);
    addEventListener("scroll", () => {
      if (above && $("#fresh").getBoundingClientRect().top >= 0) { above = 0; showPill(); }
    }, { passive: true });
    const source = new EventSource(river.dataset.events);
    source.addEventListener("entries", (event) => arrive(JSON.parse(event.data)));
    addEventListener("pagehide", () => source.close());
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }

  // --- Times that stay true ---

  const age = (seconds) => {
    const s = Math.floor(Date.now() / 1000) - seconds;
    const span = (n) => (n < 60 ? `${n} s` : n < 3600 ? `${Math.floor(n / 60)} min` : `${Math.floor(n / 3600)} h`);
    if (s < 0) return `in ${span(-s)}`;
    return s < 60 ? t("now") : span(s);
  };
  const renewTimes = () => {
    for (const time of $$("time[data-age]")) {
      const text = age(Number(time.dataset.age));
      if ("next" in time.dataset && /^\d/.test(text)) time.textContent = t("now");
      else time.textContent = "ago" in time.dataset && /^\d/.test(text) ? t("%s ago").replace("%s", text) : text;
    }
  };
  renewTimes(); // a page may have been kept
  setInterval(renewTimes, 30_000);

  // --- Stars and read marks ---

  const setPressed = (button, on, yes, no) => {
    button.setAttribute("aria-pressed", String(on));
    button.value = on ? no : yes;
  };
  const newDot = () => {
    const dot = document.createElement("span");
    dot.className = "new-dot";
    dot.title = t("Unread");
    const words = document.createElement("span");
    words.className = "hidden";
    words.textContent = t("Unread. ");
    dot.append(words);
    return dot;
  };
  const isRead = (line) => $(".act.seen", line)?.getAttribute("aria-pressed") === "true";
  const setRead = (line, on) => {
    if (isRead(line) !== on) countUnread(line, on ? -1 : 1);
    line.classList.toggle("read", on);
    if (on) $(".new-dot", line)?.remove();
    else if (!$(".new-dot", line)) $(".meta", line)?.prepend(newDot());
    const button = $(".act.seen", line);
    if (button) setPressed(button, on, "read", "unread");
  };
  const apply = (line, what) => {
    if (what === "star" || what === "unstar") setPressed($(".act.star", line), what === "star", "star", "unstar");
    else setRead(line, what === "read");
  };
  document.addEventListener("tidings-marks", ({ detail }) => { // what was marked since the page was rendered: see offline.js
    for (const [id, { read, starred }] of Object.entries(detail)) {
      const line = document.querySelector(`[data-id="${Number(id)}"]`);
      if (!line) continue;
      if (read !== undefined) apply(line, read ? "read" : "unread");
      if (starred !== undefined) apply(line, starred ? "star" : "unstar");
    }
  });
  const opposite = { star: "unstar", unstar: "star", read: "unread", unread: "read" };
  const words = { star: t("Starred"), unstar: t("Star removed"), read: t("Marked as read"), unread: t("Marked as unread") };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const what = event.submitter?.value;
    if (!form.matches(".acts") || !opposite[what]) return;
    event.preventDefault();
    const line = form.closest("[data-id]");
    apply(line, what); // at once; taken back if the server does not agree
    flush().then(() => ask(form.action, { method: "POST", body: new URLSearchParams({ do: what }) }))
      .then(() => say(words[what]))
      .catch(() => { apply(line, opposite[what]); say(t("That did not work. Try again.")); });
  });

  // --- All read, with ten seconds in which it can be undone ---

  // Nothing is sent before they are over. What the person does next sends it at once: a star, a mark, a link, another page.
  const UNDO = 10_000;
  let pending = null; // what sends the form that waits, and returns when it is done
  const PATIENCE = 3_000; // milliseconds that what comes next waits for a node that does not answer
  const flush = () =>
    pending ? Promise.race([pending(), new Promise((done) => { setTimeout(done, PATIENCE); })]) : Promise.resolve();
  const go = (path) => { flush().finally(() => { location.href = path; }); };
  const undoBar = ({ words, wait = UNDO, undone, over, send }) => {
    const bar = document.createElement("div");
    bar.className = "undo";
    bar.setAttribute("role", "status");
    const text = document.createElement("span");
    text.textContent = words;
    const undo = document.createElement("button");
    undo.type = "button";
    undo.textContent = t("Undo");
    bar.append(text, undo);
    document.body.append(bar);
    let timer = 0;
    const end = () => { clearTimeout(timer); bar.remove(); pending = null; };
    const last = () => { clearTimeout(timer); timer = setTimeout(() => flush().then(over), wait); };
    last();
    pending = () => { end(); return send(); };
    undo.addEventListener("click", () => { end(); undone(); say(t("Nothing was marked.")); });
    return { undo, say: (more) => { text.textContent = more; last(); } };
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches(".read-all")) return;
    event.preventDefault();
    flush();
    const body = new URLSearchParams(new FormData(form));
    if (event.submitter?.name) body.set(event.submitter.name, event.submitter.value);
    const ages = { day: 86_400, week: 7 * 86_400 };
    const before = Date.now() / 1000 - (ages[body.get("older")] ?? 0);
    const lines = $$(".line:not(.folded)").filter((line) => !isRead(line) && Number(line.dataset.at) <= before);
    for (const line of lines) setRead(line, true);
    form.hidden = true;
    $("details", form)?.removeAttribute("open");
    const back = () => { for (const line of lines) setRead(line, false); form.hidden = false; };
    undoBar({
      words: t("Marked as read."),
      undone: () => { back(); $("button", form).focus(); },
      over: () => { if (!$(".line.opened")) location.reload(); },
      send: () => ask(form.action, { method: "POST", body, keepalive: true }).catch(() => { back(); say(t("That did not work. Try again.")); }),
    }).undo.focus({ preventScroll: true });
  });

  // --- Read is what was scrolled past ---

  // An item that was seen and has left the page at its top is marked. What leaves one after the other is sent together, some seconds
  // after the last; until then one button undoes it all.
  const PAST = 5_000;
  const TOGETHER = 500; // items in one request
  const passing = $("[data-scroll-read]");
  if (passing) {
    const seen = new WeakSet();
    let bar = null;
    let passed = [];
    const past = (line) => {
      if (!seen.has(line) || isRead(line) || line.matches(".folded, .opened") || !line.isConnected) return;
      setRead(line, true);
      const words = (n) => plural(n, "item marked as read.", "items marked as read.");
      if (bar) {
        passed.push(line);
        bar.say(words(passed.length));
        if (passed.length >= TOGETHER) flush();
        return;
      }
      flush();
      passed = [line];
      const lines = passed;
      bar = undoBar({
        words: words(1),
        wait: PAST,
        undone: () => { bar = null; for (const one of lines) { setRead(one, false); seen.delete(one); } },
        over: () => {},
        send: () => {
          bar = null;
          const body = new URLSearchParams(lines.map((one) => ["item", one.dataset.item]));
          return ask("/read", { method: "POST", body, keepalive: true })
            .catch(() => { for (const one of lines) setRead(one, false); say("That did not work. Try again."); });
        },
      });
    };
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        if (isIntersecting) seen.add(target);
        else if (boundingClientRect.bottom <= 0) past(target);
      }
    });
    const watch = (from) => { for (const line of $$(".line", from)) observer.observe(line); };
    watch(passing);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.matches?.(".line")) observer.observe(node);
    }).observe(passing, { childList: true, subtree: true });
  }
  document.addEventListener("click", (event) => { // the next page is made when this is sent
    const link = event.target.closest("a[href]");
    if (!pending || !link || link.target || link.matches("[data-expand], [data-older]") || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.href);
  });
  document.addEventListener("visibilitychange", () => { if (document.hidden) flush(); });
  addEventListener("pagehide", () => flush());

  // --- Reading in place ---

  const close = (line) => {
    $(".reading", line).remove();
    line.classList.remove("opened");
    $(".open", line).setAttribute("aria-expanded", "false");
  };
  const open = (line) => {
    const link = $(".open", line);
    if (line.dataset.busy) return;
    line.dataset.busy = "yes";
    ask(link.href).then((answer) => answer.text()).then((html) => {
      line.append(parse(html));
      line.classList.add("opened");
      link.setAttribute("aria-expanded", "true");
      setRead(line, true);
      if (line.getBoundingClientRect().top < 0) line.scrollIntoView({ block: "start" });
    }).catch(() => { location.href = link.href; }).finally(() => { delete line.dataset.busy; });
  };
  const toggle = (line) => {
    if (line.classList.contains("opened")) close(line);
    else open(line);
  };
  for (const link of $$(".open[data-expand]")) link.setAttribute("aria-expanded", "false");
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".open[data-expand]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    toggle(link.closest(".line"));
  });

  // --- Full text, in place of the feed's and back ---

  // On a page of its own an article is shown anew; in the river it changes in place.
  const swap = (line, answer, control) => {
    if (line.dataset.busy) return;
    line.dataset.busy = "yes";
    control.setAttribute("aria-disabled", "true");
    answer.then((got) => got.text()).then((html) => {
      $(".reading", line)?.replaceWith(parse(html));
      $(".texts a, .texts button", line)?.focus({ preventScroll: true });
      say($(".texts [role=status]", line)?.textContent ?? "");
      if (line.getBoundingClientRect().top < 0) line.scrollIntoView({ block: "start" });
    }).catch(() => {
      control.removeAttribute("aria-disabled");
      say(t("That did not work. Try again."));
    }).finally(() => { delete line.dataset.busy; });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".line [data-text]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    swap(link.closest(".line"), ask(link.href), link);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches(".texts form")) return;
    const button = $("button", form);
    if (button.getAttribute("aria-disabled")) { event.preventDefault(); return; }
    say(t("Fetching the full text…"));
    button.textContent = t("Fetching…");
    const line = form.closest(".line");
    if (!line) { button.setAttribute("aria-disabled", "true"); return; }
    event.preventDefault();
    swap(line, ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }), button);
  });
  const otherText = () => {
    const line = current();
    if (!line) return;
    const control = $(".texts a, .texts button", line);
    if (control) control.click();
    else if (!line.classList.contains("opened") && $(".open[data-expand]", line)) open(line);
  };

  // --- Players: speed, and the place where they were left ---

  const MAX_PLACES = 200; // files of which the place is remembered
  const kept = (name) => { try { return JSON.parse(localStorage.getItem(name) ?? "null"); } catch { return null; } };
  const keep = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* then it is for this page alone */ } };
  const notePlace = (media, key) => {
    const places = (kept("tidings-places") ?? []).filter(([other]) => other !== key);
    const ended = media.ended || media.duration - media.currentTime < 5;
    if (!ended && media.currentTime > 5) places.push([key, Math.floor(media.currentTime)]);
    keep("tidings-places", places.slice(-MAX_PLACES));
  };
  // Chapters lead to their places. A list that is elsewhere is fetched when it is opened, or when something plays.
  const equipChapters = (media, chapters) => {
    if (!chapters) return;
    const list = $("ol", chapters);
    const current = () => {
      const here = $$("[data-at]", list).findLast((button) => Number(button.dataset.at) <= media.currentTime + 0.05);
      for (const button of $$("[aria-current]", list)) if (button !== here) button.removeAttribute("aria-current");
      if (here && (media.currentTime > 0 || !media.paused)) here.setAttribute("aria-current", "true");
    };
    const load = () => {
      const path = chapters.dataset.chapters;
      if (!path) return;
      delete chapters.dataset.chapters;
      ask(path).then((answer) => answer.text()).then((html) => { list.replaceChildren(parse(html)); current(); }).catch(() => { $("[data-lacking]", chapters).hidden = false; });
    };
    chapters.hidden = false;
    chapters.addEventListener("toggle", () => { if (chapters.open) load(); });
    media.addEventListener("play", load, { once: true });
    list.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-at]");
      if (!button) return;
      const go = () => { media.currentTime = Number(button.dataset.at); current(); };
      if (media.readyState > 0) go();
      else media.addEventListener("loadedmetadata", () => setTimeout(go), { once: true }); // after the place where it was left
      media.play().catch(() => {}); // the player says why it does not
    });
    for (const kind of ["timeupdate", "seeked"]) media.addEventListener(kind, current);
  };
  const equip = (player) => {
    const media = $("audio, video", player);
    const key = player.dataset.player;
    const speed = $(".speed", player); // players within a text have none: they are as fast as those that have
    const choice = $(".speed select", player);
    const failed = $("[data-failed]", player);
    const usual = Number(kept("tidings-speed"));
    equipChapters(media, $(".chapters", player));
    if (speed) {
      speed.hidden = false;
      if ([...choice.options].some((option) => Number(option.value) === usual)) choice.value = usual;
      choice.addEventListener("change", () => { accelerate(); keep("tidings-speed", Number(choice.value)); });
    }
    const accelerate = () => { media.defaultPlaybackRate = media.playbackRate = Number(choice?.value ?? usual) || 1; };
    accelerate();
    media.addEventListener("loadedmetadata", () => {
      const place = (kept("tidings-places") ?? []).find(([other]) => other === key)?.[1];
      if (place && place < media.duration - 5 && media.currentTime < 1) media.currentTime = place;
      accelerate();
    }, { once: true });
    let noted = 0;
    media.addEventListener("timeupdate", () => {
      if (media.paused || Date.now() - noted < 5_000) return;
      noted = Date.now();
      notePlace(media, key);
    });
    for (const kind of ["pause", "ended", "seeked"]) media.addEventListener(kind, () => notePlace(media, key));
    addEventListener("pagehide", () => { if (media.currentTime > 0) notePlace(media, key); });
    media.addEventListener("play", () => { for (const other of $$("audio, video")) if (other !== media) other.pause(); });
    if (!failed) return;
    media.addEventListener("error", () => { failed.hidden = false; failed.textContent = failed.dataset.failed; });
    media.addEventListener("playing", () => { failed.hidden = true; });
  };
  const equipAll = () => {
    for (const player of $$("[data-player]:not([data-ready])")) {
      player.dataset.ready = "";
      equip(player);
    }
  };
  equipAll();
  new MutationObserver(equipAll).observe($("#main") ?? document.body, { childList: true, subtree: true });

  // --- Keys ---

  const current = () => document.activeElement?.closest?.(".line") || $("article.entry[data-id]");
  const move = (step) => {
    const way = $(step > 0 ? 'article .way a[rel="next"]' : 'article .way a[rel="prev"]');
    if (way) { go(way.href); return; }
    const lines = $$(".line");
    if (!lines.length) return;
    const here = document.activeElement?.closest?.(".line") || $(".line.opened");
    const at = lines.indexOf(here);
    let next = at + step;
    if (at < 0) next = Math.max(0, lines.findIndex((line) => line.getBoundingClientRect().bottom > 60));
    const further = next >= lines.length && $(".older a[rel=next]");
    if (further) { further.click(); return; }
    const line = lines[Math.min(Math.max(next, 0), lines.length - 1)];
    const link = $(".open", line);
    if (here && here !== line && here.classList.contains("opened")) { // an open article leads on to the next one
      close(here);
      if (link.matches("[data-expand]")) open(line);
    }
    link.focus({ preventScroll: true, focusVisible: true });
    const box = line.getBoundingClientRect();
    if (box.top < 60 || box.bottom > innerHeight - 80) line.scrollIntoView({ block: box.height > innerHeight / 2 ? "start" : "center" });
  };
  const way = $("article .way");
  if (way) {
    const article = way.closest("article");
    let from = null;
    article.addEventListener("touchstart", ({ touches }) => {
      from = touches.length === 1 ? { x: touches[0].clientX, y: touches[0].clientY } : null;
    }, { passive: true });
    article.addEventListener("touchend", ({ changedTouches: [end], target }) => {
      if (!from || target.closest("pre, table")) return; // those are scrolled sideways
      const x = end.clientX - from.x;
      if (Math.abs(x) > 70 && Math.abs(x) > 3 * Math.abs(end.clientY - from.y) && !getSelection().toString() && (visualViewport?.scale ?? 1) <= 1) move(x < 0 ? 1 : -1);
    }, { passive: true });
  }
  const press = (selector) => { const line = current(); if (line) $(selector, line)?.click(); };
  const original = () => {
    const line = current();
    if (!line) return;
    const link = $("a.original", line);
    if (link) link.click();
    else if ($(".open[data-expand]", line)) {
      ask($(".open", line).href).then((answer) => answer.text()).then((html) => {
        setRead(line, true);
        parse(html).querySelector("a.original")?.click();
      }).catch(() => say(t("That did not work. Try again.")));
    }
  };
  const goals = { r: "/", u: "/?show=unread", s: "/?show=starred", c: "/channels", a: "/add", n: "/network", o: "/settings" };
  const actions = {
    j: () => move(1),
    k: () => move(-1),
    n: () => move(1),
    p: () => move(-1),
    A: () => $(".read-all button:not([name])")?.click(),
    u: () => { const up = $('.way a[rel="up"]'); if (up) go(up.href); },
    o: () => { const line = current(); const link = line && $(".open", line); if (link) link.click(); },
    v: original,
    d: otherText,
    s: () => press(".act.star"),
    m: () => press(".act.seen"),
    r: () => (pill && !pill.hidden ? reveal() : location.reload()),
    f: () => { const field = $("#find"); if (field?.offsetParent) field.focus(); else location.href = "/channels"; },
    "/": () => { const field = $("main input[type=search]"); if (field) field.focus(); else location.href = "/search"; },
    "?": () => $("#keys-dialog")?.showModal(),
  };
  let going = 0; // when "g" was pressed
  document.addEventListener("keydown", (event) => {
    if (document.documentElement.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select, dialog")) return;
    if (Date.now() - going < 1500 && goals[event.key]) {
      event.preventDefault();
      go(goals[event.key]);
      return;
    }
    going = event.key === "g" ? Date.now() : 0;
    const arrow = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (arrow) { // it is the browser's but on a whole article, outside of what it scrolls or chooses there
      if (!$("article .way") || event.shiftKey || event.target.closest?.(".wide, pre, input, [role=group]")) return;
      event.preventDefault();
      move(arrow);
      return;
    }
    if (actions[event.key] && (!event.repeat || "jknp".includes(event.key))) {
      event.preventDefault();
      actions[event.key]();
    }
  });

  // --- The network, as it is ---

  // morph turns one tree into another and leaves alone what is the same, so that focus,
  // selection, unfolded parts and a screen reader's place stay. Children with an ID are
  // the same under any neighbours.
  const morph = (old, fresh) => {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) { old.data = fresh.data; return; }
    for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const named = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
    const kept = new Set([...fresh.children].map((child) => child.id));
    for (const [id, child] of named) if (!kept.has(id)) child.remove();
    let at = old.firstChild;
    for (const child of [...fresh.childNodes]) {
      const same = child.id ? named.get(child.id) : at && !at.id && at.nodeName === child.nodeName ? at : null;
      if (!same || same.nodeName !== child.nodeName) { old.insertBefore(child, at); continue; }
      while (at && at !== same && !at.id) { const next = at.nextSibling; at.remove(); at = next; } // rather than to move what may have the focus
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      morph(same, child);
    }
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
  };

  const network = $("[data-network]");
  if (network) {
    const source = new EventSource(network.dataset.network);
    const stale = $("#stale", network);
    source.addEventListener("network", (event) => {
      for (const [id, html] of Object.entries(JSON.parse(event.data))) {
        const part = document.getElementById(id);
        if (!part) { location.reload(); return; } // a node that worked alone has joined: its page is another by now
        const fresh = part.cloneNode(false);
        fresh.append(parse(html));
        morph(part, fresh);
      }
    });
    source.addEventListener("open", () => { stale.hidden = true; });
    source.addEventListener("error", () => { stale.hidden = false; });
    addEventListener("pagehide", () => source.close());
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    network.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const here = event.target.closest?.(".ring a");
      if (!step || !here || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const turn = (dot) => Number(dot.dataset.turn);
      const dots = $$(".ring a").sort((a, b) => turn(a) - turn(b));
      dots[(dots.indexOf(here) + step + dots.length) % dots.length].focus({ focusVisible: true });
    });
  }

  // --- Older items, below those that are here ---

  // Who has pressed the link is taken to the first of what has come, and nothing above it moves.
  const lookBack = (link) => {
    const words = link.textContent;
    const pressed = document.activeElement === link;
    link.setAttribute("aria-disabled", "true");
    link.textContent = t("Looking…");
    say(t("Looking for older items"));
    ask(link.href).then((answer) => answer.text()).then((html) => {
      const part = parse(html);
      const found = $$(".line", part).length;
      const ended = $("p[tabindex]", part);
      const next = $(".open", part) || ended || $("[data-older]", part);
      const kept = document.activeElement === link || pressed && document.activeElement === document.body;
      link.closest(".older").replaceWith(part);
      if (kept) next?.focus({ preventScroll: true });
      say([found && plural(found, "older item", "older items"), ended?.textContent].filter(Boolean).join(". "));
    }).catch(() => {
      link.removeAttribute("aria-disabled");
      link.textContent = words;
      say(t("That did not work. Try again."));
    });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-older]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!link.hasAttribute("aria-disabled")) lookBack(link);
  });

  // --- What a message looks like, below the form for an address: the form stays as it is, with its secret ---

  // A browser subscribes with the node's key, and becomes an address like any other: the form sends what it says.
  const pushing = $("[data-push]");
  if (pushing && window.isSecureContext && "serviceWorker" in navigator && "PushManager" in window) {
    pushing.hidden = false;
    const problem = $("[role=alert]", pushing);
    const base64 = (buffer) =>
      btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const activated = (registration) =>
      new Promise((resolve, reject) => {
        const begun = registration.installing || registration.waiting;
        if (registration.active || !begun) return resolve();
        begun.addEventListener("statechange", () => {
          if (begun.state === "activated") resolve();
          if (begun.state === "redundant") reject(new Error("its worker did not start"));
        });
      });
    const why = (error) =>
      error.name === "NotAllowedError"
        ? t("The browser does not allow this page to show notifications. Allow it in the browser’s settings of this page, and try again.")
        : `The browser could not subscribe at its push service: ${error.message}`;
    $("form", pushing).addEventListener("submit", async (event) => {
      event.preventDefault();
      const form = event.target;
      problem.hidden = true;
      form.querySelector("button").disabled = true;
      try {
        if ((await Notification.requestPermission()) !== "granted") throw new DOMException("", "NotAllowedError");
        const worker = await navigator.serviceWorker.register(policy.createScriptURL(pushing.dataset.worker));
        await activated(worker);
        const options = { userVisibleOnly: true, applicationServerKey: pushing.dataset.push };
        const subscription = await worker.pushManager.subscribe(options).catch(async (error) => {
          const other = await worker.pushManager.getSubscription(); // of a node that was here before, with another key
          if (!other) throw error;
          await other.unsubscribe();
          return worker.pushManager.subscribe(options);
        });
        form.elements.url.value = subscription.endpoint;
        form.elements.secret.value = JSON.stringify({
          p256dh: base64(subscription.getKey("p256dh")), auth: base64(subscription.getKey("auth")),
        });
        form.submit();
      } catch (error) {
        problem.textContent = why(error);
        problem.hidden = false;
        form.querySelector("button").disabled = false;
      }
    });
  }

  for (const zone of $$("[data-zone]")) {
    zone.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  }

  const preview = $(".target-form [data-preview]");
  preview?.addEventListener("click", (event) => {
    event.preventDefault();
    const place = $(".target-form > [role=status]");
    ask(preview.formAction, { method: "POST", body: new URLSearchParams(new FormData(preview.form)) })
      .then((answer) => answer.text()).then((html) => { place.replaceChildren(parse(html)); })
      .catch(() => { place.textContent = t("That did not work. Try again."); });
  });

  // --- Copying ---

  if (navigator.clipboard) {
    document.documentElement.classList.add("can-copy");
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (!button) return;
      navigator.clipboard.writeText(button.dataset.copy).then(() => {
        say(t("Copied."));
        for (const other of $$(".copy")) {
          other.classList.toggle("done", other === button);
          $("span", other).textContent = other === button ? t("Copied") : t("Copy");
        }
      }, () => say(t("That did not work. Select the text and copy it by hand.")));
    });
  }

  // --- Several channels at once ---

  const bulk = $("[data-bulk]");
  if (bulk) {
    const boxes = $$("input[form=bulk][name=url]");
    const chosen = $("[data-chosen]", bulk);
    let last = -1; // the box that was changed before
    const count = () => {
      const n = boxes.filter((box) => box.checked).length;
      chosen.textContent = n ? plural(n, "channel checked", "channels checked") : "";
    };
    boxes.forEach((box, at) => box.addEventListener("click", (event) => {
      if (event.shiftKey && last >= 0) {
        for (const other of boxes.slice(Math.min(at, last), Math.max(at, last) + 1)) if (!other.closest("[hidden]")) other.checked = box.checked;
      }
      last = at;
      if (box.checked) bulk.open = true;
      count();
    }));
    for (const button of $$("[data-all]", bulk)) button.addEventListener("click", () => {
      for (const box of boxes) box.checked = Boolean(button.dataset.all) && !box.closest("[hidden]");
      count();
    });
    for (const part of $$("[data-shift], [data-check-all]", bulk)) part.hidden = false;
    count();
  }

  // --- Finding a channel beside the page ---

  const find = $("#find");
  find?.addEventListener("input", () => {
    const words = find.value.trim().toLowerCase();
    const has = (link) => link.textContent.toLowerCase().includes(words);
    let n = 0;
    for (const item of $$(".folders li:not(.folder)")) {
      const head = $(".folder-head a", item.closest(".folder") ?? item);
      item.hidden = words !== "" && !has(item) && !(head && item.closest(".folder") && has(head));
      if (!item.hidden) n++;
    }
    for (const folder of $$(".folders .folder").reverse()) {
      const list = $("ul", folder);
      const head = $(".folder-head a", folder);
      folder.hidden = words !== "" && !(head && has(head)) && !$("li:not([hidden])", list);
      if (words !== "") list.hidden = false;
      else list.hidden = $(".fold", folder).getAttribute("aria-expanded") === "false";
    }
    $("#nav-found").textContent = words === "" ? "" : plural(n, "entry in the list", "entries in the list");
  });

  // --- Filtering while one types ---

  const filter = $("input[data-filter]");
  filter?.addEventListener("input", () => {
    const words = filter.value.trim().toLowerCase();
    for (const row of $$(`${filter.dataset.filter} [data-text]`)) row.hidden = !row.dataset.text.toLowerCase().includes(words);
    for (const group of $$(`${filter.dataset.filter} .group`)) group.hidden = !$("[data-text]:not([hidden])", group);
  });
})();
