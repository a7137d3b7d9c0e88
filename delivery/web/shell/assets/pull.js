// Pulling down from the top of a page looks for what is new, where the page is installed as an app: browsers do that by themselves,
// and most apps do not.
"use strict";
(() => {
  if (!matchMedia("(display-mode: standalone)").matches) return;
  const FAR = 90; // pixels after which to let go looks for what is new
  let from = null; // where a finger was put down at the top of the page
  let sign = null;
  const end = () => { sign?.remove(); sign = null; from = null; };
  const draw = () => {
    const place = document.createElement("div");
    place.className = "pulled";
    place.setAttribute("aria-hidden", "true");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("viewBox", "0 0 24 24");
    const path = document.createElementNS(svg.namespaceURI, "path");
    for (const [name, value] of Object.entries({ d: "M12 5v14M6 13l6 6 6-6", fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round" })) path.setAttribute(name, value);
    svg.append(path);
    place.append(svg);
    document.body.append(place);
    return place;
  };
  addEventListener("touchstart", ({ touches, target }) => {
    const free = scrollY <= 0 && touches.length === 1 && (visualViewport?.scale ?? 1) <= 1 && !target.closest?.("dialog, textarea, .wide, pre");
    from = free ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  }, { passive: true });
  addEventListener("touchmove", ({ touches: [finger] }) => {
    if (!from) return;
    const [across, down] = [Math.abs(finger.clientX - from.x), finger.clientY - from.y];
    if (scrollY > 0 || across > Math.max(30, down)) { end(); return; }
    if (down > 20) {
      sign ??= draw();
      sign.classList.toggle("far", down > FAR);
    }
  }, { passive: true });
  addEventListener("touchend", () => {
    const far = sign?.classList.contains("far");
    end();
    if (far) location.reload();
  }, { passive: true });
  addEventListener("touchcancel", end, { passive: true });
})();
