import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** Current route: path segments after `#/`, and the query. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const current = signal(readRoute());

addEventListener('hashchange', () => {
  current.value = readRoute();
});

/** Current route. */
export const route: ReadonlySignal<Route> = current;

/** Returns the link of a route. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  // Both are allowed in a fragment (RFC 3986, 3.5) and keep links readable.
  const search = new URLSearchParams(query).toString().replaceAll('%2F', '/').replaceAll('%2C', ',');
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Navigates to a route and adds a history entry. */
export function goTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): void {
  location.hash = linkTo(parts, query);
}

/** Changes a query parameter without a history entry; an empty text removes it. */
export function setQuery(name: string, value: string): void {
  const next = new URLSearchParams(current.value.query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  replaceQuery(next);
}

/** Replaces all query parameters without a history entry. */
export function replaceQuery(query: URLSearchParams): void {
  history.replaceState(null, '', linkTo(current.value.parts, Object.fromEntries(query)));
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

// Links can be written by hand.
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
