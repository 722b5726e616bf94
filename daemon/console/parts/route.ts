import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** Where the page is: the parts behind `#/`, and what follows the question mark. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal(readRoute());

addEventListener('hashchange', () => {
  current.value = readRoute();
});

/** The place that is shown. */
export const route: ReadonlySignal<Route> = current;

/** Returns the link to a place. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  // Both may stand in a fragment (RFC 3986, 3.5), and links are read by people.
  const search = new URLSearchParams(query).toString().replaceAll('%2F', '/').replaceAll('%2C', ',');
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a place, so that the way back leads to the present one. */
export function goTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): void {
  location.hash = linkTo(parts, query);
}

/** Changes a part of the query in place; an empty text removes it. */
export function setQuery(name: string, value: string): void {
  const { parts, query } = current.value;
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  history.replaceState(null, '', linkTo(parts, Object.fromEntries(next)));
  current.value = readRoute();
}

function readRoute(): Route {
  const [place = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    parts: place
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: new URLSearchParams(search),
  };
}

// A link may be written by hand.
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
