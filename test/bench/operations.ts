import { setTimeout as wait } from 'node:timers/promises';

import type { SessionClient } from '../support/https-client.ts';
import { removePackage, uploadPackage } from '../support/package-upload.ts';
import { createChannels, sequence } from './plant.ts';

/** A request that may delay others. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Makes the body; `present`: the JSON of `GET` of the same path. Absent: there is none. */
  readonly body?: (present: unknown) => unknown;
  /** Distinguishes it from another with the same path. */
  readonly note?: string | undefined;
  /** Does it in more than one request; absent: one is all. */
  readonly perform?: (client: SessionClient, plant: MeasuredPlant) => Promise<void>;
}

/** What operations need of the plant that is measured. */
export interface MeasuredPlant {
  /** Port of a Modbus device without assets. */
  readonly devicePort: number;
  /** A package "large" to upload. */
  readonly package: Uint8Array;
  /** Of the asset `ten`, one sample of each channel a second. */
  readonly recordedFromMs: number;
  readonly recordedUntilMs: number;
}

const CONFIGURATION = '/services/configuration/v1';
const IDENTITIES = '/services/identity/v1/identities';
const AUDIT = '/services/audit/v1';
const HISTORY = '/services/history/v1';
const SCANS = '/services/drivers/v1/_scans';
const SCAN_PAUSE_MS = 50;

let count = 0;
/** Returns another number each time, so that each change changes something. */
const next = (): number => (count += 1);
const toDriver = (): object => ({
  type: 'modbus',
  host: '127.0.0.1',
  port: 1000 + next(),
  closeAfterIdleMs: 1000,
});
const toAsset = (): object => ({ driver: 'line1', channels: createChannels(sequence(10 + (next() % 80))) });
const toBanners = (): object => ({ preLogin: { enabled: true, message: `notice ${next()}` } });
const toPermissions = (): object => ({
  userName: 'user8',
  permissions: next() % 2 === 0 ? ['rest.assets'] : [],
});
const toWhole = (present: unknown): unknown => ({ ...(present as object), banners: toBanners() });
/** Changes every channel of every asset. */
function toAllChannels(present: unknown): unknown {
  const { assets, ...others } = present as {
    readonly assets: readonly { readonly channels: readonly object[] }[];
  };
  const unit = 'abcdefgh'[next() % 8];
  const changeChannel = (channel: object): object => ({ ...channel, unit });
  const changeAsset = (asset: (typeof assets)[number]): object => ({
    ...asset,
    channels: asset.channels.map(changeChannel),
  });
  return { ...others, assets: assets.map(changeAsset) };
}

async function upload(client: SessionClient, plant: MeasuredPlant): Promise<void> {
  const { state, message } = await uploadPackage(client, plant.package);
  if (state !== 'COMPLETED') throw new Error(`the package was not installed: ${message}`);
  await removePackage(client, 'large');
}

async function scan(client: SessionClient, { devicePort }: MeasuredPlant): Promise<void> {
  const settings = { host: '127.0.0.1', port: devicePort };
  const begun = await client.send('POST', SCANS, { body: { type: 'modbus', settings } });
  const place = String(begun.headers['location']);
  for (;;) {
    const { json, text } = await client.send('GET', place);
    const { state } = json as { readonly state?: string };
    if (state === undefined) throw new Error(`the scan cannot be read: ${text}`);
    if (state !== 'RUNNING') break;
    await wait(SCAN_PAUSE_MS);
  }
  await client.send('DELETE', place);
}

function readHistory(query: string): Operation {
  return {
    method: 'GET',
    path: `${HISTORY}/ten${query}`,
    async perform(client, { recordedFromMs, recordedUntilMs }) {
      const range = `${query === '' ? '?' : '&'}from=${recordedFromMs}&to=${recordedUntilMs}&limit=100000`;
      const { status, text } = await client.send('GET', `${HISTORY}/ten${query}${range}`);
      if (status !== 200) throw new Error(`the history was answered with ${status}: ${text.slice(0, 500)}`);
    },
  };
}

