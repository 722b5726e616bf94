import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { composeGateway } from '../../daemon/compose/gateway.ts';
import { systemHostServices } from '../../daemon/compose/host-services.ts';
import type { Route } from '../../daemon/server/http/route.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../support/https-client.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { ReadPlan } from '../../daemon/interface/plant/commissioning.ts';
import { answerOf } from '../support/answer-of.ts';
import { planRead } from '../../daemon/interface/plant/commissioning.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';
import { listHistory, readHistory } from '../../daemon/interface/plant/history.ts';
import type { HistoryOverview } from '../../daemon/interface/plant/history.ts';
import { searchAssets } from '../../daemon/interface/plant/asset-search.ts';
import { listAssets } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'grants-table-password';

/** What one identity may do, by name of the identity. */
const RIGHTS = {
  none: { permissions: [] },
  all: { permissions: ['rest.assets'] },
  reader: { permissions: ['rest.assets.read'] },
  boiler: { grants: [{ assets: ['boiler'], operations: ['READ'] }] },
  level: { grants: [{ assets: ['b*r'], channels: ['lev*'], operations: ['READ'] }] },
  setpoint: { grants: [{ assets: ['boiler'], channels: ['setpoint'], operations: ['WRITE'] }] },
  ended: { grants: [{ assets: ['*'], operations: ['READ', 'WRITE'], until: '2001-01-01T00:00:00Z' }] },
  elsewhere: { grants: [{ assets: ['pump'], operations: ['READ', 'WRITE'] }] },
} as const;

type Rights = keyof typeof RIGHTS;

/** What a route answers to each identity: a status, or what it shows. */
type Row = Readonly<Record<Rights, number | string>>;

const NO_ASSET = { none: 403, ended: 404, elsewhere: 404 } as const;
const WHOLE = 'level setpoint valve';

// `asked`: the driver was asked; `refused`: the identity may not do this with a channel that it sees; `unknown`: as a
// channel that does not exist.
const NAMED = {
  ...NO_ASSET,
  all: 'level:asked setpoint:asked nobody:unknown',
  reader: 'level:asked setpoint:asked nobody:unknown',
  boiler: 'level:asked setpoint:asked nobody:unknown',
  level: 'level:asked setpoint:unknown nobody:unknown',
  setpoint: 'level:unknown setpoint:refused nobody:unknown',
} as const;

