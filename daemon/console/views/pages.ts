import type { ComponentType } from 'preact';

import type { PageSession } from '../api/session.ts';
import type { IconName } from '../parts/icon.tsx';
import type { Text } from '../text/language.ts';
import { SHELL } from '../text/shell.ts';
import { laterPage } from './later-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';

/** One entry of the rail. */
export interface Page {
  /** First part of its links, and the name of its icon. */
  readonly name: IconName;
  readonly title: Text;
  /** Pressed after `g`. */
  readonly key: string;
  /** What it needs; absent: nothing. */
  readonly permission?: string;
  readonly isOpenTo: (session: PageSession) => boolean;
  readonly View: ComponentType;
}

const anybody = (): boolean => true;
const readsAssets = (session: PageSession): boolean =>
  session.may('rest.assets') || session.may('rest.assets.read') || session.hasGrants;

/** The pages, in the order of the rail. */
export const PAGES: readonly Page[] = [
  { name: 'overview', title: SHELL.overview, key: 'o', isOpenTo: anybody, View: OverviewPage },
  {
    name: 'assets',
    title: SHELL.assets,
    key: 'a',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    View: laterPage('AssetsPage'),
  },
  {
    name: 'trends',
    title: SHELL.trends,
    key: 't',
    permission: 'rest.assets.read',
    isOpenTo: readsAssets,
    View: laterPage('TrendsPage'),
  },
  {
    name: 'commission',
    title: SHELL.commission,
    key: 'c',
    permission: 'rest.configuration',
    isOpenTo: (session) => session.may('rest.configuration'),
    View: laterPage('CommissionPage'),
  },
  {
    name: 'configuration',
    title: SHELL.configuration,
    key: 'k',
    permission: 'rest.configuration',
    isOpenTo: (session) => session.may('rest.configuration'),
    View: laterPage('ConfigurationPage'),
  },
  { name: 'access', title: SHELL.access, key: 'x', isOpenTo: anybody, View: laterPage('AccessPage') },
  {
    name: 'software',
    title: SHELL.software,
    key: 's',
    permission: 'rest.deploy',
    isOpenTo: (session) => session.may('rest.deploy'),
    View: laterPage('SoftwarePage'),
  },
  {
    name: 'record',
    title: SHELL.record,
    key: 'r',
    permission: 'rest.events',
    isOpenTo: (session) => session.may('rest.events'),
    View: laterPage('RecordPage'),
  },
];
