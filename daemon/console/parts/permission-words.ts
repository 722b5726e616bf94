import { fill } from '../text/fill.ts';
import { PERMISSIONS } from '../text/permissions.ts';

/** Returns a permission in words with its name; one that clients have defined has only its name. */
export function namePermission(name: string): string {
  const words = wordsOfPermission(name);
  return words === undefined ? name : `${words} (${name})`;
}

/** Returns a permission in words; undefined for one that clients have defined. */
export function wordsOfPermission(name: string): string | undefined {
  const text = PERMISSIONS[name];
  return text === undefined ? undefined : fill(text);
}
