// Shows what a mark stands for while a pointer is on it. Everything it shows is
// in a table, too, so the page loses nothing without it.
(() => {
  const tip = document.getElementById("tip");
  const show = (event) => {
    const mark = event.target.closest("[data-tip]");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const at = mark.getBoundingClientRect(), box = tip.getBoundingClientRect();
    const middle = event.type === "pointerover" && mark.tagName === "SPAN" ? event.clientX : at.left + at.width / 2;
    tip.style.left = Math.max(6, Math.min(innerWidth - box.width - 6, middle - box.width / 2)) + "px";
    tip.style.top = (at.top > box.height + 12 ? at.top - box.height - 8 : at.bottom + 8) + "px";
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("click", show);
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
})();