/** Every route: who may use it, or for assets what each identity gets. */
const TABLE: Readonly<Record<string, Row | string>> = {
  'GET /services/assets': {
    none: 403,
    all: 'boiler pump',
    reader: 'boiler pump',
    boiler: 'boiler',
    level: 'boiler',
    setpoint: 'boiler',
    ended: '',
    elsewhere: 'pump',
  },
  'GET /services/history/v1': {
    none: 403,
    all: 'boiler:level,setpoint,valve pump',
    reader: 'boiler:level,setpoint,valve pump',
    boiler: 'boiler:level,setpoint,valve',
    level: 'boiler:level',
    setpoint: 'boiler:',
    ended: '',
    elsewhere: 'pump',
  },
  'GET /services/history/v1/:asset': {
    ...NO_ASSET,
    all: 'nothing',
    reader: 'nothing',
    boiler: 'nothing',
    level: 'nothing',
    setpoint: 'nothing',
  },
  'GET /services/assets/:pid': {
    ...NO_ASSET,
    all: WHOLE,
    reader: WHOLE,
    boiler: WHOLE,
    level: 'level',
    setpoint: 'setpoint',
  },
  'GET /services/assets/:pid/_status': {
    ...NO_ASSET,
    all: 'line1',
    reader: 'line1',
    boiler: 'line1',
    level: 'line1',
    setpoint: 'line1',
  },
  'GET /services/assets/_status': {
    ...NO_ASSET,
    all: 'line1',
    reader: 'line1',
    boiler: 'line1',
    level: 'line1',
    setpoint: 'line1',
  },
  'GET /services/assets/_search': {
    none: 403,
    all: 'boiler level setpoint valve',
    reader: 'boiler level setpoint valve',
    boiler: 'boiler level setpoint valve',
    level: 'boiler level',
    setpoint: 'boiler setpoint',
    ended: '',
    elsewhere: '',
  },
  'GET /services/assets/:pid/_read': {
    ...NO_ASSET,
    all: 'level:asked setpoint:asked valve:asked',
    reader: 'level:asked setpoint:asked valve:asked',
    boiler: 'level:asked setpoint:asked valve:asked',
    level: 'level:asked',
    setpoint: '',
  },
  'POST /services/assets/:pid/_read': NAMED,
  'POST /services/assets/:pid/_write': {
    ...NO_ASSET,
    all: 'setpoint:asked valve:asked nobody:unknown',
    reader: 403,
    boiler: 'setpoint:refused valve:refused nobody:unknown',
    level: 'setpoint:unknown valve:unknown nobody:unknown',
    setpoint: 'setpoint:asked valve:unknown nobody:unknown',
  },
  'GET /services/assets/:pid/_listen': NAMED,
  'GET /services/assets/_listen': NAMED,
  'GET /services/assets/:pid/_plan': NAMED,
  'POST /services/assets/:pid/_decode': {
    ...NO_ASSET,
    all: 'setpoint:asked',
    reader: 'setpoint:asked',
    boiler: 'setpoint:asked',
    level: 'setpoint:unknown',
    setpoint: 'setpoint:refused',
  },
  // Beyond this line no grant opens anything.
  'GET /services/drivers/v1': 'rest.configuration',
  'POST /services/drivers/v1/:pid/_test': 'rest.configuration',
  'DELETE /services/drivers/v1/:pid/_trust': 'rest.configuration',
  'GET /services/drivers/v1/:pid/_browse': 'rest.configuration',
  'GET /services/drivers/v1/:pid/_trace': 'rest.configuration',
  'GET /services/drivers/v1/:pid/_trust': 'rest.configuration',
  'POST /services/drivers/v1/:pid/_scan': 'rest.configuration',
  'POST /services/drivers/v1/:pid/_trust': 'rest.configuration',
  'POST /services/drivers/v1/:pid/_try': 'rest.configuration',
  'POST /services/drivers/v1/_try': 'rest.configuration',
  'POST /services/drivers/v1/_scan': 'rest.configuration',
  'GET /services/drivers/v1/_scans': 'rest.configuration',
  'POST /services/drivers/v1/_scans': 'rest.configuration',
  'GET /services/drivers/v1/_scans/:id': 'rest.configuration',
  'DELETE /services/drivers/v1/_scans/:id': 'rest.configuration',
  'POST /services/drivers/v1/_scans/:id/_stop': 'rest.configuration',
  'POST /services/session/v1/login/password': 'PUBLIC',
  'POST /services/session/v1/login/certificate': 'PUBLIC',
  'GET /services/session/v1/xsrfToken': 'ANY_IDENTITY',
  'POST /services/session/v1/logout': 'ANY_IDENTITY',
  'POST /services/session/v1/changePassword': 'ANY_IDENTITY',
  'GET /services/session/v1/currentIdentity': 'ANY_IDENTITY',
  'GET /services/session/v1/_own': 'ANY_IDENTITY',
  'GET /services/session/v1/_settings': 'ANY_IDENTITY',
  'PUT /services/session/v1/_settings': 'ANY_IDENTITY',
  'GET /services/session/v1/authenticationInfo': 'PUBLIC',
  'GET /services/session/v1/sessions': 'ANY_IDENTITY',
  'DELETE /services/session/v1/sessions': 'ANY_IDENTITY',
  'DELETE /services/session/v1/sessions/:id': 'ANY_IDENTITY',
  'GET /services/session/v1/secondFactor': 'ANY_IDENTITY',
  'POST /services/session/v1/secondFactor/begin': 'ANY_IDENTITY',
  'POST /services/session/v1/secondFactor/confirm': 'ANY_IDENTITY',
  'POST /services/session/v1/secondFactor/renewRecoveryCodes': 'ANY_IDENTITY',
  'POST /services/session/v1/secondFactor/remove': 'ANY_IDENTITY',
  'DELETE /services/configuration/v1/:section': 'rest.configuration',
  'DELETE /services/configuration/v1/:section/:pid': 'rest.configuration',
  'DELETE /services/deploy/v2/:name': 'rest.deploy',
  'DELETE /services/identity/v1/identities': 'rest.identity',
  'DELETE /services/identity/v1/identities/byName': 'rest.identity',
  'DELETE /services/identity/v2/identities': 'rest.identity',
  'DELETE /services/identity/v2/permissions': 'rest.identity',
  'GET /healthz': 'PUBLIC',
  'GET /readyz': 'PUBLIC',
  'GET /services/audit/v1/chain': 'rest.admin',
  'GET /services/audit/v1/events': 'rest.admin',
  'GET /services/configuration/v1': 'rest.configuration',
  'GET /services/configuration/v1/:section': 'rest.configuration',
  'GET /services/configuration/v1/:section/:pid': 'rest.configuration',
  'GET /services/configuration/v1/assets/:pid/_tags': 'rest.configuration',
  'GET /services/configuration/v1/drift': 'rest.configuration',
  'GET /services/configuration/v1/outline': 'rest.configuration',
  'GET /services/configuration/v1/schema': 'rest.configuration',
  'GET /services/configuration/v1/snapshots': 'rest.configuration',
  'GET /services/configuration/v1/snapshots/:id': 'rest.configuration',
  'GET /services/configuration/v1/templates': 'rest.configuration',
  'GET /services/configuration/v1/templates/:name': 'rest.configuration',
  'GET /services/deploy/v2': 'rest.deploy',
  'GET /services/deploy/v2/_bundles': 'rest.deploy',
  'GET /services/deploy/v2/_bundles/:name/_log': 'rest.deploy',
  'GET /services/deploy/v2/_status': 'rest.deploy',
  'GET /services/deploy/v2/_status/:id': 'rest.deploy',
  'GET /services/events/v1': 'rest.events',
  'GET /services/status/v1': 'rest.events',
  'GET /services/status/v1/certificates': 'rest.events',
  'GET /services/status/v1/log': 'rest.admin',
  'GET /services/status/v1/support': 'rest.admin',
  'GET /services/identity/v1/definedPermissions': 'rest.identity',
  'GET /services/identity/v1/identities': 'rest.identity',
  'GET /services/identity/v1/passwordRequirements': 'PUBLIC',
  'GET /services/identity/v2/definedPermissions': 'rest.identity',
  'GET /services/identity/v2/identities': 'rest.identity',
  'GET /services/identity/v2/passwordStrenghtRequirements': 'PUBLIC',
  'GET /services/openapi.json': 'PUBLIC',
  'POST /services/audit/v1/_certificates': 'rest.admin',
  'POST /services/backup/v1/_copyStore': 'rest.admin',
  'POST /services/backup/v1/_recordBackup': 'rest.admin',
  'POST /services/configuration/v1/_confirm': 'rest.configuration',
  'GET /services/configuration/v1/_confirm': 'rest.configuration',
  'POST /services/configuration/v1/_takeBack': 'rest.configuration',
  'POST /services/configuration/v1/_prune': 'rest.configuration',
  'POST /services/configuration/v1/snapshots/:id/_rollback': 'rest.configuration',
  'POST /services/deploy/v2/_bundles/:name/_restart': 'rest.deploy',
  'POST /services/deploy/v2/_install': 'rest.deploy',
  'POST /services/deploy/v2/_upload': 'rest.deploy',
  'POST /services/identity/v1/identities': 'rest.identity',
  'POST /services/identity/v1/identities/byName': 'rest.identity',
  'POST /services/identity/v2/identities': 'rest.identity',
  'POST /services/identity/v2/identities/byName': 'rest.identity',
  'POST /services/identity/v2/identities/default/byName': 'rest.identity',
  'POST /services/identity/v2/identities/validate': 'rest.identity',
  'POST /services/identity/v2/permissions': 'rest.identity',
  'POST /services/token/jwt/v1/issue': 'ANY_IDENTITY',
  'POST /services/token/jwt/v1/refresh': 'PUBLIC',
  'POST /services/token/jwt/v1/_revoke': 'ANY_IDENTITY',
  'POST /services/token/jwt/v1/_rotateKey': 'rest.admin',
  'PUT /services/configuration/v1': 'rest.configuration',
  'PUT /services/configuration/v1/:section': 'rest.configuration',
  'PUT /services/configuration/v1/:section/:pid': 'rest.configuration',
  'PUT /services/configuration/v1/assets/:pid/_tags': 'rest.configuration',
  'PUT /services/deploy/v2/_packageDescriptor': 'rest.deploy',
  'PUT /services/identity/v1/identities': 'rest.identity',
  'PUT /services/identity/v2/identities': 'rest.identity',
  'GET /services/inventory/v1/inventory': 'rest.inventory',
  'GET /services/inventory/v1/bundles': 'rest.inventory',
  'GET /services/inventory/v1/deploymentPackages': 'rest.inventory',
  'GET /services/inventory/v1/systemPackages': 'rest.inventory',
  'POST /services/inventory/v1/bundles/_start': 'rest.inventory',
  'POST /services/inventory/v1/bundles/_stop': 'rest.inventory',
  'GET /services/keystores/v1': 'rest.keystores',
  'GET /services/keystores/v1/entries': 'rest.keystores',
  'GET /services/keystores/v1/entries/entry': 'rest.keystores',
  'POST /services/keystores/v1/entries/csr': 'rest.keystores',
  'GET /services/keystores/v2': 'rest.keystores',
  'GET /services/keystores/v2/entries': 'rest.keystores',
  'GET /services/keystores/v2/entries/entry': 'rest.keystores',
  'POST /services/keystores/v2/entries/csr': 'rest.keystores',
  'GET /services/system/v1/properties/framework': 'rest.system',
  'GET /services/system/v1/properties/kura': 'rest.system',
  'GET /services/system/v1/properties/extended': 'rest.system',
  'POST /services/system/v1/properties/framework/filter': 'rest.system',
  'POST /services/system/v1/properties/kura/filter': 'rest.system',
  'POST /services/system/v1/properties/extended/filter': 'rest.system',
};