function configure(path: string, body: NonNullable<Operation['body']>, note?: string): readonly Operation[] {
  return ['?dryRun=true', ''].map((query) => ({
    method: 'PUT',
    path: `${CONFIGURATION}${path}${query}`,
    body,
    note,
  }));
}

/** What measures the routes that change something, or may cost much otherwise. */
const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  [`PUT ${CONFIGURATION}`]: [...configure('', toWhole), ...configure('', toAllChannels, 'all channels')],
  [`PUT ${CONFIGURATION}/:section`]: configure('/banners', toBanners),
  [`PUT ${CONFIGURATION}/:section/:pid`]: [
    ...configure('/drivers/line1', toDriver),
    ...configure('/assets/asset1', toAsset),
  ],
  [`DELETE ${CONFIGURATION}/:section`]: [
    { method: 'DELETE', path: `${CONFIGURATION}/recorders?dryRun=true` },
  ],
  [`DELETE ${CONFIGURATION}/:section/:pid`]: [
    { method: 'DELETE', path: `${CONFIGURATION}/assets/asset2?dryRun=true` },
  ],
  [`POST ${CONFIGURATION}/_prune`]: [{ method: 'POST', path: `${CONFIGURATION}/_prune?dryRun=true` }],
  [`POST ${CONFIGURATION}/snapshots/:id/_rollback`]: [
    { method: 'POST', path: `${CONFIGURATION}/snapshots/1/_rollback` },
  ],
  'POST /services/assets/:pid/_read': [
    { method: 'POST', path: '/services/assets/ten/_read', body: () => ({ channels: ['channel00001'] }) },
  ],
  'POST /services/backup/v1/_copyStore': [{ method: 'POST', path: '/services/backup/v1/_copyStore' }],
  [`POST ${IDENTITIES}`]: [
    { method: 'POST', path: IDENTITIES, body: () => ({ userName: `person${next()}` }) },
  ],
  [`POST ${IDENTITIES}/byName`]: [
    { method: 'POST', path: `${IDENTITIES}/byName`, body: () => ({ userName: 'user7' }) },
  ],
  [`PUT ${IDENTITIES}`]: [{ method: 'PUT', path: IDENTITIES, body: () => toPermissions() }],
  [`DELETE ${IDENTITIES}`]: [
    { method: 'DELETE', path: IDENTITIES, body: () => ({ userName: `user${100 + next()}` }) },
  ],
  'POST /services/deploy/v2/_upload': [
    { method: 'POST', path: '/services/deploy/v2/_upload', perform: upload },
  ],
  [`POST ${SCANS}`]: [{ method: 'POST', path: SCANS, perform: scan }],
  [`GET ${HISTORY}/:asset`]: ['', '?bucketMs=60000', '?channels=channel00000'].map(readHistory),
  'GET /services/assets/_search': [
    { method: 'GET', path: '/services/assets/_search?text=channel00001' },
    { method: 'GET', path: '/services/assets/_search?text=nowhere' },
  ],
  // A filter that an index serves, filters that none does and that match nothing, and the last page.
  [`GET ${AUDIT}/events`]: [
    '',
    '?limit=1000',
    '?event=LOGIN',
    '?event=TOKEN_REPLAYED',
    '?outcome=FAILURE&event=LOGOUT',
    '?identity=nowhere',
    '?event=LOGIN&identity=nowhere',
    '?to=1',
    '?before=100',
  ].map((query) => ({ method: 'GET', path: `${AUDIT}/events${query}` })),
  [`GET ${AUDIT}/chain`]: ['', '?after=999500'].map((query) => ({
    method: 'GET',
    path: `${AUDIT}/chain${query}`,
  })),
};

