import { KEYS, KEY_NAMES } from '../text/keys.ts';
import type { Text } from '../text/text.ts';

/** Permissions of the session, for the visibility of pages. */
interface SessionPermissions {
  may(permission: string): boolean;
  readonly hasGrants: boolean;
}

/** Page of the console. */
export interface Page {
  /** First path segment of its links. */
  readonly name: string;
  readonly title: Text;
  /** Icon in the rail, 16 by 16, as SVG path data. */
  readonly icon: string;
  /** Pressed after `g`. */
  readonly key: string;
  /** Required permission; absent: none. */
  readonly permission?: string;
  /** Present if users without the permission can also open it. */
  readonly isOpenTo?: (session: SessionPermissions) => boolean;
  /** Its shortcuts, in addition to those of every page. */
  readonly keys?: readonly KeyRow[];
}

/** Label of a key, and its action. */
export type KeyRow = readonly [key: string | Text, does: Text];

/** Properties of a page's view. */
export interface PageProps {
  /** Title in the current language. */
  readonly title: string;
}

/** True if a session can read some assets. */
export function readsAssets(session: SessionPermissions): boolean {
  return session.may('rest.assets') || session.may('rest.assets.read') || session.hasGrants;
}

/** Pages, in the order of the rail. */
export const PAGES: readonly Page[] = [
  {
    name: 'overview',
    title: { en: 'Overview', de: 'Übersicht' },
    icon: 'M2 9.5 8 3 14 9.5M4 8V13.5H12V8',
    key: 'o',
  },
  {
    name: 'assets',
    title: { en: 'Assets', de: 'Assets' },
    icon: 'M2 3.5H14M2 8H14M2 12.5H14',
    key: 'a',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    keys: [
      ['j k, ↓ ↑', KEYS.rows],
      [KEY_NAMES.ends, KEYS.ends],
      [KEY_NAMES.enter, KEYS.open],
      ['w', KEYS.write],
      ['t', KEYS.trend],
    ],
  },
  {
    name: 'trends',
    title: { en: 'Trends', de: 'Trends' },
    icon: 'M2 12.5 6 7 9 9.5 14 3.5',
    key: 't',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    keys: [
      ['← →', KEYS.cursor],
      ['p', KEYS.pause],
      ['+ -', KEYS.zoom],
      [KEY_NAMES.back, KEYS.zoomBack],
    ],
  },
  {
    name: 'devices',
    title: { en: 'Devices', de: 'Geräte' },
    icon: 'M6 2V6M10 2V6M4 6H12V9A4 4 0 0 1 4 9ZM8 13V15',
    key: 'd',
    permission: 'rest.configuration',
  },
  {
    name: 'configuration',
    title: { en: 'Configuration', de: 'Konfiguration' },
    icon: 'M3 3V13M8 3V13M13 3V13M1.5 6H4.5M6.5 10H9.5M11.5 5H14.5',
    key: 'k',
    permission: 'rest.configuration',
    keys: [
      [KEY_NAMES.suggest, KEYS.suggest],
      [KEY_NAMES.find, KEYS.find],
      [KEY_NAMES.comment, KEYS.comment],
      ['F8', KEYS.fault],
    ],
  },
  {
    name: 'access',
    title: { en: 'Access', de: 'Zugriff' },
    icon: 'M8 2A3 3 0 1 1 7.99 2ZM2.5 14C3 10.5 5 9.5 8 9.5S13 10.5 13.5 14',
    key: 'x',
  },
  {
    name: 'software',
    title: { en: 'Software', de: 'Software' },
    icon: 'M2 5 8 2 14 5V11L8 14 2 11ZM2 5 8 8 14 5M8 8V14',
    key: 's',
    permission: 'rest.deploy',
  },
  {
    name: 'north',
    title: { en: 'North', de: 'Weiterleitung' },
    icon: 'M8 14V3M3.5 7.5 8 3 12.5 7.5M2 1.5H14',
    key: 'n',
    permission: 'rest.deploy',
  },
  {
    name: 'record',
    title: { en: 'Record', de: 'Ereignisse & Audit' },
    icon: 'M3 2H13V14H3ZM5.5 5.5H10.5M5.5 8.5H10.5M5.5 11.5H8.5',
    key: 'r',
    permission: 'rest.events',
  },
];

/** Finds the page of a link. */
export function findPage([name = 'overview']: readonly string[]): Page | undefined {
  // Links of earlier versions name the page "commission".
  const present = name === 'commission' ? 'devices' : name;
  return PAGES.find((candidate) => candidate.name === present);
}

/** True if a page is available in a session. */
export function isOpenTo({ permission, isOpenTo: isOpen }: Page, session: SessionPermissions): boolean {
  if (isOpen !== undefined) return isOpen(session);
  return permission === undefined || session.may(permission);
}
