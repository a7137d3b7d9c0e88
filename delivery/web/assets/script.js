// The page's only script. Every page works without it; it adds
//
//   - the river's growth by itself, and of the counts beside it,
//   - reading in place, and stars and read marks without a new page,
//   - shortcuts by single keys, and filtering while one types,
//   - older items of a channel below those that are here,
//   - the view of the network, kept true in place, and buttons that copy.
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
    ? trustedTypes.createPolicy("tidings", { createHTML: (text) => text })
    : { createHTML: (text) => text };

  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const plural = (n, one, many) => (n === 1 ? `1 ${one}` : `${n} ${many}`);

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
  const say = (text) => {
    const place = $("#live") || $("#said");
    if (place) place.textContent = text;
  };

  // --- How much is unread, in the lists beside the page ---

  const countUnread = (line, more) => {
    const href = $("a.channel", line)?.getAttribute("href");
    for (const link of [$('.main-nav a[href="/?show=unread"]'), $$(".folders a").find((a) => a.getAttribute("href") === href)]) {
      const count = link && $(".count", link);
      if (!count) continue;
      const n = Math.max(0, Number($(".n", count).textContent.replaceAll(",", "")) + more);
      $(".n", count).textContent = n.toLocaleString("en");
      count.hidden = n === 0;
    }
  };

  // --- Growth ---

  const river = $("#river[data-events]");
  const pill = $("#pill");
  const title = document.title;
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
    const text = beyond ? "Many" : String(n);
    $("span", pill).textContent = `${text} new`;
    document.title = pill.hidden ? title : `(${text}) ${title}`;
  };
  const sameItem = (line) => line.dataset.count ? [] : $$(`.line[data-item="${line.dataset.item}"]:not([data-count])`, river).filter((other) => other.id !== line.id);
  const put = (lines) => {
    const list = $("#fresh");
    const fresh = lines.filter((line) => !document.getElementById(line.id));
    for (const line of fresh) {
      line.classList.add("fresh");
      for (const older of sameItem(line)) if (!older.classList.contains("opened")) older.remove();
    }
    list.prepend(...fresh);
    $(".empty", river)?.remove();
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
      say("Many new entries");
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
    return s < 60 ? "now" : span(s);
  };
  setInterval(() => {
    for (const time of $$("time[data-age]")) {
      const text = age(Number(time.dataset.age));
      if ("next" in time.dataset && /^\d/.test(text)) time.textContent = "now";
      else time.textContent = "ago" in time.dataset && /^\d/.test(text) ? `${text} ago` : text;
    }
  }, 30_000);

  // --- Stars and read marks ---

  const setPressed = (button, on, yes, no) => {
    button.setAttribute("aria-pressed", String(on));
    button.value = on ? no : yes;
  };
  const isRead = (line) => $(".act.seen", line)?.getAttribute("aria-pressed") === "true";
  const setRead = (line, on) => {
    if (isRead(line) !== on) countUnread(line, on ? -1 : 1);
    line.classList.toggle("read", on);
    if (on) $(".new-dot", line)?.remove();
    const button = $(".act.seen", line);
    if (button) setPressed(button, on, "read", "unread");
  };
  const apply = (line, what) => {
    if (what === "star" || what === "unstar") setPressed($(".act.star", line), what === "star", "star", "unstar");
    else setRead(line, what === "read");
  };
  const opposite = { star: "unstar", unstar: "star", read: "unread", unread: "read" };
  const words = { star: "Starred", unstar: "Star taken away", read: "Marked as read", unread: "Marked as unread" };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const what = event.submitter?.value;
    if (!form.matches(".acts") || !opposite[what]) return;
    event.preventDefault();
    const line = form.closest("[data-id]");
    apply(line, what); // at once; taken back if the server does not agree
    ask(form.action, { method: "POST", body: new URLSearchParams({ do: what }) })
      .then(() => say(words[what]))
      .catch(() => { apply(line, opposite[what]); say("That did not work. Try again."); });
  });

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

  // --- Keys ---

  const current = () => document.activeElement?.closest?.(".line") || $("article.entry[data-id]");
  const move = (step) => {
    const lines = $$(".line");
    if (!lines.length) return;
    const at = lines.indexOf(document.activeElement?.closest?.(".line"));
    let next = at + step;
    if (at < 0) next = Math.max(0, lines.findIndex((line) => line.getBoundingClientRect().bottom > 60));
    const line = lines[Math.min(Math.max(next, 0), lines.length - 1)];
    const link = $(".open", line);
    link.focus({ preventScroll: true, focusVisible: true });
    const box = line.getBoundingClientRect();
    if (box.top < 60 || box.bottom > innerHeight - 80) line.scrollIntoView({ block: box.height > innerHeight / 2 ? "start" : "center" });
  };
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
      }).catch(() => say("That did not work. Try again."));
    }
  };
  const goals = { r: "/", u: "/?show=unread", s: "/?show=starred", c: "/channels", a: "/add", n: "/network", o: "/settings" };
  const actions = {
    j: () => move(1),
    k: () => move(-1),
    o: () => { const line = current(); const link = line && $(".open", line); if (link) link.click(); },
    v: original,
    s: () => press(".act.star"),
    m: () => press(".act.seen"),
    r: () => (pill && !pill.hidden ? reveal() : location.reload()),
    "/": () => { const field = $("input[type=search]"); if (field) field.focus(); else location.href = "/search"; },
    "?": () => $("#keys-dialog")?.showModal(),
  };
  let going = 0; // when "g" was pressed
  document.addEventListener("keydown", (event) => {
    if (document.documentElement.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest?.("input:not([type=radio], [type=checkbox]), textarea, select, dialog")) return;
    if (Date.now() - going < 1500 && goals[event.key]) {
      event.preventDefault();
      location.href = goals[event.key];
      return;
    }
    going = event.key === "g" ? Date.now() : 0;
    if (actions[event.key] && (!event.repeat || "jk".includes(event.key))) {
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
    link.textContent = "Looking…";
    say("Looking for older items");
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
      say("That did not work. Try again.");
    });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-older]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!link.hasAttribute("aria-disabled")) lookBack(link);
  });

  // --- Copying ---

  if (navigator.clipboard) {
    document.documentElement.classList.add("can-copy");
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (!button) return;
      navigator.clipboard.writeText(button.dataset.copy).then(() => {
        say("Copied.");
        for (const other of $$(".copy")) {
          other.classList.toggle("done", other === button);
          $("span", other).textContent = other === button ? "Copied" : "Copy";
        }
      }, () => say("That did not work. Select the text and copy it by hand."));
    });
  }

  // --- Filtering while one types ---

  const filter = $("input[data-filter]");
  filter?.addEventListener("input", () => {
    const words = filter.value.trim().toLowerCase();
    for (const row of $$(`${filter.dataset.filter} [data-text]`)) row.hidden = !row.dataset.text.toLowerCase().includes(words);
    for (const group of $$(`${filter.dataset.filter} .group`)) group.hidden = !$("[data-text]:not([hidden])", group);
  });
})();
