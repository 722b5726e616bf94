/** Where a text is on the page. */
interface Line {
  readonly text: Text;
  readonly element: Element;
  readonly box: DOMRect;
}

const SCROLLS = new Set(['auto', 'scroll']);
const CLIPS = new Set(['hidden', 'clip']);
// Boxes lie between whole pixels.
const SLACK = 1;

/**
 * Returns what of the page cannot be read: texts that are cut, lie over each other, or make the page wider than the screen, and
 * numbers that go on in another line.
 */
export function listCutTexts(): readonly string[] {
  const lines = listLines();
  return [
    ...new Set([
      ...listWidePlaces(),
      ...listCutFields(),
      ...lines.flatMap(cutOf),
      ...listOverlaps(lines),
      ...lines.flatMap(listBrokenNumbers),
    ]),
  ];
}

// Numbers, times and addresses; part of a name or a hash is none.
const NUMBER = /(?<![\w:-])\d[\d.,:]*\d(?![\w:-])/g;

function listBrokenNumbers({ text, element }: Line): readonly string[] {
  return [...text.data.matchAll(NUMBER)].flatMap(({ 0: number, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + number.length);
    const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
    return tops.size > 1 ? [`in two lines: ${number} in ${describe(element)}`] : [];
  });
}

function listWidePlaces(): readonly string[] {
  return [document.documentElement, ...document.querySelectorAll('.page, .strip, .rail')]
    .filter((place) => place.scrollWidth > place.clientWidth)
    .map((place) => `wider than the screen: ${describe(place)} ${place.scrollWidth} > ${place.clientWidth}`);
}

function listLines(): readonly Line[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const lines: Line[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node as Text;
    const element = text.parentElement;
    if (element === null || text.data.trim() === '' || !isSeen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.width >= 1) lines.push({ text, element, box });
    }
  }
  return lines;
}

function isSeen(element: Element): boolean {
  if (element.closest('option, script, style, noscript, .skip:not(:focus)') !== null) return false;
  for (let place: Element | null = element; place !== null; place = place.parentElement) {
    // Texts for those who hear them.
    if (getComputedStyle(place).clipPath !== 'none') return false;
  }
  return element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
}

/** Says what cuts a line, or which frame it leaves. */
function cutOf({ element, box }: Line): readonly string[] {
  let isScrolled = false;
  for (let place: Element | null = element; place !== null; place = place.parentElement) {
    const style = getComputedStyle(place);
    const room = place.getBoundingClientRect();
    const isOut = box.right > room.right + SLACK || box.left < room.left - SLACK;
    const isShortened = style.textOverflow === 'ellipsis' && place.scrollWidth > place.clientWidth;
    if (!isScrolled && CLIPS.has(style.overflowX) && (isOut || isShortened) && !isToldElsewhere(place))
      return [`cut: ${describe(element)} in ${describe(place)}`];
    if (SCROLLS.has(style.overflowX)) isScrolled = true;
    const isFramed = place.matches('button, .button, select, .notice');
    const isBelow = box.bottom > room.bottom + SLACK || box.top < room.top - SLACK;
    if (isFramed && (isOut || isBelow)) return [`out of its frame: ${describe(element)}`];
  }
  return [];
}

/** The row that has the focus is described in whole below a grid, and a pointer sees the whole in place. */
function isToldElsewhere(place: Element): boolean {
  const text = place.textContent ?? '';
  return (
    place.matches('.cell.quality, .cell.value') &&
    [...place.querySelectorAll('[title]')].some((part) => text.includes(part.getAttribute('title') ?? ''))
  );
}

function listCutFields(): readonly string[] {
  const pen = document.createElement('canvas').getContext('2d');
  return [...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')].flatMap(
    (field) => {
      const text =
        field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? '') : field.placeholder;
      if (pen === null || text === '' || !isSeen(field)) return [];
      const style = getComputedStyle(field);
      pen.font = style.font;
      const room =
        field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      return pen.measureText(text).width > room + SLACK ? [`cut in its field: ${text}`] : [];
    },
  );
}

function listOverlaps(lines: readonly Line[]): readonly string[] {
  const seen = lines.flatMap((line) => {
    const box = clip(line);
    return box === undefined ? [] : [{ ...line, box }];
  });
  return seen.flatMap((line, index) =>
    seen
      .slice(index + 1)
      .filter(({ text, element, box }) => {
        const width = Math.min(line.box.right, box.right) - Math.max(line.box.left, box.left);
        const height = Math.min(line.box.bottom, box.bottom) - Math.max(line.box.top, box.top);
        // A menu lies over the page on purpose.
        const isOther = line.element.closest('.rail') !== element.closest('.rail');
        return text !== line.text && !isOther && width > 2 && height > 4;
      })
      .map(({ element }) => `one over another: ${describe(line.element)} and ${describe(element)}`),
  );
}

/** Returns the part of a line that is not scrolled away. */
function clip({ element, box }: Line): DOMRect | undefined {
  let { left, top, right, bottom } = box;
  for (let place: Element | null = element; place !== null; place = place.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(place);
    if (overflowX === 'visible' && overflowY === 'visible') continue;
    const room = place.getBoundingClientRect();
    left = Math.max(left, room.left);
    top = Math.max(top, room.top);
    right = Math.min(right, room.right);
    bottom = Math.min(bottom, room.bottom);
  }
  return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : undefined;
}

function describe(element: Element): string {
  const text = (element.textContent ?? '').trim().slice(0, 40);
  return `${element.tagName.toLowerCase()}.${(element.getAttribute('class') ?? '').replaceAll(' ', '.')} "${text}"`;
}
