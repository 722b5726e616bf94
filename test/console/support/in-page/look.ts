/** Returns how the page lies on the screen, and how its headings look. */
export function readLook(): {
  readonly heading: string;
  readonly margins: string;
  readonly sections: readonly string[];
} {
  const page = document.querySelector('.page');
  const heading = page?.querySelector('h1') ?? null;
  if (page === null || heading === null) return { heading: '', margins: '', sections: [] };
  const { left, top } = page.getBoundingClientRect();
  const box = heading.getBoundingClientRect();
  const place = `${Math.round(box.left - left)} ${Math.round(box.top - top + page.scrollTop)}`;
  const { paddingTop, paddingRight, paddingLeft } = getComputedStyle(page);
  const sections = [...page.querySelectorAll('h2')].filter((part) => part.checkVisibility());
  return {
    heading: `${fontOf(heading)} at ${place}`,
    margins: `${paddingTop} ${paddingRight} ${paddingLeft}`,
    sections: sections.map(fontOf),
  };
}

function fontOf(place: Element): string {
  const { fontWeight, fontSize, lineHeight } = getComputedStyle(place);
  return `${fontWeight} ${fontSize}/${lineHeight}`;
}