const QUERIES: Readonly<Record<string, string>> = {
  _listen: '?channels=level,setpoint,nobody',
  _plan: '?channels=level,setpoint,nobody',
  _search: '?text=e',
};
const BODIES: Readonly<Record<string, unknown>> = {
  _read: { channels: ['level', 'setpoint', 'nobody'] },
  _write: {
    channels: ['setpoint', 'valve', 'nobody'].map((name) => ({ name, type: 'INTEGER', value: 1 })),
  },
  _decode: { channel: 'setpoint' },
};

/** One identity, in one way to prove it. */
interface Caller {
  readonly rights: Rights;
  readonly kind: string;
  readonly proof: Pick<ClientRequest, 'headers'> & {
    readonly port: number;
    readonly agent?: Agent;
    readonly certificate?: string;
    readonly privateKey?: string;
  };
}

test('the table has a row for every route of the gateway, and no other', async (t) => {
  const routes = await listRoutes(t);
  assert.deepEqual(Object.keys(TABLE).toSorted(), routes.map(nameOf).toSorted());
});

test('every route gives every identity what the table says, however it proves itself', async (t) => {
  const gateway = await startPlant(t);
  const routes = await listRoutes(t);
  for (const caller of await createCallers(t, gateway)) {
    for (const route of routes.filter((each) => !endsSession(each) && each.isLogin !== true)) {
      const row = TABLE[nameOf(route)];
      const what = `${caller.rights} by ${caller.kind}: ${nameOf(route)}`;
      if (typeof row === 'object') assert.equal(await useAsset(t, caller, route), row[caller.rights], what);
      else {
        const { status } = await ask(caller, route, 'nothing');
        const isOpen = row === 'PUBLIC' || (row === 'ANY_IDENTITY' && !needsOtherProof(route, caller));
        if (isOpen) assert.ok(![401, 403].includes(status), `${what} gave ${status}`);
        else assert.equal(status, row === 'ANY_IDENTITY' ? 401 : 403, what);
      }
    }
  }
});