/** Routes whose work is small, such as one identity, one session or one device. */
const SMALL: ReadonlySet<string> = new Set([
  'POST /services/assets/:pid/_write',
  'POST /services/assets/:pid/_decode',
  'POST /services/drivers/v1/:pid/_test',
  'POST /services/drivers/v1/:pid/_trust',
  'DELETE /services/drivers/v1/:pid/_trust',
  'POST /services/drivers/v1/_try',
  'POST /services/drivers/v1/:pid/_try',
  'POST /services/drivers/v1/_scan',
  'POST /services/drivers/v1/:pid/_scan',
  'POST /services/drivers/v1/_scans/:id/_stop',
  'DELETE /services/drivers/v1/_scans/:id',
  'POST /services/session/v1/login/password',
  'POST /services/session/v1/login/certificate',
  'POST /services/session/v1/logout',
  'POST /services/session/v1/changePassword',
  'DELETE /services/session/v1/sessions',
  'DELETE /services/session/v1/sessions/:id',
  'PUT /services/session/v1/_settings',
  'POST /services/session/v1/secondFactor/begin',
  'POST /services/session/v1/secondFactor/confirm',
  'POST /services/session/v1/secondFactor/renewRecoveryCodes',
  'POST /services/session/v1/secondFactor/remove',
  'POST /services/token/jwt/v1/issue',
  'POST /services/token/jwt/v1/refresh',
  'POST /services/token/jwt/v1/_revoke',
  'POST /services/token/jwt/v1/_rotateKey',
  'POST /services/identity/v2/identities/byName',
  'POST /services/identity/v2/identities/default/byName',
  'POST /services/identity/v2/identities',
  'PUT /services/identity/v2/identities',
  'POST /services/identity/v2/identities/validate',
  'DELETE /services/identity/v2/identities',
  'POST /services/identity/v2/permissions',
  'DELETE /services/identity/v2/permissions',
  'POST /services/configuration/v1/_confirm',
  'POST /services/deploy/v2/_bundles/:name/_restart',
  'PUT /services/deploy/v2/_packageDescriptor',
  'POST /services/deploy/v2/_install',
  'DELETE /services/deploy/v2/:name',
  'POST /services/backup/v1/_recordBackup',
  'POST /services/audit/v1/_certificates',
  'POST /services/inventory/v1/bundles/_start',
  'POST /services/inventory/v1/bundles/_stop',
  'POST /services/keystores/v1/entries/csr',
  'POST /services/keystores/v2/entries/csr',
  'POST /services/system/v1/properties/framework/filter',
  'POST /services/system/v1/properties/kura/filter',
  'POST /services/system/v1/properties/extended/filter',
  'DELETE /services/identity/v1/identities/byName',
  'POST /services/configuration/v1/_takeBack',
  'PUT /services/configuration/v1/assets/:pid/_tags',
]);

const PARAMETERS: Readonly<Record<string, string>> = {
  asset: 'asset1',
  section: 'assets',
  id: '1',
  name: 'none',
};

/** A route of the gateway. */
interface MeasuredRoute {
  readonly method: string;
  /** With parameters such as `:pid`. */
  readonly path: string;
  /** True if it answers with events. */
  readonly isStream: boolean;
}

/**
 * Lists the requests that measure a route: the operations of this table, and every other GET, except for streams.
 *
 * @returns undefined for a route that is not in this table
 */
export function listOperations({ method, path, isStream }: MeasuredRoute): readonly Operation[] | undefined {
  const route = `${method} ${path}`;
  const operations = OPERATIONS[route];
  if (operations !== undefined) return operations;
  if (method !== 'GET') return SMALL.has(route) ? [] : undefined;
  if (isStream) return [];
  const pid = path.startsWith('/services/drivers/') ? 'line1' : 'asset1';
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  if (names.some((name) => name !== 'pid' && PARAMETERS[name] === undefined)) return undefined;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === 'pid' ? pid : (PARAMETERS[name] ?? ''),
  );
  return [{ method, path: filled }];
}
