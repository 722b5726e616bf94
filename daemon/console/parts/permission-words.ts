import { fill } from '../text/fill.ts';
import { BUNDLE_PERMISSIONS, BUNDLE_SCOPES, PERMISSIONS } from '../text/permissions.ts';

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

/** Returns a permission of a bundle in words with its name; an unknown one has only its name. */
export function nameBundlePermission(name: string): string {
  const [, scope, value = ''] = /^(device|memory)=(.*)$/.exec(name) ?? [];
  if (scope === 'device') return fill(BUNDLE_SCOPES.device, { path: value });
  if (scope === 'memory') return fill(BUNDLE_SCOPES.memory, { size: value });
  const text = BUNDLE_PERMISSIONS[name];
  return text === undefined ? name : `${fill(text)} (${name})`;
}