test('an asset without a grant cannot be told from one that does not exist, by any answer', async (t) => {
  const gateway = await startPlant(t);
  const routes = (await listRoutes(t)).filter((route) => typeof TABLE[nameOf(route)] === 'object');
  const callers = (await createCallers(t, gateway)).filter(
    ({ rights }) => rights === 'ended' || rights === 'elsewhere',
  );
  for (const caller of callers) {
    for (const route of routes.filter(({ path }) => path.includes(':pid'))) {
      for (const request of [{}, { body: '[]' }, { body: '{' }, { headers: { Accept: 'text/plain' } }]) {
        const [hidden, unknown] = await Promise.all(
          ['boiler', 'nobody'].map((pid) => ask(caller, route, pid, request)),
        );
        const what = `${caller.rights} by ${caller.kind}: ${nameOf(route)} ${JSON.stringify(request)}`;
        assert.deepEqual(asShown(hidden, 'boiler'), asShown(unknown, 'nobody'), what);
      }
    }
  }
});

test('the audit log tells what the caller is not told', async (t) => {
  const gateway = await startPlant(t);
  const [elsewhere, setpoint, chief] = ['elsewhere', 'setpoint', 'chief'].map((name) =>
    basicOf(gateway, name),
  );
  assert.ok(elsewhere !== undefined && setpoint !== undefined && chief !== undefined);
  for (const pid of ['boiler', 'nobody']) {
    await send(elsewhere, 'GET', `/services/assets/${pid}/_read`, elsewhere);
  }
  const channels = ['valve', 'nobody'].map((name) => ({ name, type: 'INTEGER', value: 1 }));
  const write = { ...setpoint, body: { channels } };
  await send(setpoint, 'POST', '/services/assets/boiler/_write', write);
  await send(setpoint, 'POST', '/services/assets/boiler/_write?dryRun=true', write);
  const detailsOf = async (event: string): Promise<readonly unknown[]> => {
    const { json } = await send(chief, 'GET', `/services/audit/v1/events?event=${event}`, chief);
    const { events } = answerOf(listAuditEvents, { json });
    return events.map(({ target, detail }) => Object.assign({ target }, detail));
  };
  assert.deepEqual(await detailsOf('ACCESS_REFUSED'), [
    {
      target: '/services/assets/boiler/_read',
      status: 404,
      code: 'ASSET_NOT_GRANTED',
      httpMethod: 'GET',
    },
  ]);
  const refused = [
    {
      target: '/services/assets/boiler/_write',
      asset: 'boiler',
      channels: 2,
      failed: 2,
      'channels[0]': 'FAILURE CHANNEL_NOT_GRANTED valve 1',
      'channels[1]': 'FAILURE CHANNEL_UNKNOWN nobody 1',
    },
  ];
  assert.deepEqual(await detailsOf('CHANNEL_WRITE'), refused);
  assert.deepEqual(await detailsOf('CHANNEL_WRITE_TRIED'), refused);
});

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

