/**
 * Returns the layout problems of the screen: what sticks out, is cut off, overlaps something else, or
 * is too small to press. Boxes are measured as they are visible, clipped by their ancestors.
 */
() => {
  const MIN_TARGET = 24; // CSS pixels, WCAG 2.2 AA, "Target Size (Minimum)"
  const TOLERANCE = 1; // CSS pixels by which browsers round
  const wrong = [];
  const top = document.querySelector("dialog[open]") ?? document.body;

  const name = (element) => {
    const words = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
    return `<${element.localName} class="${element.getAttribute("class") ?? ""}"> ${words.slice(0, 60)}`;
  };
  const style = (element) => getComputedStyle(element);
  const ancestors = (element) => {
    const found = [];
    for (let each = element.parentElement; each; each = each.parentElement) found.push(each);
    return found;
  };
  /** Whether an element is hidden, or only there for screen readers. */
  const unseen = (element) =>
    [element, ...ancestors(element)].some((each) => style(each).clipPath !== "none") ||
    !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const scrolls = (element) => /auto|scroll/.test(style(element).overflowX);
  const cuts = (element) => style(element).overflowX !== "visible" && element !== document.body;

  /** The visible part of a box. */
  const seen = (box, element) => {
    let { left, top, right, bottom } = box;
    for (const each of [element, ...ancestors(element)].filter(cuts)) {
      const frame = each.getBoundingClientRect();
      left = Math.max(left, frame.left);
      top = Math.max(top, frame.top);
      right = Math.min(right, frame.right);
      bottom = Math.min(bottom, frame.bottom);
    }
    return { left, top, right, bottom };
  };

  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element || element.closest("svg, script, style, option")) continue;
    if (unseen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      const scroller = ancestors(element).find(scrolls);
      if (!scroller && (box.left < -TOLERANCE || box.right > innerWidth + TOLERANCE)) {
        wrong.push(`sticks out: ${name(element)}`);
      }
      const part = seen(box, element);
      const lost = Math.max(box.right - part.right, part.left - box.left, box.bottom - part.bottom);
      // Clamped texts may end in "..."; the page shows them in full elsewhere.
      const clamped = [element, ...ancestors(element)].some((each) => style(each).webkitLineClamp !== "none");
      if (!scroller && !clamped && lost > 2 * TOLERANCE) {
        wrong.push(`is cut off by ${Math.round(lost)} px: ${name(element)}`);
      }
      if (part.right - part.left > 1 && part.bottom - part.top > 1) texts.push({ element, box: part });
    }
  }

  const overlap = (one, other) => {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return width > 2 && height > 4; // the boxes of neighbouring letters and lines touch
  };
  const floats = (element) =>
    [element, ...ancestors(element)].some((each) => /fixed|sticky/.test(style(each).position));
  for (const [index, { element, box }] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      if (element === other.element || !overlap(box, other.box)) continue;
      if (floats(element) !== floats(other.element)) continue;
      wrong.push(`${name(element)} overlaps ${name(other.element)}`);
    }
  }

  const pressable = "button, a[href], input, select, summary, textarea, [role=slider]";
  const targets = [...top.querySelectorAll(pressable)].filter((each) => !unseen(each));
  for (const each of targets) {
    const target = each.matches("input") && each.labels?.[0] ? each.labels[0] : each;
    const box = target.getBoundingClientRect();
    const inSentence = each.localName === "a" && style(each).display === "inline";
    if (!inSentence && (box.width < MIN_TARGET - 0.5 || box.height < MIN_TARGET - 0.5)) {
      wrong.push(`is ${Math.round(box.width)} × ${Math.round(box.height)} px small: ${name(each)}`);
    }
    for (const { element, box: text } of texts) {
      if (target.contains(element) || element.contains(target) || floats(each) !== floats(element)) continue;
      if (each.labels && [...each.labels].some((label) => label.contains(element))) continue;
      if (overlap(seen(box, target), text)) wrong.push(`${name(each)} overlaps ${name(element)}`);
    }
  }

  const beyond = document.documentElement.scrollWidth - innerWidth;
  if (beyond > 0) wrong.push(`the page is ${beyond} px too wide`);
  return [...new Set(wrong)];
}
