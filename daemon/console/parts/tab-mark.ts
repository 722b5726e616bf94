/** State of the gateway shown in the browser tab. */
export type TabMark = 'none' | 'attention' | 'fault' | 'unknown';

// Distinguishable by outline at the size of a tab icon.
const SHAPES: Readonly<Record<TabMark, string>> = {
  none: '<circle cx="8" cy="8" r="5.5" fill="none" stroke="COLOUR" stroke-width="2"/>',
  attention:
    '<path d="M8 .5 16 15.5H0Z" fill="COLOUR"/><path d="M8 6V10.5M8 12.5V14" stroke="#fff" stroke-width="2"/>',
  fault:
    '<path d="M0 0H16V16H0Z" fill="COLOUR"/><path d="M4 4 12 12M12 4 4 12" stroke="#fff" stroke-width="2.5"/>',
  unknown:
    '<circle cx="8" cy="8" r="7" fill="none" stroke="COLOUR" stroke-width="1.5" stroke-dasharray="3 2"/>' +
    '<path d="M6 6.3A2 2 0 1 1 8.4 8.3C8 8.5 8 9 8 9.5M8 11.2V12.2" fill="none" stroke="COLOUR" stroke-width="1.5"/>',
};

// Tabs can be light or dark independently of the page: use medium colours, visible on both.
const COLOURS: Readonly<Record<TabMark, string>> = {
  none: '#7a8582',
  attention: '#b86500',
  fault: '#d0281f',
  unknown: '#7a8582',
};

const SIGNS: Readonly<Record<TabMark, string>> = { none: '', attention: '▲', fault: '✕', unknown: '?' };

/** Shows the attention state and the page title in the browser tab, which can be all that is visible. */
export function markTab(mark: TabMark, count: number, title: string): void {
  const sign = SIGNS[mark];
  const before = sign === '' ? '' : mark === 'unknown' ? `${sign} · ` : `${sign} ${count} · `;
  document.title = `${before}${title} · Penstock`;
  const drawing = SHAPES[mark].replaceAll('COLOUR', COLOURS[mark]);
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${drawing}</svg>`;
  const href = `data:image/svg+xml,${encodeURIComponent(icon)}`;
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (link !== null && link.href !== href) link.href = href;
}