function endsSession({ path }: Route): boolean {
  return path.endsWith('/logout') || path.endsWith('/changePassword');
}

/** The token of a session needs one, and tokens are not given for tokens. */
function needsOtherProof({ path }: Route, { kind }: Caller): boolean {
  return (
    (path.endsWith('/xsrfToken') && kind !== 'session') || (path.endsWith('/issue') && kind === 'bearer')
  );
}

function ask(
  { proof }: Caller,
  route: Route,
  pid: string,
  changes: ClientRequest = {},
): Promise<ClientAnswer> {
  const verb = route.path.split('/').at(-1) ?? '';
  const target = targetOf(route, pid);
  const { request } = route;
  const body = request === undefined ? {} : { body: changes.body ?? BODIES[verb] ?? [] };
  const isJson = request === undefined || request.contentType === 'application/json';
  const type = isJson ? {} : { 'Content-Type': request.contentType };
  const headers = { ...proof.headers, ...type, ...changes.headers };
  // A stream that is granted has no end; its head shows whether it is.
  const method = route.method === 'GET' && isStream(route) ? 'HEAD' : route.method;
  return send(proof, method, target, { headers, ...(request?.contentType === 'text/plain' ? {} : body) });
}

/** Returns the path with its query; that of several assets names the one, and its channels by it. */
function targetOf({ path }: Route, pid: string): string {
  const verb = path.split('/').at(-1) ?? '';
  const query = QUERIES[verb] ?? '';
  if (path === '/services/assets/_status') return `${path}?assets=${pid}`;
  if (path !== '/services/assets/_listen') return path.replace(/:pid|:asset/, pid) + query;
  const channels = query.replace('?channels=', '').split(',');
  return `${path}?assets=${pid}&channels=${channels.map((name) => `${pid}/${name}`).join(',')}`;
}

function isStream({ response }: Route): boolean {
  return response.contentType === 'text/event-stream';
}

/** Uses a route on the asset boiler, and returns what it shows in the words of the table. */
async function useAsset(t: TestContext, caller: Caller, route: Route): Promise<number | string> {
  const answer = await ask(caller, route, 'boiler');
  if (answer.status !== 200) return answer.status;
  if (isStream(route)) {
    const { headers, agent: _agent, ...client } = caller.proof;
    const path = targetOf(route, 'boiler');
    const stream = new EventStreamClient(t, { ...client, path, headers: headers as Record<string, string> });
    const { data } = await stream.find(({ type }) => type === 'snapshot');
    await stream.close();
    return showRecords(data as readonly Shown[]);
  }
  const { json } = answer;
  if (route.path.endsWith('_status')) {
    const states = [json].flat() as readonly { readonly driver: { readonly pid: string } }[];
    return states.map(({ driver }) => driver.pid).join(' ');
  }
  if (route.path === listHistory.path) return showRecorded(answerOf(listHistory, answer));
  if (route.path === readHistory.path) return 'nothing';
  if (route.path === searchAssets.path) {
    const found = answerOf(searchAssets, answer);
    return found.map(({ asset, channel }) => channel ?? asset).join(' ');
  }
  if (route.path.endsWith('_plan')) return showPlan(answerOf(planRead, answer));
  if (route.path.endsWith('_decode')) return showRecords([json as Shown]);
  if (route.path === listAssets.path) return answerOf(listAssets, answer).join(' ');
  return showRecords(json as readonly Shown[]);
}

interface Shown {
  readonly name: string;
  readonly channelStatus?: { readonly exceptionMessage?: string };
}

function showRecords(records: readonly Shown[]): string {
  return records
    .map(({ name, channelStatus }) =>
      channelStatus === undefined ? name : `${name}:${classify(channelStatus.exceptionMessage)}`,
    )
    .join(' ');
}

function showRecorded({ recorders }: HistoryOverview): string {
  return recorders
    .flatMap(({ assets }) => assets)
    .map(({ asset, channels }) => (channels === undefined ? asset : `${asset}:${channels.join(',')}`))
    .join(' ');
}

function showPlan({ requests, notRead }: ReadPlan): string {
  const asked = requests.flatMap(({ channels }) => channels).map((name) => `${name}:asked`);
  return [...asked, ...notRead.map(({ name, reason }) => `${name}:${classify(reason)}`)].join(' ');
}

function classify(message = ''): string {
  if (message.startsWith('unknown channel')) return 'unknown';
  return message.includes('is not allowed to') ? 'refused' : 'asked';
}

/** Returns an answer without what differs between any two answers. */
function asShown(answer: ClientAnswer | undefined, pid: string): unknown {
  assert.ok(answer !== undefined);
  const { date, 'x-request-id': id, ...headers } = answer.headers;
  assert.ok(date !== undefined && id !== undefined);
  return { status: answer.status, headers, text: answer.text.replaceAll(pid, '…') };
}

async function startPlant(t: TestContext): Promise<RunningGateway> {
  const channel = (name: string, offset: number, type = 'READ_WRITE') => ({
    name,
    type,
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
  });
  const provision = {
    rest: {
      basicAuthenticationEnabled: true,
      statelessCertificateAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
      jwtAccessTokenDurationSeconds: 3600,
    },
    identities: [
      { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
      ...Object.entries(RIGHTS).map(([name, rights]) => Object.assign({ name, password: PASSWORD }, rights)),
    ],
    // Nobody is at the other end: what is asked fails at once, with another message than what is not.
    drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: await findFreePort() }],
    assets: [
      {
        pid: 'boiler',
        driver: 'line1',
        channels: [channel('level', 1, 'READ'), channel('setpoint', 2), channel('valve', 3)],
      },
      { pid: 'pump', driver: 'line1', channels: [channel('flow', 9)] },
    ],
    recorders: [
      {
        pid: 'daily',
        intervalMs: 86_400_000,
        assets: [{ asset: 'boiler', channels: ['level', 'setpoint', 'valve'] }, { asset: 'pump' }],
      },
    ],
  };
  return startGateway(t, { config: { provision } });
}

async function listRoutes(t: TestContext): Promise<readonly Route[]> {
  const configFile = join(createTemporaryDirectory(t), 'penstock.yaml');
  writeFileSync(configFile, 'dataDirectory: data');
  const loaded = await loadSettingsFile(configFile);
  const { routes } = await composeGateway({
    loaded,
    logger: createMemoryLogger(),
    hostServices: systemHostServices,
  });
  return routes;
}

function basicOf({ httpsPorts: [port = 0] }: RunningGateway, name: string): Caller['proof'] {
  const credentials = Buffer.from(`${name}:${PASSWORD}`).toString('base64');
  return { port, headers: { Authorization: `Basic ${credentials}` } };
}

async function createCallers(t: TestContext, gateway: RunningGateway): Promise<readonly Caller[]> {
  const [port = 0] = gateway.httpsPorts;
  const [clientAuthPort = 0] = gateway.clientAuthPorts;
  const callers: Caller[] = [];
  for (const rights of Object.keys(RIGHTS) as readonly Rights[]) {
    // Each has its connections, as a certificate belongs to them.
    const keep = (): { readonly agent: Agent } => ({ agent: new Agent({ keepAlive: true }) });
    const basic = basicOf(gateway, rights);
    const session = new SessionClient({ port });
    assert.equal((await session.login(rights, PASSWORD)).status, 200);
    const sessionHeaders = { Cookie: session.cookie ?? '', 'X-XSRF-Token': session.xsrfToken ?? '' };
    const issued = await send(basic, 'POST', '/services/token/jwt/v1/issue', basic);
    const { accessToken } = answerOf(obtainTokens, issued);
    const pair = await getClientCertificate(rights);
    callers.push(
      { rights, kind: 'basic', proof: { ...basic, ...keep() } },
      { rights, kind: 'session', proof: { port, headers: sessionHeaders, ...keep() } },
      {
        rights,
        kind: 'bearer',
        proof: { port, headers: { Authorization: `Bearer ${accessToken}` }, ...keep() },
      },
      { rights, kind: 'certificate', proof: { port: clientAuthPort, ...pair, ...keep() } },
    );
  }
  t.after(() => {
    for (const { proof } of callers) proof.agent?.destroy();
  });
  return callers;
}
